/**
 * Draws from distributions: each value is the quantile of a number from 0 to 1, so that it depends on the seed and the
 * arrival alone. Pure.
 */

import { normalQuantile } from "../../lib/normal-quantile.ts";
import { type Distribution, MOST_TOKENS } from "../../settings/load/drawn-values.ts";

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
      return of.mean + of.sd * normalAt(share);
    case "lognormal":
      return of.median * Math.exp(of.sigma * normalAt(share));
  }
}

/** A share of 0 is taken for half of the smallest that `draw` makes, 2^-33. */
const normalAt = (share: number): number => normalQuantile(Math.max(share, 2 ** -33));

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

/** The mean of what `tokensAt` draws, over evenly spread shares: close enough for an estimate of a load. */
export function meanTokens(of: Drawable): number {
  const POINTS = 1_000;
  let sum = 0;
  for (let point = 0; point < POINTS; point += 1) sum += tokensAt(of, (point + 0.5) / POINTS);
  return sum / POINTS;
}
