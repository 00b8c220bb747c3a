/**
 * The exit code of a comparison and the sentence that explains it. A regression (1) decides before what the data does not tell
 * (2), as a missed objective does before an undecided one.
 */

import type { ComparedMetric, CompareResult } from "../../formats/compare.ts";
import { formatChange, formatInterval } from "./change-text.ts";
import type { Usability } from "./usable-runs.ts";

type Conclusion = Pick<CompareResult, "exitCode" | "conclusion">;

/** @param again that a target may have kept what the new runs sent */
export function concludeComparison(
  metrics: readonly ComparedMetric[],
  { nothing, timing }: Usability,
  again?: string,
): Conclusion {
  if (nothing.length > 0) return { exitCode: 2, conclusion: `nothing is compared: ${nothing.join("; ")}` };
  const of = (decision: ComparedMetric["decision"]) => metrics.filter((each) => each.decision === decision);
  const regressions = listed("worse than allowed", of("regression"));
  const undecided = [
    ...timing.map((reason) => `what depends on timing is not compared: ${reason}`),
    ...listed("undecided", of("undecided")),
    ...(again !== undefined && metrics.some(isFaster) ? [`better, which may be the work of a cache: ${again}`] : []),
    ...(metrics.length === 0 && timing.length === 0 ? ["nothing was measured on both sides"] : []),
  ];
  const allowed = listed("not worse than allowed", of("allowed"));
  if (regressions.length > 0) return { exitCode: 1, conclusion: [...regressions, ...undecided].join("; ") };
  if (undecided.length > 0) return { exitCode: 2, conclusion: undecided.join("; ") };
  return { exitCode: 0, conclusion: allowed.join("; ") };
}

const isFaster = ({ verdict, scale }: ComparedMetric): boolean => verdict === "better" && scale === "relative";

/** `worse than allowed: ttft_p95 (+12% to +18%, 5% allowed)`; nothing without metrics. */
const listed = (what: string, metrics: readonly ComparedMetric[]): readonly string[] =>
  metrics.length === 0 ? [] : [`${what}: ${metrics.map(inWords).join(", ")}`];

const inWords = (metric: ComparedMetric): string => {
  if (metric.decision === "allowed") return metric.name;
  if (metric.interval === null) return `${metric.name} (${metric.note})`;
  return `${metric.name} (${formatInterval(metric)}, ${formatChange(metric.limit, metric.scale, false)} allowed)`;
};
