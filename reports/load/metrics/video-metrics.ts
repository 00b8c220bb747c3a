/** The metrics of video tasks; what was not seen of any task has no entry. */

import type { MetricResult } from "../../../formats/run.ts";
import { METRIC_NAMES, METRICS, metric } from "../../../scenarios/metrics.ts";
import { type SubmittedTask, TASK_ENDS } from "../read/task-histories.ts";
import { censoredDistribution } from "../stats/quantiles.ts";
import { pool, type Waits } from "./request-metrics.ts";

/** @param tasks those whose arrival was due in the measured window */
export function videoMetrics(tasks: readonly SubmittedTask[], waits: Waits): Record<string, MetricResult> {
  if (tasks.length === 0) return {};
  const counts = TASK_ENDS.map((name) => [name, tasks.filter(({ end }) => end === name).length] as const);
  const parts = Object.fromEntries(counts.filter(([, count]) => count > 0));
  return {
    ...figures(tasks, waits, 0),
    video_outcome: { unit: METRICS.video_outcome.unit, count: tasks.length, parts },
  };
}

/** The same, with tasks that we cut off as further samples of which nothing is known; none without such tasks. */
export function videoWithUnfinished(tasks: readonly SubmittedTask[], waits: Waits): Record<string, MetricResult> {
  const unfinished = tasks.filter(({ end }) => end === "unfinished").length;
  return unfinished === 0 ? {} : figures(tasks, waits, unfinished);
}

function figures(tasks: readonly SubmittedTask[], waits: Waits, unfinished: number): Record<string, MetricResult> {
  const results: Record<string, MetricResult> = {};
  for (const name of METRIC_NAMES) {
    const { unit, ofTask, scheduled } = metric(name);
    const values = ofTask === undefined ? [] : tasks.flatMap(({ figures: own }) => ofTask(own) ?? []);
    const largerThan = pool(new Float64Array(unfinished), scheduled ? waits(name) : []);
    const summary = censoredDistribution(Float64Array.from(values).sort(), largerThan);
    if (summary !== undefined) results[name] = { unit, ...summary };
  }
  return results;
}
