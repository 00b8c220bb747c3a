/**
 * All gaps between chunks of a run, pooled. Gaps are whole microseconds, so counting them by value is exact and takes
 * the same memory for a thousand gaps as for a billion; the few beyond two seconds are counted by value too, in a table that
 * grows with the number of different ones.
 */

import type { CountedGaps } from "../../../formats/records.ts";
import { type CurvePoint, curve, type Distribution, describe } from "./quantiles.ts";

const COUNTED_US = 2_000_000;
const FIRST_US = 1 << 15;

export class PooledGaps {
  /** How often each gap occurred, by its microseconds; as long as the longest of them needs. */
  #counts = new Float64Array(FIRST_US);
  /** How often each of those beyond was added. */
  readonly #long = new Map<number, number>();
  #count = 0;
  #sumUs = 0;
  #error = 0;

  get count(): number {
    return this.#count;
  }

  /** The most by which any of them may be off, as a share of itself; 0 when all were recorded as they were. */
  get error(): number {
    return this.#error;
  }

  /** Adds gaps in whole microseconds. */
  add(gapsUs: readonly number[]): void {
    for (const gap of gapsUs) {
      this.#addTimes(gap, 1);
      this.#sumUs += gap;
    }
    this.#count += gapsUs.length;
  }

  /** Adds gaps out of a histogram. */
  addCounted({ us, n, error }: Pick<CountedGaps, "us" | "n" | "error">): void {
    for (const [index, gap] of us.entries()) {
      const times = n[index] ?? 0;
      if (times > 0) this.#addTimes(gap, times);
      this.#sumUs += gap * times;
      this.#count += times;
    }
    this.#error = Math.max(this.#error, error);
  }

  #addTimes(gap: number, times: number): void {
    if (gap >= COUNTED_US) {
      this.#long.set(gap, (this.#long.get(gap) ?? 0) + times);
      return;
    }
    if (gap >= this.#counts.length) this.#grow(gap);
    this.#counts[gap] = (this.#counts[gap] ?? 0) + times;
  }

  #grow(gap: number): void {
    let length = this.#counts.length;
    while (length <= gap) length *= 2;
    const larger = new Float64Array(Math.min(length, COUNTED_US));
    larger.set(this.#counts);
    this.#counts = larger;
  }

  /**
   * In milliseconds.
   * @param requests number of requests that the gaps are of: gaps of one request are alike, so these are the
   * independent values
   */
  distribution(requests: number): Distribution | undefined {
    return describe(this.#count, this.#sumUs / 1_000, this.#ranked(), requests);
  }

  /** In milliseconds; `requests` as for the distribution. */
  curve(requests: number): CurvePoint[] {
    return curve(this.#count, this.#ranked(), requests);
  }

  /** Values by rank from 1, in milliseconds. Quick when ranks are asked for in ascending order: one walk serves all. */
  #ranked(): (rank: number) => number {
    const long = [...this.#long].sort(([a], [b]) => a - b);
    const counted = this.#count - long.reduce((sum, [, times]) => sum + times, 0);
    let us = -1;
    let passed = 0;
    return (rank) => {
      if (rank > counted) return longAt(long, rank - counted) / 1_000;
      if (rank <= passed) {
        us = -1;
        passed = 0;
      }
      while (passed < rank) {
        us += 1;
        passed += this.#counts[us] ?? 0;
      }
      return us / 1_000;
    };
  }
}

/** The value of a rank, from 1, among ascending values and how often each occurs. */
function longAt(values: readonly (readonly [value: number, times: number])[], rank: number): number {
  let passed = 0;
  for (const [value, times] of values) {
    passed += times;
    if (passed >= rank) return value;
  }
  return Number.NaN;
}
