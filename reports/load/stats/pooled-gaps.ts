/**
 * All gaps between chunks of a run, pooled. Gaps are whole microseconds, so counting them by value is exact and takes
 * the same memory for a thousand gaps as for a billion; those beyond two seconds are counted by value too, in lists that a
 * store keeps once there are many different ones.
 */

import type { CountedGaps } from "../../../formats/records.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { Column } from "./column.ts";
import { inOrderOf } from "./order.ts";
import { PageStore } from "./page-store.ts";
import { type CurvePoint, curve, curveRanks, type Distribution, describe, nearestRank } from "./quantiles.ts";

const COUNTED_US = 2_000_000;
const FIRST_US = 1 << 15;
/** Different gaps beyond those that are counted at once. */
const MOST_AT_ONCE = 1 << 15;

export class PooledGaps {
  /** How often each gap occurred, by its microseconds; as long as the longest of them needs. */
  #counts = new Float64Array(FIRST_US);
  /** How often each of those beyond was added; once they are many, they go to the columns. */
  readonly #long = new Map<number, number>();
  readonly #longUs: Column;
  readonly #longTimes: Column;
  readonly #store: PageStore;
  #count = 0;
  #sumUs = 0;
  #error = 0;

  constructor(store = new PageStore()) {
    this.#store = store;
    this.#longUs = new Column(store);
    this.#longTimes = new Column(store);
  }

  get count(): number {
    return this.#count;
  }

  /** The most by which any of them may be off, as a share of itself; 0 when all were recorded as they were. */
  get error(): number {
    return this.#error;
  }

  /** Adds gaps in whole microseconds. */
  add(gapsUs: readonly number[]): void {
    for (const gap of gapsUs) this.addOne(gap);
  }

  /** Adds a gap in whole microseconds. */
  addOne(gap: number): void {
    this.#addTimes(gap, 1);
    this.#sumUs += gap;
    this.#count += 1;
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

  /** Adds all of another pool. */
  merge(other: PooledGaps): void {
    other.#each((us, times) => this.#addTimes(us, times));
    this.#count += other.#count;
    this.#sumUs += other.#sumUs;
    this.#error = Math.max(this.#error, other.#error);
  }

  #addTimes(gap: number, times: number): void {
    if (gap >= COUNTED_US) {
      this.#long.set(gap, (this.#long.get(gap) ?? 0) + times);
      if (this.#long.size >= MOST_AT_ONCE) this.#keepLong();
      return;
    }
    if (gap >= this.#counts.length) this.#grow(gap);
    this.#counts[gap] = (this.#counts[gap] ?? 0) + times;
  }

  #keepLong(): void {
    for (const [gap, times] of this.#long) {
      this.#longUs.push(gap);
      this.#longTimes.push(times);
    }
    this.#long.clear();
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
    const ranks = [1, this.#count, ...QUANTILES.map(({ perMille }) => nearestRank(this.#count, perMille))];
    return describe(this.#count, this.#sumUs / 1_000, this.ranked(ranks), requests);
  }

  /** In milliseconds; `requests` as for the distribution. */
  curve(requests: number): CurvePoint[] {
    return curve(this.#count, this.ranked(curveRanks(this.#count, requests)), requests);
  }

  /** The mean in milliseconds; NaN without any. */
  get mean(): number {
    return this.#sumUs / 1_000 / this.#count;
  }

  /** Of how many this is true, in milliseconds. @param end each gap as recorded, or the least or the most that it can be */
  countIf(test: (ms: number) => boolean, end: "least" | "most"): number {
    const factor = end === "least" ? 1 - this.#error : 1 + this.#error;
    let count = 0;
    this.#each((us, times) => {
      if (test((us * factor) / 1_000)) count += times;
    });
    return count;
  }

  /** The values of these ranks, from 1, in milliseconds. */
  ranked(ranks: readonly number[]): (rank: number) => number {
    const wanted = Float64Array.from(new Set(ranks)).sort();
    const values = new Map<number, number>();
    let [passed, next] = [0, 0];
    this.#each((us, times) => {
      passed += times;
      for (let rank = wanted[next]; rank !== undefined && rank <= passed; rank = wanted[next]) {
        values.set(rank, us / 1_000);
        next += 1;
      }
    });
    return (rank) => values.get(rank) ?? Number.NaN;
  }

  /** Visits each value with how often it occurs, in ascending order. */
  #each(visit: (us: number, times: number) => void): void {
    for (let us = 0; us < this.#counts.length; us += 1) {
      const times = this.#counts[us] ?? 0;
      if (times > 0) visit(us, times);
    }
    this.#keepLong();
    const take = (row: number) => visit(this.#longUs.at(row), this.#longTimes.at(row));
    inOrderOf((row) => this.#longUs.at(row) / 1_000, this.#longUs.length, take, this.#store);
  }
}
