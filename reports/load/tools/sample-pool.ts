/** A sample of latencies with a mean and percentiles as tools take them: by nearest rank, or interpolated. */

import { PooledGaps } from "../stats/pooled-gaps.ts";
import { nearestRank } from "../stats/quantiles.ts";
import type { Ranks } from "./tool-table.ts";

/** Per mille of each percentile. */
const PER_MILLE = { p50: 500, p95: 950, p99: 990 } as const;
export const STATISTICS = ["mean", "p50", "p95", "p99"] as const;
export type Statistic = (typeof STATISTICS)[number];
export type Statistics = Readonly<Record<Statistic, number>>;

/** In the pool, whose unit is the microsecond, values are kept to a nanosecond: a time per token may be short. */
const PER_MICROSECOND = 1_000;

export class SamplePool {
  readonly #pool = new PooledGaps();

  get count(): number {
    return this.#pool.count;
  }

  /** Adds milliseconds. */
  add(value: number): void {
    this.#pool.addOne(Math.round(value * 1_000 * PER_MICROSECOND));
  }

  /** In milliseconds; undefined without a value. */
  statistics(ranks: Ranks): Statistics | undefined {
    const { count } = this;
    if (count === 0) return undefined;
    const places = Object.values(PER_MILLE).map((perMille) => placeOf(count, perMille, ranks));
    const at = this.#pool.ranked(places.flatMap(({ low, high }) => [low, high]));
    const [p50 = 0, p95 = 0, p99 = 0] = places.map(
      ({ low, high, share }) => (at(low) + (at(high) - at(low)) * share) / PER_MICROSECOND,
    );
    return { mean: this.#pool.mean / PER_MICROSECOND, p50, p95, p99 };
  }
}

/** The ranks, from 1, between which a percentile lies, and how far it is from the lower to the higher. */
function placeOf(count: number, perMille: number, ranks: Ranks) {
  if (ranks === "nearest") {
    const rank = nearestRank(count, perMille);
    return { low: rank, high: rank, share: 0 };
  }
  const place = ((count - 1) * perMille) / 1_000;
  const low = Math.floor(place);
  return { low: low + 1, high: Math.min(count, low + 2), share: place - low };
}
