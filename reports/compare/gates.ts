/** Which metrics a comparison looks at, and how much worse each may become. */

import { METRICS, type MetricName, metric, QUANTILES } from "../../load/objectives/metrics.ts";
import { subjectOf } from "../../load/objectives/slo.ts";
import type { RegressionLimit } from "../../settings/regression-limits.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { HEADLINE_LATENCIES } from "../load/metrics/request-metrics.ts";

export type Quantile = (typeof QUANTILES)[number];

/** A metric that is compared. */
export interface Gate {
  /** As objectives name it, such as `ttft_p95`. */
  readonly name: string;
  readonly metric: MetricName;
  /** Of a distribution. */
  readonly quantile?: Quantile;
}

/** What a user asks of a comparison. */
export interface GateRequest {
  /** Names of the metrics to compare; empty: the usual ones, and those that have a limit of their own. */
  readonly metrics: readonly string[];
  readonly limits: readonly RegressionLimit[];
}

/** What is allowed where the user gives no limit: a change of 5%, of a share one percentage point. */
const DEFAULT_LIMIT = { relative: 0.05, points: 0.01 } as const;

/** The percentiles of a latency that are compared unless others are named. */
const USUAL_QUANTILES: readonly Quantile["name"][] = ["p50", "p95"];

/** Latencies, the first of each group that both sides have. */
const USUAL_LATENCIES: readonly (readonly MetricName[])[] = [
  HEADLINE_LATENCIES[0],
  ["icl"],
  HEADLINE_LATENCIES[1],
  ["video_work_scheduled", "video_work"],
];
const USUAL_VALUES: readonly MetricName[] = ["error_rate", "goodput_share", "requests_per_s"];

/** The gates that a user named, each once. @throws UsageError for a metric that does not exist or is not compared */
export function namedGates({ metrics, limits }: GateRequest): readonly Gate[] {
  const names = [...metrics, ...limits.flatMap((limit) => limit.metric ?? [])];
  return [...new Map(names.map(readGate).map((gate) => [gate.name, gate])).values()];
}

/** The usual gates of runs that have these metrics. */
export function usualGates(has: (name: MetricName) => boolean): readonly Gate[] {
  const latencies = USUAL_LATENCIES.flatMap((names) => names.find(has) ?? []);
  return [
    ...latencies.flatMap((name) =>
      QUANTILES.filter((quantile) => USUAL_QUANTILES.includes(quantile.name)).map((quantile) => gateOf(name, quantile)),
    ),
    ...USUAL_VALUES.filter(has).map((name) => gateOf(name)),
  ];
}

const gateOf = (name: MetricName, quantile?: Quantile): Gate => ({
  name: quantile === undefined ? name : `${name}_${quantile.label}`,
  metric: name,
  ...(quantile && { quantile }),
});

/** Reads the name of a gate, as objectives name metrics. */
function readGate(text: string): Gate {
  const { metric: name, statistic } = subjectOf(text, "/s");
  const quantile = QUANTILES.find((each) => each.name === statistic);
  if (isCompared(name) && (metric(name).kind === "scalar") === (quantile === undefined)) return gateOf(name, quantile);
  throw new UsageError(
    `"${text}" is not compared; write a percentile of a latency such as ttft_p95, a metric per second such as requests_per_s, error_rate or goodput_share`,
  );
}

/** Latencies of the target, amounts per second, and shares of units of work. */
function isCompared(name: MetricName): boolean {
  const { unit, kind, over } = metric(name);
  if (kind === "distribution") return unit === "ms" && over !== "all";
  return kind === "scalar" && (unit === "1/s" || unit === "share");
}

/** Whether larger values of a metric are better. */
export const isMoreBetter = (name: MetricName): boolean => metric(name).unit === "1/s" || name === "goodput_share";

/** Changes of shares are differences, in points; every other change is a share of the base. */
export const scaleOf = (name: MetricName): "relative" | "points" =>
  METRICS[name].unit === "share" ? "points" : "relative";

/** How much worse a metric may become: its own limit, else that for all; a limit in percent of the base says nothing of points. */
export function limitOf(gate: Gate, limits: readonly RegressionLimit[]): number {
  const own = limits.findLast((limit) => limit.metric !== undefined && readGate(limit.metric).name === gate.name);
  const scale = scaleOf(gate.metric);
  const all = scale === "points" ? undefined : limits.findLast((limit) => limit.metric === undefined);
  return (own ?? all)?.share ?? DEFAULT_LIMIT[scale];
}
