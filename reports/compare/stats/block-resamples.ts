/**
 * Resamples of blocks of time: how often each block is drawn, with replacement, in each of many resamples. One set of draws
 * serves all metrics and both sides of a comparison: their loads are the same, so a block of one side is compared with that
 * of the same time of the other, and what the time of the run causes in both, as a ramp does, is no noise.
 */

import { draw } from "../../../load/inputs/random.ts";

export class BlockResamples {
  /** How often each block is drawn, resample after resample. */
  readonly #times: Uint8Array;
  readonly blocks: number;
  readonly count: number;

  /** @param blocks number of blocks @param count number of resamples */
  constructor(blocks: number, count: number, seed: number) {
    this.blocks = blocks;
    this.count = count;
    this.#times = new Uint8Array(blocks * count);
    for (let index = 0; index < blocks * count; index += 1) {
      const at = index - (index % blocks) + Math.floor(draw(seed, index, "block") * blocks);
      this.#times[at] = (this.#times[at] ?? 0) + 1;
    }
  }

  /** For each resample, the sum of `part` over the sum of `whole`; NaN where the latter is 0. One value per block each. */
  shares(part: Float64Array, whole: Float64Array): Float64Array {
    const shares = new Float64Array(this.count);
    const { blocks } = this;
    for (let resample = 0, at = 0; resample < this.count; resample += 1) {
      let above = 0;
      let below = 0;
      for (let block = 0; block < blocks; block += 1, at += 1) {
        const times = this.#times[at] ?? 0;
        above += times * (part[block] ?? 0);
        below += times * (whole[block] ?? 0);
      }
      shares[resample] = above / below;
    }
    return shares;
  }
}
