/**
 * The gaps between chunks as samples of a comparison: pooled over all requests, counted by value in each block of time. Values
 * are kept to 0.1%, so that a run of any length takes the same memory.
 */

import { type BlockedSample, rankOf } from "./blocked-sample.ts";

/** The width of a bin, as a share of its value. */
const WIDTH = Math.log1p(0.001);
/** The longest gap that has a bin of its own: three hours, in microseconds. */
const BINS = Math.ceil(Math.log(1.1e10) / WIDTH) + 2;

/** Bin 0 is that of gaps of 0. */
const binOf = (us: number): number => (us < 1 ? 0 : Math.min(BINS - 1, 1 + Math.round(Math.log(us) / WIDTH)));
/** Milliseconds. */
const gapIn = (bin: number): number => (bin === 0 ? 0 : Math.exp((bin - 1) * WIDTH) / 1_000);

export class GapSample implements BlockedSample {
  readonly #bins: Float64Array;
  /** How often each bin was met in each block; none until the first gap of the block. */
  readonly #ofBlock: (Uint32Array | undefined)[];
  readonly sizes: Float64Array;
  count = 0;
  /** Number of gaps up to each bin; made when it is first asked for. */
  #upTo: Float64Array | undefined;

  constructor(blocks: number) {
    this.#bins = new Float64Array(BINS);
    this.#ofBlock = Array.from({ length: blocks });
    this.sizes = new Float64Array(blocks);
  }

  /** The gaps of several samples with the same blocks. */
  static pooled(samples: readonly GapSample[]): GapSample {
    const [only, ...more] = samples;
    if (only !== undefined && more.length === 0) return only;
    const pooled = new GapSample(only?.sizes.length ?? 0);
    for (const sample of samples) {
      for (const [block, bins] of sample.#ofBlock.entries()) {
        for (const [bin, times] of bins?.entries() ?? []) {
          if (times > 0) pooled.#addToBin(block, bin, times);
        }
      }
    }
    return pooled;
  }

  /** Adds gaps of so many microseconds. */
  add(block: number, us: number, times = 1): void {
    this.#addToBin(block, binOf(us), times);
  }

  #addToBin(block: number, bin: number, times: number): void {
    const own = this.#ofBlock[block] ?? new Uint32Array(BINS);
    this.#ofBlock[block] = own;
    own[bin] = (own[bin] ?? 0) + times;
    this.#bins[bin] = (this.#bins[bin] ?? 0) + times;
    this.sizes[block] = (this.sizes[block] ?? 0) + times;
    this.count += times;
    this.#upTo = undefined;
  }

  quantile(share: number): number {
    const rank = rankOf(share, this.count);
    if (Number.isNaN(rank)) return rank;
    if (rank < 1) return Number.NEGATIVE_INFINITY;
    return rank > this.count ? Number.POSITIVE_INFINITY : gapIn(this.#binAt(rank));
  }

  lowest(share: number): Float64Array {
    const edge = this.#binAt(Math.max(1, rankOf(share, this.count)));
    const upTo = this.#sums();
    const below = edge === 0 ? 0 : (upTo[edge - 1] ?? 0);
    const part = (share * this.count - below) / ((upTo[edge] ?? 0) - below);
    return this.sizes.map((_, block) => {
      const own = this.#ofBlock[block];
      if (own === undefined) return 0;
      let sum = part * (own[edge] ?? 0);
      for (let bin = 0; bin < edge; bin += 1) sum += own[bin] ?? 0;
      return sum;
    });
  }

  /** The bin of a rank from 1. */
  #binAt(rank: number): number {
    const upTo = this.#sums();
    let [from, to] = [0, BINS - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((upTo[middle] ?? 0) >= rank) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  #sums(): Float64Array {
    if (this.#upTo !== undefined) return this.#upTo;
    const sums = this.#bins.slice();
    for (let bin = 1; bin < BINS; bin += 1) sums[bin] = (sums[bin] ?? 0) + (sums[bin - 1] ?? 0);
    this.#upTo = sums;
    return sums;
  }
}
