/** Samples of one side of a comparison, each in one of the blocks of time that a run is divided into. */

/** Samples that have quantiles, and whose blocks can be resampled. */
export interface BlockedSample {
  /** Number of samples. */
  readonly count: number;
  /** Number of samples in each block. */
  readonly sizes: Float64Array;
  /**
   * The value below which a share of the samples lies, by nearest rank. Shares that no sample reaches are those of values
   * that nobody saw: infinite above 1, negatively infinite at 0 and below. NaN of a share that is not known.
   */
  quantile(share: number): number;
  /** In each block, how many of the samples are of the lowest `share` of all; of equal values at its edge, a part each. */
  lowest(share: number): Float64Array;
}

/** How many blocks have samples; the others tell nothing. */
export const occupied = (sizes: Float64Array): number => sizes.reduce((sum, size) => sum + (size > 0 ? 1 : 0), 0);

/** So many thousandths of a sample are no other rank. */
const ROUNDING = 1e-9;

/** The rank, from 1, of a share of so many samples. */
export const rankOf = (share: number, count: number): number => Math.ceil(share * count - ROUNDING);

/** Single values. */
export class ValueSample implements BlockedSample {
  readonly #values: Float64Array;
  readonly #blockOf: Uint8Array;
  readonly #sorted: Float64Array;
  readonly sizes: Float64Array;

  /** @param blockOf the block of each value @param blocks number of blocks, 256 at most */
  constructor(values: Float64Array, blockOf: Uint8Array, blocks: number) {
    this.#values = values;
    this.#blockOf = blockOf;
    this.#sorted = values.slice().sort();
    this.sizes = new Float64Array(blocks);
    for (const block of blockOf) this.sizes[block] = (this.sizes[block] ?? 0) + 1;
  }

  get count(): number {
    return this.#values.length;
  }

  quantile(share: number): number {
    const rank = rankOf(share, this.count);
    if (Number.isNaN(rank)) return rank;
    if (rank < 1) return Number.NEGATIVE_INFINITY;
    return this.#sorted[rank - 1] ?? Number.POSITIVE_INFINITY;
  }

  lowest(share: number): Float64Array {
    const edge = this.quantile(share);
    const below = new Float64Array(this.sizes.length);
    const equal = new Float64Array(this.sizes.length);
    let [countBelow, countEqual] = [0, 0];
    for (let index = 0; index < this.#values.length; index += 1) {
      const value = this.#values[index] ?? Number.NaN;
      const block = this.#blockOf[index] ?? 0;
      if (value < edge) {
        below[block] = (below[block] ?? 0) + 1;
        countBelow += 1;
      } else if (value === edge) {
        equal[block] = (equal[block] ?? 0) + 1;
        countEqual += 1;
      }
    }
    const part = countEqual === 0 ? 0 : (share * this.count - countBelow) / countEqual;
    return below.map((count, block) => count + part * (equal[block] ?? 0));
  }
}
