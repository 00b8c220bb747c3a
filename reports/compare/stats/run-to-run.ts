/**
 * The variance from run to run, of which one run per side shows nothing. Two to five runs are too few to be resampled: of two,
 * half of the resamples would be one run twice. So the spread of the values of whole runs, the same on both sides, gives the
 * error of their mean with Student's t, as for any few independent values; within the runs, blocks are resampled.
 */

import { tQuantile } from "../../load/stats/students-t.ts";
import type { Change } from "./change.ts";

/**
 * A change with an interval that holds for further runs: the wider of that within the runs and that of their spread.
 * @param base the value of each run of a side, on the scale of the change
 */
export function withRunToRun(change: Change, base: readonly number[], next: readonly number[]): Change {
  const freedom = base.length + next.length - 2;
  if (freedom === 0) return change;
  const variance = (squaresOf(base) + squaresOf(next)) / freedom;
  const error = Math.sqrt(variance * (1 / base.length + 1 / next.length));
  return {
    ...change,
    error: { freedom, relative: Math.sqrt(1 / (2 * freedom)) },
    interval: (alpha, wider = 1) => {
      const [low, high] = change.interval(alpha, wider);
      const half = wider * tQuantile(1 - alpha / 2, freedom) * error;
      if (Number.isNaN(half)) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      return [Math.min(low, change.estimate - half), Math.max(high, change.estimate + half)];
    },
  };
}

function squaresOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
