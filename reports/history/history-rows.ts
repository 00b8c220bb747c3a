/** What the page and the terminal say of a history in the same words. */

import type { HistoryLine } from "../../formats/history.ts";
import type { ChangePoint, HistorySummary } from "../../formats/history-summary.ts";
import { formatChange, formatInterval } from "../compare/change-text.ts";
import { formatDay, formatValue, plural } from "../numbers.ts";
import type { Tone } from "../verdict-words.ts";

/** `42 results from 2026-01-02 to 2026-02-02`. */
export function historyTitle({ results }: Pick<HistorySummary, "results">): string {
  const [first, last] = [results[0], results.at(-1)].map((line) => formatDay(line?.startedAt ?? ""));
  return `${plural(results.length, "result")}${first === last ? ` of ${first}` : ` from ${first} to ${last}`}`;
}

/** The tone of a result. A load whose generator was the limit is no failure of the target unless it failed all the same. */
export const toneOf = ({ exitCode }: Pick<HistoryLine, "exitCode">): Tone =>
  (["good", "bad", "unsure", "bad"] as const)[exitCode];

/** When, of what, from which value to which, by how much, and what else changed then. */
export function changeRow({
  series,
  metric,
  unit,
  startedAt,
  before,
  after,
  change,
  interval,
  scale,
  ...more
}: ChangePoint) {
  const values = `${formatValue(before, unit)} → ${formatValue(after, unit)}`;
  const size = `${formatChange(change, scale)} (${formatInterval({ interval, scale })})`;
  return {
    cells: [formatDay(startedAt), series, metric, values, size, more.differences.join("; ")],
    tone: more.verdict === "worse" ? ("bad" as const) : ("good" as const),
  };
}
