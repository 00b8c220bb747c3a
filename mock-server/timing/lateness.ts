/** How late the mock itself was: a histogram of fixed size, so that an hour of streams costs no more than a second. */

/** Neighbouring buckets differ by this factor: the error of a percentile is at most half of it. */
const GROWTH = 1.05;
const SMALLEST_MS = 0.01;
const BUCKETS = 320;
const PER_LOG = 1 / Math.log(GROWTH);
const FIRST = Math.log(SMALLEST_MS) * PER_LOG;

export type LatenessSummary = {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export class Lateness {
  readonly #buckets = new Uint32Array(BUCKETS);
  #max = 0;
  /** The buckets when `recent` was last called, and the largest since. */
  readonly #before = new Uint32Array(BUCKETS);
  #recentMax = 0;

  /** Notes a lateness; a negative one counts as none. */
  add(ms: number): void {
    const at = ms <= SMALLEST_MS ? 0 : Math.ceil(Math.log(ms) * PER_LOG - FIRST);
    const bucket = Math.min(at, BUCKETS - 1);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    if (ms > this.#recentMax) this.#recentMax = ms;
  }

  clear(): void {
    this.#buckets.fill(0);
    this.#before.fill(0);
    this.#max = 0;
    this.#recentMax = 0;
  }

  summary(): LatenessSummary {
    return summaryOf(this.#buckets, Math.max(this.#max, this.#recentMax));
  }

  /** The same, since this was last called. */
  recent(): LatenessSummary {
    const seen = summaryOf(
      this.#buckets.map((count, i) => count - (this.#before[i] ?? 0)),
      this.#recentMax,
    );
    this.#before.set(this.#buckets);
    this.#max = Math.max(this.#max, this.#recentMax);
    this.#recentMax = 0;
    return seen;
  }
}

function summaryOf(buckets: Uint32Array, maxMs: number): LatenessSummary {
  const count = buckets.reduce((sum, one) => sum + one, 0);
  return {
    count,
    p50Ms: at(buckets, count * 0.5, maxMs),
    p99Ms: at(buckets, count * 0.99, maxMs),
    maxMs: round(maxMs),
  };
}

/** The upper end of the bucket in which the one of that rank is. */
function at(buckets: Uint32Array, rank: number, maxMs: number): number {
  let left = Math.ceil(rank);
  if (left === 0) return 0;
  for (let i = 0; i < BUCKETS; i++) {
    left -= buckets[i] ?? 0;
    if (left <= 0) return round(Math.min(maxMs, SMALLEST_MS * GROWTH ** i));
  }
  return round(maxMs);
}

/** Three decimals: microseconds. */
export const round = (ms: number): number => Math.round(ms * 1000) / 1000;
