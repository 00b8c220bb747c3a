/** The interval in which a percentile of the target lies, from the order statistics of a sample. Pure. */

import { atLeast, atMost } from "./binomial.ts";

/** An end that the sample does not tell is undefined. */
export type Interval = readonly [number | undefined, number | undefined];

/**
 * The ranks, from 1, between which a percentile lies: below the lower one, and above the upper one, with a chance of `chance` at most.
 * Of so many values that are alike, the number that tell as much counts. It is the rule by which a share is decided, so that a bound
 * is met where the upper end is within it.
 * @param alike values that together tell as much as one that is independent
 */
export function ranksOfQuantile(count: number, perMille: number, chance: number, alike = 1): Interval {
  const [independent, share] = [count / alike, perMille / 1_000];
  // The value of a rank is beyond the percentile when no more than the values before it are within.
  const isBelow = (rank: number): boolean => atMost((rank - 1) / alike, independent, share) <= chance;
  const isAbove = (rank: number): boolean => atLeast(rank / alike, independent, share) <= chance;
  const low = firstRank(count, (rank) => !isBelow(rank)) - 1;
  const high = firstRank(count, isAbove);
  return [low < 1 ? undefined : low, high > count ? undefined : high];
}

/** The first rank from 1 of which something is true, and of all after it; the number of ranks and one where it is of none. */
function firstRank(count: number, isTrue: (rank: number) => boolean): number {
  let [from, to] = [1, count + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isTrue(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
