/** Values with how often each occurs, in ascending order: every figure of them is exact, however many they are. */

import { type CurvePoint, curve, type Distribution, describe, nearestRank } from "./quantiles.ts";

export class Counted {
  readonly #values: Float64Array;
  /** How many are as large as each, or less. */
  readonly #passed: Float64Array;
  readonly #sum: number;
  /** The most by which any of them may be off, as a share of itself; 0 when all were recorded as they were. */
  readonly error: number;

  /**
   * @param values in ascending order
   * @param counts how often each occurs
   */
  constructor(values: ArrayLike<number>, counts: ArrayLike<number>, error = 0) {
    this.#values = Float64Array.from(values);
    this.#passed = new Float64Array(values.length);
    this.error = error;
    let [count, sum] = [0, 0];
    for (let index = 0; index < values.length; index += 1) {
      count += counts[index] ?? 0;
      sum += (values[index] ?? 0) * (counts[index] ?? 0);
      this.#passed[index] = count;
    }
    this.#sum = sum;
  }

  static of(list: Iterable<number>): Counted {
    const sorted = Float64Array.from(list).sort();
    return new Counted(sorted, new Uint8Array(sorted.length).fill(1));
  }

  get count(): number {
    return this.#passed.at(-1) ?? 0;
  }

  /** NaN without any. */
  get mean(): number {
    return this.#sum / this.count;
  }

  /** NaN without any. */
  get max(): number {
    return this.#values.at(-1) ?? Number.NaN;
  }

  /** The value of a rank, from 1; NaN beyond. */
  at(rank: number): number {
    let [low, high] = [0, this.#passed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#passed[middle] ?? 0) < rank) low = middle + 1;
      else high = middle;
    }
    return this.#values[low] ?? Number.NaN;
  }

  /** By nearest rank; NaN without any. */
  quantile(perMille: number): number {
    return this.at(nearestRank(this.count, perMille));
  }

  /** How many are larger. */
  over(limit: number): number {
    return this.countIf((value) => value > limit);
  }

  /** Of how many this is true. @param end each as it is recorded, or the least or the most that it can be */
  countIf(test: (value: number) => boolean, end?: "least" | "most"): number {
    const factor = end === undefined ? 1 : end === "least" ? 1 - this.error : 1 + this.error;
    let [count, before] = [0, 0];
    for (const [index, value] of this.#values.entries()) {
      const passed = this.#passed[index] ?? before;
      if (test(value * factor)) count += passed - before;
      before = passed;
    }
    return count;
  }

  /** @param independent number of independent values among them, which decides how many percentiles are given */
  distribution(independent = this.count): Distribution | undefined {
    return describe(this.count, this.#sum, (rank) => this.at(rank), independent);
  }

  /** `independent` as for the distribution. */
  curve(independent = this.count): CurvePoint[] {
    return curve(this.count, (rank) => this.at(rank), independent);
  }
}
