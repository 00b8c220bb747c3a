/**
 * Intervals of several changes, so that two equal sides show any change at all at most with the probability alpha: S. Holm's
 * method (Scandinavian Journal of Statistics 6, 1979).
 */

import type { Change } from "./change.ts";

export interface TestedChange {
  readonly change: Change;
  /** 1 less the confidence of its interval. */
  readonly alpha: number;
  readonly interval: readonly [number, number];
}

/** Whether no change is one of the changes that the data allows. */
export const containsZero = ([low, high]: readonly [number, number]): boolean => low <= 0 && high >= 0;

/**
 * Tests each at alpha divided by the number of changes; those that are changes leave the others a larger part of alpha. The
 * interval of what is no change says what else it may be: it is that of the metric alone, for it raises no alarm.
 * @returns in the order of the changes
 */
export function holm(changes: readonly Change[], alpha: number): readonly TestedChange[] {
  const tested = new Map<Change, TestedChange>();
  let open = changes;
  while (open.length > 0) {
    const each = alpha / open.length;
    for (const change of open) tested.set(change, { change, alpha: each, interval: change.interval(each) });
    const left = open.filter((change) => containsZero(tested.get(change)?.interval ?? [0, 0]));
    if (left.length === open.length) break;
    open = left;
  }
  for (const change of open) {
    const interval = change.interval(alpha);
    if (containsZero(interval)) tested.set(change, { change, alpha, interval });
  }
  return changes.map((change) => tested.get(change) ?? { change, alpha, interval: change.interval(alpha) });
}
