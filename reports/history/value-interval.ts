/** How well the result of a run tells a value, without its records: from its percentile curve, or its counts. */

import type { RunResult } from "../../formats/run.ts";
import type { ChartSeries } from "../../formats/run-charts.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import { normalQuantile } from "../../lib/normal-quantile.ts";
import type { MetricName, Unit } from "../../load/objectives/metrics.ts";
import type { Statistic } from "../../load/objectives/slo.ts";
import type { Quantile } from "../compare/gates.ts";
import { wilson } from "../compare/stats/share-change.ts";

export type Interval = readonly [low: number, high: number | null];

/** 1 less the confidence of the intervals. */
export const INTERVAL_ALPHA = 0.05;
const Z = normalQuantile(1 - INTERVAL_ALPHA / 2);

/** Of requests that are taken for independent, the error is known. */
const KNOWN = { freedom: 1e6, relative: 0 };

/**
 * The interval of a percentile by order statistics: the ranks between which its true one lies, read off the curve of the run,
 * always outwards, so that it is never narrower than the samples tell.
 * @param curve ascending: share of the samples, value
 */
export function percentileInterval(
  curve: ChartSeries["curve"],
  { perMille }: Pick<Quantile, "perMille">,
  samples: number,
  most: number | undefined,
): Interval | undefined {
  const share = perMille / 1_000;
  const half = Z * Math.sqrt((share * (1 - share)) / samples);
  const low = curve.findLast(([at]) => at <= share - half) ?? curve[0];
  const above = curve.find(([at]) => at >= share + half);
  if (low === undefined) return undefined;
  return [low[1], above?.[1] ?? (share + half < 1 ? (most ?? null) : null)];
}

/** Wilson's interval of a share of units of work. */
export const shareInterval = (share: number, units: number): Interval | undefined =>
  units === 0 ? undefined : wilson({ share, independent: units, error: KNOWN }, INTERVAL_ALPHA);

/** A value of a metric, as an objective or a comparison names it. */
export interface ValueOf {
  readonly metric: MetricName;
  readonly unit: Unit;
  readonly statistic?: Statistic | undefined;
  readonly quantile?: Quantile | undefined;
}

/** The interval of a value of a whole load, with what the load generator leaves open; undefined where the result does not tell. */
export function intervalOf({ metrics, charts, counts }: RunResult, value: number, of: ValueOf): Interval | undefined {
  const result = metrics[of.metric];
  if (result === undefined) return undefined;
  const chance = byChance(value, of, result, curveOf(charts, of.metric), counts.offered);
  if (chance === undefined) return undefined;
  const figure = of.statistic ?? "value";
  const { low, high } = result.band ?? {};
  return [
    Math.min(chance[0], value, low?.[figure] ?? value),
    chance[1] === null ? null : Math.max(chance[1], value, high?.[figure] ?? value),
  ];
}

/** The curve of a metric over the whole load: where several operations have the metric, each has a curve of its own. */
function curveOf(charts: RunResult["charts"], metric: MetricName): ChartSeries["curve"] | undefined {
  const [own, ...others] = (charts?.groups ?? []).flatMap(({ by, series }) =>
    by === "operation" ? (series[metric] ?? []) : [],
  );
  return others.length === 0 ? own?.curve : undefined;
}

function byChance(
  value: number,
  { unit, quantile }: ValueOf,
  result: MetricResult,
  curve: ChartSeries["curve"] | undefined,
  units: number,
): Interval | undefined {
  if (quantile !== undefined) {
    return curve && percentileInterval(curve, quantile, result.requests ?? result.count, result.max);
  }
  return unit === "share" ? shareInterval(value, units) : undefined;
}
