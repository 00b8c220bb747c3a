/** How large a change must be for a comparison to show it. */

import { normalQuantile } from "../../../lib/normal-quantile.ts";
import { tQuantile } from "../../load/stats/students-t.ts";
import type { Change } from "./change.ts";

/** Of comparisons that would show it, by calculation; simulations with known truth find 94% or more. */
const POWER = 0.98;

/** An interval that is so much wider, and still has both ends, is that of data whose next interval has them too. */
const SAFELY_WIDER = 1.4;
/** Independent blocks from which the error of an interval is known well. */
const KNOWN_WELL = 30;

/**
 * The smallest change that comparisons like this one show at an error level, in 94 of 100 cases at least. It is as far from no
 * change as the interval reaches, and further by what chance does to the next estimate, and to the widths of both intervals: so
 * it is the reach of a wider interval. Where that has no end, as beyond the largest samples, it is that of one less wide, in
 * proportion, if the error is known well. On the scale of the change; infinite where the data does not tell.
 */
export function detectable(change: Change, alpha: number): number {
  const { error } = change;
  const ofEstimate = 1 / tQuantile(1 - alpha / 2, error.freedom);
  const wider = 1 + normalQuantile(POWER) * Math.hypot(ofEstimate, error.relative, error.relative);
  const reach = reachOf(change, alpha, wider);
  if (Number.isFinite(reach) || error.freedom < KNOWN_WELL) return reach;
  return (wider / SAFELY_WIDER) * reachOf(change, alpha, SAFELY_WIDER);
}

function reachOf({ estimate, interval }: Change, alpha: number, wider: number): number {
  const [low, high] = interval(alpha, wider);
  return Math.max(estimate - low, high - estimate);
}
