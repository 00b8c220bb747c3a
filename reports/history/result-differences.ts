/** What changed between two results of a history, apart from what they measured. */

import type { HistoryLine } from "../../formats/history.ts";
import { shorten } from "../../lib/text.ts";
import { BETWEEN_RUNS, differenceOf, differencesOf } from "../../load/shape/same-load.ts";

/** What every run has of its own. */
const OF_EACH_RUN: readonly string[] = ["--start-at", "port"];
const LONGEST = 60;

/** What differs, a phrase each, such as `--rate 20 → 40`: target and settings, then the version of Assay, then the machine. */
export function differencesBetween(one: HistoryLine, other: HistoryLine): readonly string[] {
  const settings = differencesOf(one.settings, other.settings, ["label", "chance"])
    .filter(({ setting }) => !OF_EACH_RUN.includes(setting))
    .map(({ setting, values }) => phrase(setting, ...values));
  const machine = one.kind === "load" && other.kind === "load" ? machineOf(one, other) : [];
  return [...settings, ...changed("", one.tool, other.tool), ...machine];
}

type LoadOf = Extract<HistoryLine, { readonly kind: "load" }>;

const machineOf = ({ machine: one }: LoadOf, { machine: other }: LoadOf): string[] => [
  ...changed("CPU cores", one.cpus, other.cpus),
  ...changed("load generators", one.generators, other.generators),
  ...changed("k6", one.k6, other.k6),
];

const changed = (what: string, one: string | number | undefined, other: string | number | undefined): string[] =>
  one === undefined || other === undefined || one === other ? [] : [phrase(what, String(one), String(other))];

const phrase = (what: string, one: string, other: string): string =>
  `${what} ${shorten(one, LONGEST)} → ${shorten(other, LONGEST)}`.trim();

/** Whether two results are of one load, so that their figures can be compared. */
export const haveOneLoad = (one: HistoryLine, other: HistoryLine): boolean =>
  one.kind !== "load" ||
  other.kind !== "load" ||
  differenceOf(one.settings, other.settings, BETWEEN_RUNS) === undefined;
