/** When a test started, by a clock that shows whole milliseconds and may be set meanwhile. Pure. */

/** What the whole milliseconds of a clock can hide. */
const MOST_AHEAD_MS = 1;

/**
 * The better of two estimates, each the time of the clock less how long the test had been running. Whole milliseconds are never
 * ahead, so that the later one is better; one that is later by more than they can hide is of a clock that was set.
 * @param known the best one so far; undefined before the first
 */
export function startEstimate(known: number | undefined, estimate: number): number {
  if (known === undefined) return estimate;
  return estimate > known && estimate - known <= MOST_AHEAD_MS ? estimate : known;
}
