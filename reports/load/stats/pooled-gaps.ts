/**
 * All gaps between chunks of a run, pooled. Gaps are whole microseconds, so counting them by value is exact and takes
 * the same memory for a thousand gaps as for a billion; the few beyond two seconds are kept one by one.
 */

import type { CountedGaps } from "../../../formats/records.ts";
import { FloatVector } from "./float-vector.ts";
import { type CurvePoint, curve, type Distribution, describe } from "./quantiles.ts";

const COUNTED_US = 2_000_000;

export class PooledGaps {
  readonly #counts = new Float64Array(COUNTED_US);
  readonly #long = new FloatVector();
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
      if (gap < COUNTED_US) this.#counts[gap] = (this.#counts[gap] ?? 0) + 1;
      else this.#long.push(gap);
      this.#sumUs += gap;
    }
    this.#count += gapsUs.length;
  }

  /** Adds gaps out of a histogram. */
  addCounted({ us, n, error }: Pick<CountedGaps, "us" | "n" | "error">): void {
    for (const [index, gap] of us.entries()) {
      const times = n[index] ?? 0;
      if (gap < COUNTED_US) this.#counts[gap] = (this.#counts[gap] ?? 0) + times;
      else for (let time = 0; time < times; time += 1) this.#long.push(gap);
      this.#sumUs += gap * times;
      this.#count += times;
    }
    this.#error = Math.max(this.#error, error);
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
    const long = this.#long.sorted();
    const counted = this.#count - long.length;
    let us = -1;
    let passed = 0;
    return (rank) => {
      if (rank > counted) return (long[rank - counted - 1] ?? Number.NaN) / 1_000;
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
