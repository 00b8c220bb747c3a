/**
 * The change of a share of units of work between two sides, in points. Shares near 0 and 1 have no normal error, and a
 * resample of no failures has none: so each side's share has Wilson's interval, over as many independent units as the spread
 * of its blocks tells, and the two make one by R. G. Newcombe's method 10 (Statistics in Medicine 17, 1998).
 */

import { type ErrorKnowledge, errorOfBlocks, neighbourFactor } from "../../load/stats/neighbours.ts";
import { tQuantile } from "../../load/stats/students-t.ts";
import { occupied } from "./blocked-sample.ts";
import type { Change } from "./change.ts";

/** Units of work per block: all that were due, and those of them that count. */
export interface BlockedShare {
  readonly part: Float64Array;
  readonly whole: Float64Array;
}

export function shareChange(base: BlockedShare, next: BlockedShare): Change {
  const [ofBase, ofNext] = [estimateOf(base), estimateOf(next)];
  const estimate = ofNext.share - ofBase.share;
  return {
    estimate,
    exact: true,
    error: ofBase.error.relative > ofNext.error.relative ? ofBase.error : ofNext.error,
    interval: (alpha, wider = 1) => {
      const [baseLow, baseHigh] = wilson(ofBase, alpha, wider);
      const [nextLow, nextHigh] = wilson(ofNext, alpha, wider);
      return [
        estimate - Math.hypot(ofNext.share - nextLow, baseHigh - ofBase.share),
        estimate + Math.hypot(nextHigh - ofNext.share, ofBase.share - baseLow),
      ];
    },
  };
}

/** What is known of a share. */
export interface Estimate {
  readonly share: number;
  /** How many independent units would tell as much. */
  readonly independent: number;
  /** How far that is known. */
  readonly error: ErrorKnowledge;
}

function estimateOf({ part, whole }: BlockedShare): Estimate {
  const count = whole.reduce((sum, units) => sum + units, 0);
  const share = count === 0 ? 0 : part.reduce((sum, units) => sum + units, 0) / count;
  const blocks = Math.max(2, occupied(whole));
  const effects = part.map((units, block) => units - share * (whole[block] ?? 0));
  const squares = effects.reduce((sum, effect) => sum + effect ** 2, 0);
  const factor = neighbourFactor(effects);
  const variance = ((squares * blocks) / (blocks - 1) / count ** 2) * factor;
  const ofIndependent = (share * (1 - share)) / count;
  const independent = ofIndependent === 0 ? count : count / Math.max(1, variance / ofIndependent);
  return { share, independent, error: errorOfBlocks(blocks, factor) };
}

/** Wilson's interval of a share. */
export function wilson({ share, independent, error }: Estimate, alpha: number, wider = 1): readonly [number, number] {
  const z = wider * tQuantile(1 - alpha / 2, error.freedom);
  const square = z * z;
  const centre = (share + square / (2 * independent)) / (1 + square / independent);
  const half =
    (z / (1 + square / independent)) *
    Math.sqrt((share * (1 - share)) / independent + square / (4 * independent * independent));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
