/** What a comparison says of one metric: a change and the interval in which it lies. */

import type { ErrorKnowledge } from "../../load/stats/neighbours.ts";

/** A change, on a scale on which no change is 0: ln(new / base), or new - base. */
export interface Change {
  /** In the middle where only bounds of it are known: see `exact`. */
  readonly estimate: number;
  readonly exact: boolean;
  /** How far the error of the estimate is known. */
  readonly error: ErrorKnowledge;
  /**
   * The interval that holds the change with the confidence 1 - alpha; an end that the data does not bound is infinite.
   * @param wider how many times as wide; absent: once
   */
  interval(alpha: number, wider?: number): readonly [number, number];
}

/** Values below this have its logarithm, so that every ratio exists: a microsecond, of latencies in milliseconds. */
const SMALLEST = 0.001;

/** The logarithm of a value; -Infinity, which stands for one below all that were seen, stays what it is, null is NaN. */
export const logOf = (value: number | null): number => {
  if (value === null) return Number.NaN;
  return value === Number.NEGATIVE_INFINITY ? value : Math.log(Math.max(value, SMALLEST));
};
