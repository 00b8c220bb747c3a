/** The change of an amount per second between two sides, as ln(new / base): a bootstrap in blocks of time. */

import { errorOfBlocks, neighbourFactor, widening } from "../../load/stats/neighbours.ts";
import type { BlockResamples } from "./block-resamples.ts";
import type { Change } from "./change.ts";
import { percentileEnds } from "./quantile-change.ts";

/** An amount per second: its value by the metric's definition, and how it is spread over the blocks. */
export interface BlockedRate {
  readonly value: number;
  readonly amounts: Float64Array;
}

export function rateChange(base: BlockedRate, next: BlockedRate, resamples: BlockResamples): Change {
  const estimate = Math.log(next.value / base.value);
  const ratios = resamples.shares(next.amounts, base.amounts);
  const centre = Math.log(total(next.amounts) / total(base.amounts));
  const variance = neighbourFactor(effectsOf(base, next));
  return {
    estimate,
    exact: true,
    error: errorOfBlocks(resamples.blocks, variance),
    interval: (alpha, wider = 1) => {
      const factor = wider * widening(resamples.blocks, alpha, variance);
      return percentileEnds(
        ratios.map((ratio) => estimate + factor * (Math.log(ratio) - centre)),
        alpha,
      );
    },
  };
}

/** What each block contributes to the logarithm of the ratio. */
function effectsOf({ amounts: base }: BlockedRate, { amounts: next }: BlockedRate): Float64Array {
  const [ofBase, ofNext] = [total(base), total(next)];
  return next.map((amount, block) => amount / ofNext - (base[block] ?? 0) / ofBase);
}

const total = (amounts: Float64Array): number => amounts.reduce((sum, amount) => sum + amount, 0);
