/** The rows of a comparison, as texts that every view shows. */

import type { ComparedMetric, CompareResult, RunOfSide } from "../../../formats/compare.ts";
import { formatInstant, formatNumber, formatValue, plural } from "../../numbers.ts";
import type { Tone, VerdictWord } from "../../verdict-words.ts";
import { formatChange, formatDetectable, formatInterval } from "../change-text.ts";

/** The verdict of a comparison in a word. */
export function comparisonVerdict({ exitCode }: Pick<CompareResult, "exitCode">): VerdictWord {
  if (exitCode === 0) return { word: "NO REGRESSION", tone: "good" };
  return exitCode === 1 ? { word: "REGRESSION", tone: "bad" } : { word: "INCONCLUSIVE", tone: "unsure" };
}

export const COMPARISON_COLUMNS = ["base", "new", "change", "interval", "detectable", "allowed", "verdict"] as const;

export interface ComparisonRow {
  readonly name: string;
  /** One per column. */
  readonly cells: readonly string[];
  readonly verdict: string;
  readonly tone: Tone;
  readonly note: string | undefined;
}

const NONE = "-";

export function comparisonRow(metric: ComparedMetric): ComparisonRow {
  const { base, new: next, bounds, change, scale, detectable, limit } = metric;
  const { word, tone } = verdictWord(metric);
  return {
    name: metric.name,
    cells: [
      valueText(metric, base, bounds?.base),
      valueText(metric, next, bounds?.new),
      change === null ? NONE : formatChange(change, scale),
      formatInterval(metric),
      metric.interval === null ? NONE : formatDetectable(detectable, scale),
      formatChange(limit, scale, false),
      word,
    ],
    verdict: word,
    tone,
    note: metric.note,
  };
}

/** `40.10 ms`; where it is not measurable, `40.10 to 41.20 ms` or `40.10 ms or more`. */
function valueText({ unit }: ComparedMetric, value: number | null, bounds?: readonly [number, number | null]): string {
  if (value !== null) return formatValue(value, unit);
  if (bounds === undefined) return NONE;
  const [least, most] = bounds;
  if (most === null) return `${formatValue(least, unit)} or more`;
  return `${formatValue(least, unit).replace(` ${unit}`, "")} to ${formatValue(most, unit)}`;
}

/** The verdict of a metric, and how it counts: what is worse but allowed is no failure. */
export function verdictWord({ verdict, decision }: Pick<ComparedMetric, "verdict" | "decision">): {
  readonly word: string;
  readonly tone: Tone;
} {
  const tone: Tone = decision === "regression" ? "bad" : decision === "undecided" ? "unsure" : "good";
  if (verdict === "too-noisy") return { word: "inconclusive", tone: decision === "allowed" ? "none" : tone };
  if (verdict !== "worse") return { word: verdict, tone };
  if (decision === "regression") return { word: "worse", tone };
  return { word: decision === "allowed" ? "worse, allowed" : "worse, undecided", tone };
}

/** What the intervals are, in a sentence. */
export const INTERVALS =
  "Interval: where the change from base to new lies, with a confidence of 95%. For better and worse it is corrected for the number of metrics: two runs of the same system show any change in 5 of 100 comparisons. Detectable: the smallest worsening that this amount of data shows. Unknown: the data sets no bound";

/** The runs of both sides, as names and texts. */
export function comparisonFacts(result: CompareResult): [string, string][] {
  const { base, new: next } = sideNames(result);
  return [
    ["scenario", result.scenario],
    ["load", result.shape],
    ["base", `${base}: ${sideText(result.runs.base)}`],
    ["new", `${next}: ${sideText(result.runs.new)}`],
  ];
}

/** What was compared with what, as a title. */
export function comparisonTitle(result: CompareResult): string {
  const { base, new: next } = sideNames(result);
  return `${next} (new) compared with ${base} (base)`;
}

/** Both sides by their folders: by the last part of a path, unless both have the same. */
function sideNames({ base, new: next }: CompareResult): { readonly base: string; readonly new: string } {
  const folders = { base: folderOf(base), new: folderOf(next) };
  const text = lastPart(folders.base) === lastPart(folders.new) ? (folder: string) => folder : lastPart;
  const name = (folder: string, count: number) =>
    count === 1 ? text(folder) : `${text(folder)} and ${formatNumber(count - 1)} more`;
  return { base: name(folders.base, runsIn(base)), new: name(folders.new, runsIn(next)) };
}

const lastPart = (path: string): string =>
  path
    .replace(/[/\\]+$/, "")
    .split(/[/\\]/)
    .at(-1) || path;
const parentOf = (path: string): string => path.replace(/[/\\]+[^/\\]*$/, "");

/** The first folder of a side; of the runs of one repeated load, the folder that holds them. */
const folderOf = (folders: readonly string[]): string =>
  isRepeated(folders) ? parentOf(folders[0] ?? "") : (folders[0] ?? "");

const runsIn = (folders: readonly string[]): number => (isRepeated(folders) ? 1 : folders.length);

const isRepeated = (folders: readonly string[]): boolean =>
  folders.length > 1 && new Set(folders.map(parentOf)).size === 1 && folders.every((folder) => REPEATED.test(folder));

const REPEATED = /[/\\]run-\d+$/;

function sideText(runs: readonly RunOfSide[]): string {
  const targets = [...new Set(runs.map(({ target }) => target))].join(", ");
  const units = runs.reduce((sum, run) => sum + run.units, 0);
  const [first] = runs.map(({ startedAt }) => startedAt).sort();
  return `${targets}, ${plural(runs.length, "run")}, ${plural(units, "request")}, ${formatInstant(first ?? "")}`;
}

/** With several runs on a side: the values of each, per metric. */
export function runRows({ metrics }: CompareResult): [name: string, base: string, next: string][] {
  return metrics.flatMap(({ name, unit, runs }): [string, string, string][] => {
    if (runs === undefined) return [];
    const text = (values: readonly (number | null)[]) =>
      values.map((value) => (value === null ? NONE : formatValue(value, unit))).join("  ");
    return [[name, text(runs.base), text(runs.new)]];
  });
}
