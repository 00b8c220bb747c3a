/** Axes of a plot: from values to places, and the labelled places in between. */

/** `nines`: shares on the axis of percentiles, where 90 %, 99 % and 99.9 % are equally far apart. */
export type Scale = "linear" | "log" | "nines";

export interface Axis {
  readonly scale: Scale;
  readonly from: number;
  readonly to: number;
  /** Written after the last label; empty for a number of things. */
  readonly unit: string;
  /** What is written, and where, in place of values. */
  readonly names?: readonly (readonly [value: number, name: string])[];
}

/** Width and height of a drawing, whose places are within 0 and this. */
export const SIZE = 1_000;

const nines = (share: number): number => -Math.log10(1 - Math.min(share, 1 - 1e-6));

const scaled = ({ scale }: Axis, value: number): number => {
  if (scale === "nines") return nines(value);
  return scale === "log" ? Math.log(value) : value;
};

/** Where a value lies, from 0 to 1; what is outside lies at the end. */
export function placeOf(axis: Axis, value: number): number {
  const [from, to] = [scaled(axis, axis.from), scaled(axis, axis.to)];
  const place = (scaled(axis, value) - from) / (to - from);
  return Number.isNaN(place) ? 0 : Math.min(1, Math.max(0, place));
}

/** A round step for about so many of them. */
function stepFor(range: number, count: number): number {
  const power = 10 ** Math.floor(Math.log10(range / count));
  const lead = [1, 2, 5, 10].find((each) => each * power * count >= range) ?? 10;
  return lead * power;
}

const LINEAR_TICKS = 4;
/** Of a logarithmic axis of less than a decade, where the labels at its end stand closer together. */
const NARROW_TICKS = 6;

/** An axis from 0 to a round number that is not below any of the values. */
export function fromZero(values: Iterable<number>, unit: string): Axis {
  let most = 0;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, value);
  if (most === 0) return { scale: "linear", from: 0, to: 1, unit };
  // Room for the width of a line at the largest value.
  const step = stepFor(most * 1.02, LINEAR_TICKS);
  return { scale: "linear", from: 0, to: Number((Math.ceil((most * 1.02) / step) * step).toPrecision(12)), unit };
}

/** A logarithmic axis around the values that are above 0. */
export function aroundLog(values: Iterable<number>, unit: string): Axis {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (most === 0) return { scale: "log", from: 1, to: 10, unit };
  return { scale: "log", from: least / 1.05, to: most * 1.05, unit };
}

/** An axis of seconds of a run. */
export const ofTime = (from: number, to: number): Axis => ({ scale: "linear", from, to, unit: "s" });

/** An axis of percentiles up to the last share of a curve. */
export const ofShares = (last: number): Axis => ({ scale: "nines", from: 0, to: Math.max(0.9, last), unit: "" });

export interface Tick {
  readonly at: number;
  readonly label: string;
}

const PERCENTILES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999];

/** The labelled values of an axis, in order; the last has the unit. */
export function ticksOf(axis: Axis): Tick[] {
  if (axis.names !== undefined) return axis.names.map(([value, label]) => ({ at: placeOf(axis, value), label }));
  const values = valuesOf(axis);
  return values.map((value, index) => ({
    at: placeOf(axis, value),
    label:
      axis.scale === "nines"
        ? `p${Number((value * 100).toFixed(2))}`
        : `${short(value)}${index === values.length - 1 && axis.unit !== "" ? ` ${axis.unit}` : ""}`,
  }));
}

function valuesOf(axis: Axis): number[] {
  const { scale, from, to } = axis;
  if (scale === "nines") return PERCENTILES.filter((share) => share <= to + 1e-9);
  if (scale === "linear") return evenly(from, to, LINEAR_TICKS);
  if (to / from < 8) return evenly(from, to, NARROW_TICKS);
  const powers = Array.from(
    { length: Math.ceil(Math.log10(to)) - Math.floor(Math.log10(from)) + 1 },
    (_, index) => Math.floor(Math.log10(from)) + index,
  );
  const leads = powers.length > 4 ? [1] : [1, 2, 5];
  const all = powers
    .flatMap((power) => leads.map((lead) => Number((lead * 10 ** power).toPrecision(3))))
    .filter((value) => value >= from && value <= to);
  const every = Math.ceil(all.length / 6);
  return all.filter((_, index) => index % every === 0);
}

function evenly(from: number, to: number, ticks: number): number[] {
  const step = stepFor(to - from, ticks);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** `1.5k`, `20M`: a label has little room. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(4)));
}
