/**
 * Draws from distributions: each value is the quantile of a number from 0 to 1, so that it depends on the seed and the
 * arrival alone. Pure.
 */

import { type Distribution, MOST_TOKENS } from "../spec/drawn-values.ts";

/** A histogram: values from `from` to `to`, each as likely, up to a share of all of `until`. Ascending; the last `until` is 1. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly until: number;
}

/** A distribution whose file was read. */
export type Drawable = Exclude<Distribution, { readonly kind: "histogram" }> | { readonly bins: readonly Bin[] };

/**
 * The quantile of a distribution, without bounds and not rounded; of `uniform` and histograms a whole number.
 * @param share from 0 (included) to 1 (excluded)
 */
function quantileOf(of: Drawable, share: number): number {
  if ("bins" in of) return inBins(of.bins, share);
  switch (of.kind) {
    case "fixed":
      return of.value;
    case "uniform":
      return of.min + Math.floor(share * (of.max - of.min + 1));
    case "normal":
      return of.mean + of.sd * normalQuantile(share);
    case "lognormal":
      return of.median * Math.exp(of.sigma * normalQuantile(share));
  }
}

/** A number of tokens: a whole number from 1 to a million. */
export const tokensAt = (of: Drawable, share: number): number =>
  Math.min(MOST_TOKENS, Math.max(1, Math.round(quantileOf(of, share))));

/** The longest time that is drawn: a day, in milliseconds. */
const LONGEST_MS = 86_400_000;

/** A time in milliseconds, from 0 to a day. */
export const timeAt = (of: Drawable, share: number): number => Math.min(LONGEST_MS, Math.max(0, quantileOf(of, share)));

function inBins(bins: readonly Bin[], share: number): number {
  let low = 0;
  let high = bins.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bins[middle]?.until ?? 1) > share) high = middle;
    else low = middle + 1;
  }
  const bin = bins[low];
  if (bin === undefined) throw new RangeError("Cannot draw from a histogram: it is empty.");
  const begin = bins[low - 1]?.until ?? 0;
  const within = Math.min(1 - Number.EPSILON, Math.max(0, (share - begin) / (bin.until - begin)));
  return bin.from + Math.floor(within * (bin.to - bin.from + 1));
}

/**
 * The standard normal quantile by Acklam's rational approximation, whose relative error is below 1.2e-9. A share of 0 is
 * taken for half of the smallest that `draw` makes, 2^-33.
 */
export function normalQuantile(share: number): number {
  const p = Math.max(share, 2 ** -33);
  if (p > 1 - TAIL) return -inTail(1 - p);
  return p < TAIL ? inTail(p) : inMiddle(p - 0.5);
}

const TAIL = 0.02425;
const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
];
const B = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1];
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

const inTail = (p: number): number => {
  const q = Math.sqrt(-2 * Math.log(p));
  return polynomial(C, q) / polynomial(D, q);
};

const inMiddle = (q: number): number => (polynomial(A, q * q) * q) / polynomial(B, q * q);

/** The mean of what `tokensAt` draws, over evenly spread shares: close enough for an estimate of a load. */
export function meanTokens(of: Drawable): number {
  const POINTS = 1_000;
  let sum = 0;
  for (let point = 0; point < POINTS; point += 1) sum += tokensAt(of, (point + 0.5) / POINTS);
  return sum / POINTS;
}
