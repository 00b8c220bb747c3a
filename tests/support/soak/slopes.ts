/** Whether something grows: the slope of a series over its later part, and how far noise alone could move it. Pure. */

/** A value at a time in seconds. */
export interface Point {
  readonly s: number;
  readonly value: number;
}

export interface Slope {
  /** Per minute. */
  readonly perMinute: number;
  /** Standard error of it, per minute. */
  readonly noise: number;
  readonly first: number;
  readonly last: number;
}

/** The first part of a run fills pools, the heap, and the requests that the mock keeps: the last 20,000. */
const SETTLED_FROM = 0.6;

/** Means of consecutive parts are compared, because neighbouring samples are correlated. */
const PARTS = 10;

/** Standard errors by which a slope must exceed its bound to count as growth. */
const CERTAIN = 3;

/** The slope of least squares through the means of the parts of a series. @throws RangeError with fewer points than parts */
export function slopeOf(points: readonly Point[]): Slope {
  const settled = points.slice(Math.floor(points.length * SETTLED_FROM));
  if (settled.length < PARTS)
    throw new RangeError(`Cannot find a slope in ${points.length} points; sample for longer.`);
  const parts = Array.from({ length: PARTS }, (_, index) =>
    settled.slice(Math.floor((index * settled.length) / PARTS), Math.floor(((index + 1) * settled.length) / PARTS)),
  ).map((part) => ({ s: mean(part.map(({ s }) => s)), value: mean(part.map(({ value }) => value)) }));
  const s = mean(parts.map((part) => part.s));
  const value = mean(parts.map((part) => part.value));
  const spread = parts.reduce((sum, part) => sum + (part.s - s) ** 2, 0);
  const perSecond = parts.reduce((sum, part) => sum + (part.s - s) * (part.value - value), 0) / spread;
  const residual = parts.reduce((sum, part) => sum + (part.value - value - perSecond * (part.s - s)) ** 2, 0);
  return {
    perMinute: perSecond * 60,
    noise: Math.sqrt(residual / (PARTS - 2) / spread) * 60,
    first: settled[0]?.value ?? Number.NaN,
    last: settled.at(-1)?.value ?? Number.NaN,
  };
}

/** Whether a slope is above a bound, whatever the noise. */
export const grows = ({ perMinute, noise }: Slope, mostPerMinute: number): boolean =>
  perMinute - CERTAIN * noise > mostPerMinute;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
