/**
 * Stalls of a target that come back at equal distances, as garbage collections and checkpoints do: several streams are silent at
 * once. Moments that chance makes are not equally far apart. Pure.
 */

import type { PeriodicStalls } from "../../../formats/run.ts";
import type { SilentMoment } from "../read/silent-moments.ts";

/** Silences that are tried, as multiples of the mean gap: small ones of another kind may lie between those that come back. */
const TIMES = [5, 10, 20, 40];
/** Fewer moments show no period. */
const LEAST = 5;
/** Share of the distances that must be near their median… */
const REGULAR = 0.8;
/** …within this share of it. */
const NEAR = 0.1;
/** Share of the window that they must span. */
const SPANNED = 0.6;
/** More moments are not listed. */
const MOST_LISTED = 300;
/** A silence of one stream alone may come from the request itself. */
const STREAMS = 2;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * @param moments those after silences of at least so many times the mean gap
 * @param span of the measured window, in milliseconds since 1970
 * @param ownMs what the load generator itself may have added to a gap
 */
export function periodicStallsOf(
  moments: (times: number) => readonly SilentMoment[],
  span: { readonly from: number; readonly to: number },
  ownMs = 0,
): PeriodicStalls | undefined {
  for (const times of TIMES) {
    const found = moments(times).filter(
      ({ endedAt, streams }) => streams >= STREAMS && endedAt >= span.from && endedAt <= span.to,
    );
    if (found.length < LEAST) return undefined;
    const distances = found.slice(1).map(({ endedAt }, index) => endedAt - (found[index]?.endedAt ?? 0));
    const period = median(distances);
    const near = distances.filter((distance) => Math.abs(distance - period) <= NEAR * period).length;
    const spans = distances.reduce((sum, distance) => sum + distance, period) >= SPANNED * (span.to - span.from);
    const stallMs = median(found.map(({ ms }) => ms));
    if (near < REGULAR * distances.length || !spans || stallMs <= 2 * ownMs) continue;
    const endedS = found.map(({ endedAt }) => Math.max(0, (endedAt - span.from) / 1_000));
    return {
      periodS: period / 1_000,
      stallMs,
      count: found.length,
      firstS: endedS[0] ?? 0,
      ...(endedS.length <= MOST_LISTED && { endedS }),
    };
  }
  return undefined;
}
