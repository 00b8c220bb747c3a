/** A sample of latencies with a mean and percentiles as tools take them: by nearest rank, or interpolated. */

import { Counted } from "../stats/counted.ts";
import { nearestRank } from "../stats/quantiles.ts";
import type { Ranks } from "./tool-table.ts";

/** Per mille of each percentile. */
const PER_MILLE = { p50: 500, p95: 950, p99: 990 } as const;
export const STATISTICS = ["mean", "p50", "p95", "p99"] as const;
export type Statistic = (typeof STATISTICS)[number];
export type Statistics = Readonly<Record<Statistic, number>>;

/** Values are told apart to a nanosecond: a time per token may be short. */
const PER_MS = 1_000_000;

export class SamplePool {
  /** How often each value occurs, in nanoseconds. */
  readonly #counts = new Map<number, number>();
  count = 0;

  /** Adds milliseconds. */
  add(value: number): void {
    const own = Math.round(value * PER_MS);
    this.#counts.set(own, (this.#counts.get(own) ?? 0) + 1);
    this.count += 1;
  }

  /** In milliseconds; undefined without a value. */
  statistics(ranks: Ranks): Statistics | undefined {
    const { count } = this;
    if (count === 0) return undefined;
    const ordered = [...this.#counts].sort(([a], [b]) => a - b);
    const pool = new Counted(
      ordered.map(([value]) => value / PER_MS),
      ordered.map(([, times]) => times),
    );
    const [p50 = 0, p95 = 0, p99 = 0] = Object.values(PER_MILLE).map((perMille) => {
      const { low, high, share } = placeOf(count, perMille, ranks);
      return pool.at(low) + (pool.at(high) - pool.at(low)) * share;
    });
    return { mean: pool.mean, p50, p95, p99 };
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
