/**
 * All gaps between chunks of a run, pooled. Gaps are whole microseconds, so counting them by value is exact and takes
 * the same memory for a thousand gaps as for a billion; the few beyond two seconds are kept one by one.
 */

import { Growable } from "./growable.ts";
import { type CurvePoint, curve, type Distribution, describe } from "./quantiles.ts";

const COUNTED_US = 2_000_000;

export class PooledGaps {
  readonly #counts = new Float64Array(COUNTED_US);
  readonly #long = new Growable();
  #count = 0;
  #sumUs = 0;

  /** Adds gaps in whole microseconds. */
  add(gapsUs: readonly number[]): void {
    for (const gap of gapsUs) {
      if (gap < COUNTED_US) this.#counts[gap] = (this.#counts[gap] ?? 0) + 1;
      else this.#long.push(gap);
      this.#sumUs += gap;
    }
    this.#count += gapsUs.length;
  }

  /** Number of gaps longer than `ms`. */
  longerThan(ms: number): number {
    let count = 0;
    for (let us = Math.floor(ms * 1_000) + 1; us < COUNTED_US; us += 1) count += this.#counts[us] ?? 0;
    for (const gap of this.#long.view()) if (gap > ms * 1_000) count += 1;
    return count;
  }

  /** In milliseconds. */
  distribution(): Distribution | undefined {
    return describe(this.#count, this.#sumUs / 1_000, this.#ranked());
  }

  /** In milliseconds. */
  curve(): CurvePoint[] {
    return curve(this.#count, this.#ranked());
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
