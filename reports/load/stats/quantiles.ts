/**
 * Exact percentiles, by nearest rank: the q-quantile of n sorted samples is the one of rank ceil(q·n), so that it is
 * always a value that was measured. No interpolation, no buckets.
 *
 * A percentile with fewer than ten samples beyond it is unreliable, so it is left out.
 */

import { QUANTILES, type QuantileName } from "../../../load/objectives/metrics.ts";

/** Rank, from 1, of a quantile given in thousandths; in whole numbers, so that no rounding error moves it. */
export const nearestRank = (count: number, perMille: number): number =>
  Math.max(1, Math.ceil((count * perMille) / 1_000));

/** Nearest-rank quantile of ascending samples; NaN when there are none. */
export const quantile = (sorted: ArrayLike<number>, perMille: number): number =>
  sorted[nearestRank(sorted.length, perMille) - 1] ?? Number.NaN;

/** Mean, extremes and the percentiles that the sample size allows, in the unit of the samples. */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly p50?: number;
  readonly p90?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly p999?: number;
}

/**
 * Describes a sample by its size, its sum and its values by rank from 1.
 * @param independent number of independent values among them, which decides how many percentiles are given
 */
export function describe(
  count: number,
  sum: number,
  ranked: (rank: number) => number,
  independent = count,
): Distribution | undefined {
  if (count === 0) return undefined;
  const allowed = QUANTILES.filter(({ minSamples }) => independent >= minSamples);
  const percentiles: Partial<Record<QuantileName, number>> = Object.fromEntries(
    allowed.map(({ name, perMille }) => [name, ranked(nearestRank(count, perMille))]),
  );
  return { count, mean: sum / count, min: ranked(1), ...percentiles, max: ranked(count) };
}

/** A point of a percentile curve: share of the samples, value. */
export type CurvePoint = [number, number];

export const CURVE_PER_MILLE: readonly number[] = [
  ...Array.from({ length: 18 }, (_, step) => step * 50),
  ...[900, 920, 940, 950, 960, 970, 980, 985, 990, 992, 994, 996, 998, 999],
];
/** Samples that must lie beyond a point of a curve, as with the percentiles. */
const BEYOND = 10;

/**
 * Percentile curve of a sample, as far as the sample size allows: ten samples beyond the last point.
 * @param independent number of independent values among the samples
 */
export const curve = (count: number, ranked: (rank: number) => number, independent = count): CurvePoint[] =>
  curveShares(independent).map((perMille) => [perMille / 1_000, ranked(nearestRank(count, perMille))]);

const curveShares = (independent: number): number[] =>
  CURVE_PER_MILLE.filter((perMille) => independent * (1_000 - perMille) >= BEYOND * 1_000);
