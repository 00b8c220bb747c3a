/** How exact the figures of a metric are: how many independent values they come from, and the intervals of mean and percentiles. Pure. */

import type { MetricResult } from "../../../formats/run-metrics.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import type { InTime } from "../stats/in-time.ts";
import { ranksOfQuantile } from "../stats/quantile-interval.ts";
import { tQuantile } from "../stats/students-t.ts";

export type Exactness = Pick<MetricResult, "independent" | "intervals">;

/** What is known of the values of a metric. */
export interface KnownValues {
  /** What their order in time tells. */
  readonly order: InTime;
  /** The value of a rank from 1, in ascending order; NaN beyond those that are known. */
  readonly ranked: (rank: number) => number;
  /** How many of the values count, as gaps count by request and turns by conversation. */
  readonly counted: number;
  /** The chance at which an interval does not hold, on either side. */
  readonly chance: number;
}

/** The ranks between which each percentile lies. @param alike values that together tell as much as one */
const intervalsOf = (count: number, chance: number, alike: number) =>
  QUANTILES.map(({ name, perMille }) => ({ name, ranks: ranksOfQuantile(count, perMille, chance, alike) }));

/** The ranks that the intervals need. @param count of the values */
export const ranksToKnow = (
  count: number,
  { order, counted, chance }: Pick<KnownValues, "order" | "counted" | "chance">,
): number[] =>
  intervalsOf(count, chance, alikeOf(order, count, counted)).flatMap(({ ranks }) =>
    ranks.flatMap((rank) => rank ?? []),
  );

/** @param result as reported @param of its values */
export function exactnessOf(result: MetricResult, { order, ranked, counted, chance }: KnownValues): Exactness {
  const { count, mean } = result;
  if (counted === 0) return {};
  const alike = alikeOf(order, count, counted);
  const wanted = intervalsOf(count, chance, alike).filter(
    ({ name }) => result[name] !== undefined || result.atLeast?.[name] !== undefined,
  );
  const ends = ([low, high]: (typeof wanted)[number]["ranks"]) => [low, high].map((rank) => finite(rank, ranked));
  const independent = Math.max(1, Math.floor(count / alike));
  return omitUndefined<Exactness>({
    independent: independent < count ? independent : undefined,
    intervals: {
      ...(mean !== undefined && {
        mean: ofMean(mean, order, { chance, least: (result.min ?? -1) < 0 ? undefined : 0 }),
      }),
      ...Object.fromEntries(wanted.map(({ name, ranks }) => [name, ends(ranks)])),
    },
  });
}

/** Values that tell as much as one: those of a request or a conversation, or those close in time, whichever are more. */
export const alikeOf = ({ alike }: Pick<InTime, "alike">, count: number, counted: number): number =>
  Math.max(1, alike, count / counted);

function finite(rank: number | undefined, valueAt: (rank: number) => number): number | null {
  const value = rank === undefined ? Number.NaN : valueAt(rank);
  return Number.isFinite(value) ? value : null;
}

/** Student's t; both ends are open where there is one value. @param of what no value is below, where that is known */
function ofMean(
  mean: number,
  { relativeError, freedom }: InTime,
  { chance, least = Number.NEGATIVE_INFINITY }: { readonly chance: number; readonly least?: number | undefined },
): [number | null, number | null] {
  if (freedom < 1) return [null, null];
  const half = tQuantile(1 - chance, freedom) * relativeError * Math.abs(mean);
  return [Math.max(least, mean - half), mean + half];
}
