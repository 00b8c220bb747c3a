/**
 * Whether a share of units is within its bound, by the exact bounds of a binomial share (Clopper and Pearson) at 95% on
 * either side: a target that fails exactly as often as is allowed is met in at most 5 runs of 100, and missed in at most 5. Pure.
 */

import { atLeast, atMost } from "../stats/binomial.ts";

/** Chance of a wrong verdict, on either side, of a target that is at its bound. */
export const CHANCE = 0.05;

/** Units of a run, those of them that count against the objective, and the share of these that it allows. */
export interface Share {
  readonly bad: number;
  readonly count: number;
  readonly allowed: number;
}

/** Any number of units decides a bound that allows none or all. */
const isWithoutChance = (allowed: number): boolean => allowed <= 0 || allowed >= 1;

/**
 * Whether a share is within its bound. True when its upper confidence bound is, false when its lower one is not, null where the
 * units cannot tell.
 * @param tries how many shares are compared, of which none may be missed by chance
 */
export function decideShare({ bad, count, allowed }: Share, tries = 1): boolean | null {
  if (isWithoutChance(allowed)) return bad <= allowed * count;
  if (atMost(bad, count, allowed) <= CHANCE) return true;
  return atLeast(bad, count, allowed) <= CHANCE / tries ? false : null;
}

/**
 * Number of units from which a share without a bad unit is within its bound: so many that a target whose units are bad with the
 * probability `allowed` shows none at most five times in a hundred, (1 - allowed)^n <= 0.05.
 */
export const unitsNeeded = (allowed: number): number =>
  isWithoutChance(allowed) ? 1 : Math.ceil(Math.log(CHANCE) / Math.log1p(-allowed));

/** More than any run has. */
const MOST_UNITS = 1e9;

/** How many more units would decide if the share stayed as it is; undefined where that is more than any run has. */
export function moreUnits({ bad, count, allowed }: Share): number | undefined {
  if (!(bad > 0)) return Math.max(0, unitsNeeded(allowed) - count);
  const decides = (units: number): boolean =>
    decideShare({ bad: (bad / count) * units, count: units, allowed }) !== null;
  let most = count;
  while (!decides(most)) {
    most *= 2;
    if (most > MOST_UNITS) return undefined;
  }
  let least = Math.floor(most / 2);
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (decides(middle)) most = middle;
    else least = middle;
  }
  return most - count;
}
