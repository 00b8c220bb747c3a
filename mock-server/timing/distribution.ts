/** Quantities that are fixed or random: `100ms`, `lognormal:100ms,0.5` (median, sigma), `gamma:100ms,2` (mean, CV). */

import { parseDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { Random } from "../base/seeded-random.ts";

/** Draws one value; a fixed quantity ignores its argument. */
export type Draw = (random: Random) => number;

export type DrawUnit = "ms" | "count";

/** Always the same value. */
export const fixed = (value: number): Draw => {
  return () => value;
};

/** Lognormal with the given median; sigma is that of the logarithm. */
export const lognormal = (median: number, sigma: number): Draw => {
  return (random) => median * Math.exp(sigma * normal(random));
};

/** Gamma with the given mean and coefficient of variation. */
export const gamma = (mean: number, cv: number): Draw => {
  const shape = 1 / cv ** 2;
  return (random) => (mean / shape) * standardGamma(shape, random);
};

/**
 * Reads a quantity: a number, a duration such as `20ms`, `lognormal:MEDIAN,SIGMA` or `gamma:MEAN,CV`.
 * @throws UsageError for any other text; `what` names the option in the message
 */
export function parseDraw(what: string, value: string | number, unit: DrawUnit): Draw {
  if (typeof value === "number") return fixed(checked(what, value, String(value)));
  const drawn = /^(lognormal|gamma):([^,]+),(\d+(?:\.\d+)?)$/.exec(value);
  if (drawn === null) return fixed(parseAmount(what, value, unit));
  const [, kind, centre = "", spread = ""] = drawn;
  const width = Number(spread);
  if (!(width > 0)) throw wrong(what, value, unit);
  return (kind === "gamma" ? gamma : lognormal)(parseAmount(what, centre, unit), width);
}

/** A plain number counts tokens; a time other than 0 needs its unit. */
function parseAmount(what: string, text: string, unit: DrawUnit): number {
  if (unit === "count") {
    if (/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return checked(what, Number(text), text);
    throw wrong(what, text, unit);
  }
  try {
    return parseDuration(text);
  } catch {
    throw wrong(what, text, unit);
  }
}

function checked(what: string, value: number, given: string): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`Cannot start the mock: ${what} is ${given}. Give a number of 0 or more.`);
}

function wrong(what: string, given: string, unit: DrawUnit): UsageError {
  const like =
    unit === "ms" ? "20ms, 3s, lognormal:100ms,0.5 or gamma:100ms,2" : "150, lognormal:150,0.5 or gamma:150,2";
  return new UsageError(`Cannot start the mock: ${what} is "${given}". Write it like ${like}.`);
}

/** Box and Muller's standard normal. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Marsaglia and Tsang's method (2000); a shape below 1 is increased by one and the result scaled. */
function standardGamma(shape: number, random: Random): number {
  if (shape < 1) return standardGamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
