/** How late the mock itself was: a histogram of fixed size, so that an hour of streams costs no more than a second. */

/** Neighbouring buckets differ by this factor: the error of a percentile is at most half of it. */
const GROWTH = 1.05;
const SMALLEST_MS = 0.01;
const BUCKETS = 320;

export type LatenessSummary = {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export class Lateness {
  readonly #buckets = new Uint32Array(BUCKETS);
  #count = 0;
  #max = 0;

  add(ms: number): void {
    const at = ms <= SMALLEST_MS ? 0 : Math.ceil(Math.log(ms / SMALLEST_MS) / Math.log(GROWTH));
    const bucket = Math.min(at, BUCKETS - 1);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#count += 1;
    if (ms > this.#max) this.#max = ms;
  }

  clear(): void {
    this.#buckets.fill(0);
    this.#count = 0;
    this.#max = 0;
  }

  summary(): LatenessSummary {
    return { count: this.#count, p50Ms: this.#at(0.5), p99Ms: this.#at(0.99), maxMs: round(this.#max) };
  }

  #at(share: number): number {
    let left = Math.ceil(this.#count * share);
    if (left === 0) return 0;
    for (let i = 0; i < BUCKETS; i++) {
      left -= this.#buckets[i] ?? 0;
      if (left <= 0) return round(Math.min(this.#max, SMALLEST_MS * GROWTH ** i));
    }
    return round(this.#max);
  }
}

/** Three decimals: microseconds. */
export const round = (ms: number): number => Math.round(ms * 1000) / 1000;
