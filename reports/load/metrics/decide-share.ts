/**
 * Whether a share of units is within its bound, by the exact bounds of a binomial share (Clopper and Pearson) at 95% on
 * either side: a target that fails exactly as often as is allowed is met in at most 5 runs of 100, and missed in at most 5. Pure.
 */

import type { Confidence } from "../../../settings/load/confidence.ts";
import { atLeast, atMost } from "../stats/binomial.ts";

/** Chance of a wrong verdict, on either side, of a target that is at its bound; without one, the figure of the run decides. */
const CHANCES: Readonly<Record<Confidence, number | undefined>> = { "95%": 0.05, "99%": 0.01, none: undefined };

/** The chance of a wrong verdict on either side; that of 95% where the figure of the run decides, for what is shown with it. */
export const chanceOf = (confidence: Confidence = "95%"): number => CHANCES[confidence] ?? 0.05;

/** How sure a verdict is to be. */
export interface Certainty {
  /** How many shares are compared, of which none may be missed by chance; absent: one. */
  readonly tries?: number | undefined;
  /** Absent: 95%. */
  readonly confidence?: Confidence | undefined;
  /** The queue of the target grew: what came later was worse, so that likeness in time is no reason to doubt a miss. */
  readonly grows?: boolean | undefined;
}

/** Units of a run, those of them that count against the objective, and the share of these that it allows. */
export interface Share {
  readonly bad: number;
  readonly count: number;
  readonly allowed: number;
  /** Units that together tell as much as one that is independent; absent: one, so that each is. */
  readonly alike?: number | undefined;
}

/** The same where some units could count against it or not. */
export interface ShareRange extends Omit<Share, "bad"> {
  readonly certain: number;
  readonly possible: number;
}

/** Any number of units decides a bound that allows none or all. */
const isWithoutChance = (allowed: number): boolean => allowed <= 0 || allowed >= 1;

/** So that no product of a share is below the whole number that it stands for. */
const ROUNDING = 1e-9;

/**
 * Whether a share is within its bound. True when its upper confidence bound is, false when its lower one is not, null where the
 * units cannot tell.
 */
export function decideShare(
  { bad, count, allowed, alike = 1 }: Share,
  { tries = 1, confidence = "95%", grows = false }: Certainty = {},
): boolean | null {
  const chance = CHANCES[confidence];
  if (chance === undefined || isWithoutChance(allowed)) return bad <= allowed * count + ROUNDING;
  if (atMost(bad / alike, count / alike, allowed) <= chance) return true;
  // Where not one unit is within the bound, none of them is alike to one that is.
  const together = grows || bad >= count ? 1 : alike;
  return atLeast(bad / together, count / together, allowed) <= chance / tries ? false : null;
}

/** The same where it is within its bound, or is not, whatever is true of the units that are not known. */
export function decideRange({ certain, possible, ...of }: ShareRange, certainty?: Certainty): boolean | null {
  if (of.count === 0) return null;
  if (decideShare({ ...of, bad: possible }, certainty) === true) return true;
  return decideShare({ ...of, bad: certain }, certainty) === false ? false : null;
}

/**
 * Number of units from which a share is within its bound, of a target of which this share of the units is bad. Without any, (1 -
 * allowed)^n <= 0.05; undefined where no number of units that a run has would do.
 */
export const unitsNeeded = (allowed: number, share = 0, confidence: Confidence = "95%"): number | undefined =>
  isWithoutChance(allowed) ? 1 : decidedFrom({ bad: share, count: 1, allowed }, confidence);

/** More than any run has. */
const MOST_UNITS = 1e9;

/** How many more units would decide if the share stayed as it is; undefined where that is more than any run has. */
export function moreUnits(share: Share, confidence: Confidence = "95%"): number | undefined {
  if (share.count === 0) return unitsNeeded(share.allowed, 0, confidence);
  const from = decidedFrom(share, confidence);
  return from === undefined ? undefined : Math.max(0, from - share.count);
}

/** The number of units from which this share of them is decided. */
function decidedFrom({ bad, count, allowed, alike = 1 }: Share, confidence: Confidence): number | undefined {
  const chance = CHANCES[confidence];
  if (chance === undefined) return 1;
  // A whole number is exact.
  if (!(bad > 0)) return Math.ceil((alike * Math.log(chance)) / Math.log1p(-allowed));
  const decides = (units: number): boolean =>
    decideShare({ bad: (bad / count) * units, count: units, allowed, alike }, { confidence }) !== null;
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
  return most;
}
