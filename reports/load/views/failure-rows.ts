/** The failures of a run as rows of text, the same in every view. */

import type { Failure, RunResult, WarmupFailure } from "../../../formats/run.ts";
import { sentence } from "../../../lib/text.ts";
import { formatNumber, formatShare } from "../../numbers.ts";
import { failureName, whenOf } from "../metrics/explain-failures.ts";
import { addressesInWords } from "../metrics/failed-addresses.ts";

/** More kinds of failures than these are counted, not shown; `run.json` holds all. */
const SHOWN = 10;

const HEAD = ["failure", "operation", "count", "share", "when", "first request", "first reason"] as const;
/** Which column has the id of the first request that is listed. */
export const FAILED_REQUEST = HEAD.indexOf("first request");
/** Where numbers stand. */
export const FAILURE_NUMBERS: ReadonlySet<number> = new Set([2, 3]);

export interface FailureTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What each row is of. */
  readonly failures: readonly Failure[];
  /** What to do, and how many kinds are not shown. */
  readonly remarks: readonly string[];
}

/** The most frequent failures; undefined without any. */
export function failureTable({
  failures,
  requests,
  addresses,
}: Pick<RunResult, "failures" | "requests" | "addresses">): FailureTable | undefined {
  if (failures.length === 0) return undefined;
  const advice = failures.flatMap(({ advice }) => advice ?? []);
  const hidden = failures.length - SHOWN;
  return {
    head: HEAD,
    rows: failures.slice(0, SHOWN).map((failure) => cellsOf(failure, requests)),
    failures: failures.slice(0, SHOWN),
    remarks: [
      ...new Set(advice.map(sentence)),
      ...(addresses === undefined ? [] : [sentence(addressesInWords(addresses))]),
      ...(hidden > 0 ? [`${formatNumber(hidden)} more kinds of failures are in run.json.`] : []),
    ],
  };
}

const cellsOf = (failure: Failure, listed: RunResult["requests"]): string[] => [
  failureName(failure),
  failure.op,
  formatNumber(failure.count),
  formatShare(failure.share),
  whenOf(failure),
  listed?.failed.find(
    ({ op, outcome, status }) => op === failure.op && outcome === failure.outcome && status === failure.status,
  )?.id ?? "",
  failure.reason ?? "",
];

/** One failure in a line: `401 unauthorized ×20: The target returned status 401. …`. */
export function failureLine(failure: WarmupFailure): string {
  const reason = failure.reason === undefined ? "" : `: ${failure.reason}`;
  return `${failureName(failure)} ×${failure.count}${reason}`;
}

/** The failures in full lines, with operation and time, for formats without tables. */
export const failureLines = ({ failures }: Pick<RunResult, "failures">): string[] =>
  failures.slice(0, SHOWN).map((failure) => `${failure.op} ${whenOf(failure)}: ${failureLine(failure)}`);
