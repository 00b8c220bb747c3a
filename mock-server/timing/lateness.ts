/** How late the mock wrote chunks: a histogram of fixed size, so that memory does not grow with the length of a run. */

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
  /** The buckets at the last call of `recent`, and the maximum since. */
  readonly #before = new Uint32Array(BUCKETS);
  #recentMax = 0;

  /** Adds a lateness; a negative one counts as 0. */
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

  /** The summary since the last call. */
  recent(): LatenessSummary {
    const recent = summaryOf(
      this.#buckets.map((count, i) => count - (this.#before[i] ?? 0)),
      this.#recentMax,
    );
    this.#before.set(this.#buckets);
    this.#max = Math.max(this.#max, this.#recentMax);
    this.#recentMax = 0;
    return recent;
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

/** The upper bound of the bucket that contains this rank. */
function at(buckets: Uint32Array, rank: number, maxMs: number): number {
  let left = Math.ceil(rank);
  if (left === 0) return 0;
  for (let i = 0; i < BUCKETS; i++) {
    left -= buckets[i] ?? 0;
    if (left <= 0) return round(Math.min(maxMs, SMALLEST_MS * GROWTH ** i));
  }
  return round(maxMs);
}

/** Rounds to microseconds. */
export const round = (ms: number): number => Math.round(ms * 1000) / 1000;
