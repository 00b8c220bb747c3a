/** What is said of a trace that is replayed: before the load, in its plan, and in every view of its report. */

import type { TraceFacts } from "../../../load/shape/trace-facts.ts";
import type { TimeUnit } from "../../../settings/load/arrival-process.ts";
import { formatDuration } from "../../../settings/units.ts";
import { formatNumber, formatShare, plural } from "../../numbers.ts";

const UNITS: Readonly<Record<TimeUnit, string>> = {
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  ns: "nanoseconds",
};

/** Facts of a trace: pairs of a name and a text. */
export function traceRows(facts: TraceFacts): readonly (readonly [string, string])[] {
  const { layout, unit, arrivals, requests, lengthMs, peakPerSecond, inputTokens, outputTokens, unused } = facts;
  const [first, last] = endsOf(facts);
  const times = unit === undefined ? "dates" : UNITS[unit];
  return [
    ["trace", `${layout === undefined ? "" : `layout of ${layout}, `}times are ${times}`],
    [
      "  arrivals",
      `${formatNumber(arrivals)} in ${formatDuration(lengthMs)}${requests === undefined ? "" : `, with ${formatNumber(requests)} requests: later turns of a conversation follow the response before`}`,
    ],
    [
      "  rate",
      `${formatNumber(arrivals / (lengthMs / 1_000))}/s, at most ${formatNumber(peakPerSecond)} in one second`,
    ],
    ["  first, last", `${first}, ${last}`],
    ...(inputTokens === undefined
      ? []
      : [["  input tokens", `${formatNumber(inputTokens)}${sharedOf(facts)}`] as const]),
    ...(outputTokens === undefined ? [] : [["  output tokens", formatNumber(outputTokens)] as const]),
    ...(unused === undefined ? [] : [["  not used", unused.join(", ")] as const]),
  ];
}

function sharedOf({ inputTokens = 0, blockTokens, sharedTokens = 0 }: TraceFacts): string {
  if (blockTokens === undefined) return "";
  return `, ${formatShare(sharedTokens / inputTokens)} of them in blocks of ${plural(blockTokens, "token")} that an earlier prompt begins with too`;
}

/** The same in a sentence without its end. */
export const traceInWords = (facts: TraceFacts): string =>
  traceRows(facts)
    .map(([name, text]) => `${name.trim()}: ${text}`)
    .join("; ");

/** Its first and last time, as dates or as seconds. */
const endsOf = ({ firstMs, lastMs, since1970 }: TraceFacts): readonly [string, string] =>
  since1970
    ? [new Date(firstMs).toISOString(), new Date(lastMs).toISOString()]
    : [`${firstMs / 1_000} s`, `${lastMs / 1_000} s`];
