/**
 * Where a metric changed for longer. Candidates come from the best division of the values into stretches of equal mean, as least
 * squares with a price per stretch finds it; a candidate stays only if the change between its two stretches is one by the
 * statistics of compare: the wider of what the runs themselves leave open and of how they differ from each other, with Student's t,
 * and wider where neighbours are alike. So a single result that is off is no change, and three are the least that make one.
 */

import { normalQuantile } from "../../lib/normal-quantile.ts";
import { type Change, logOf } from "../compare/stats/change.ts";
import { containsZero } from "../compare/stats/holm.ts";
import { withRunToRun } from "../compare/stats/run-to-run.ts";
import { neighbourFactor } from "../load/stats/neighbours.ts";
import { INTERVAL_ALPHA } from "./value-interval.ts";

/** A value of a result, in the order of time. */
export interface TimedValue {
  readonly value: number;
  /** Its distance to the further end of its interval; 0: not known. */
  readonly half: number;
  /** How late the load generator was, in the unit of the value; of what is no time, 0. */
  readonly error: number;
}

/** A change between two stretches of values. */
export interface Shift {
  /** Number of the first value after it. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
  /** A share of what was before, or a difference. */
  readonly change: number;
  readonly interval: readonly [number, number];
}

export type Scale = "relative" | "points";

/** Fewer values in a row are no stretch. */
const LEAST = 3;
/** In a stretch shorter than this, a few results that are off could make its mean. */
const SHORT = 8;
/** Price of a further stretch, in variances of the noise, per logarithm of the number of values. */
const PRICE = 3;
/** A change below this is not worth a mark, however certain: 1%, or a tenth of a percentage point. */
const SMALLEST: Readonly<Record<Scale, number>> = { relative: Math.log1p(0.01), points: 0.001 };

/**
 * The lasting changes of a metric.
 * @param alpha a steady metric may show any change at most with this probability
 */
export function shiftsIn(values: readonly TimedValue[], scale: Scale, alpha: number): readonly Shift[] {
  const places = Math.max(1, values.length - 2 * LEAST + 1);
  const test = new Test(values, scale, alpha / places);
  let bounds = division(test.scaled);
  for (;;) {
    const tested = bounds.slice(1, -1).map((at, index) => test.shift(bounds[index] ?? 0, at, bounds[index + 2] ?? at));
    const weakest = tested.filter(({ holds }) => !holds).toSorted((a, b) => a.strength - b.strength)[0];
    if (weakest === undefined) return tested.map(({ shift }) => shift);
    bounds = bounds.filter((bound) => bound !== weakest.shift.at);
  }
}

/** Where the stretches begin that divide values best, and where the last one ends. */
function division(values: readonly number[]): readonly number[] {
  const sums = [0];
  const squares = [0];
  for (const [index, value] of values.entries()) {
    sums.push((sums[index] ?? 0) + value);
    squares.push((squares[index] ?? 0) + value * value);
  }
  const of = (list: readonly number[], from: number, to: number) => (list[to] ?? 0) - (list[from] ?? 0);
  const cost = (from: number, to: number) => of(squares, from, to) - of(sums, from, to) ** 2 / (to - from);
  const price = PRICE * Math.log(Math.max(2, values.length)) * noise(values) ** 2;
  const best = [-price];
  const last = [0];
  for (let to = 1; to <= values.length; to += 1) {
    best[to] = Number.POSITIVE_INFINITY;
    for (let from = 0; from <= to - LEAST; from += 1) {
      const total = (best[from] ?? 0) + cost(from, to) + price;
      if (total >= (best[to] ?? 0)) continue;
      best[to] = total;
      last[to] = from;
    }
  }
  const bounds = [values.length];
  for (let at = values.length; at > 0; at = last[at] ?? 0) bounds.unshift(last[at] ?? 0);
  return bounds;
}

/** Of normally distributed values, their standard deviation is so many times the median of its size. */
const OF_MEDIAN = 1.4826;

/** The standard deviation of values around a mean that jumps, from the differences of neighbours. */
function noise(values: readonly number[]): number {
  const sizes = values
    .slice(1)
    .map((value, index) => Math.abs(value - (values[index] ?? 0)))
    .toSorted((a, b) => a - b);
  return (OF_MEDIAN / Math.SQRT2) * (sizes[sizes.length >> 1] ?? 0);
}

interface Tested {
  readonly shift: Shift;
  readonly holds: boolean;
  /** How far it is from no change, in halves of its interval. */
  readonly strength: number;
}

class Test {
  readonly #values: readonly TimedValue[];
  readonly #scale: Scale;
  readonly #alpha: number;
  /** On the scale on which changes add up. */
  readonly scaled: readonly number[];

  constructor(values: readonly TimedValue[], scale: Scale, alpha: number) {
    this.#values = values;
    this.#scale = scale;
    this.#alpha = alpha;
    this.scaled = values.map(({ value }) => (scale === "relative" ? logOf(value) : value));
  }

  shift(from: number, at: number, to: number): Tested {
    const [base, next] = [this.scaled.slice(from, at), this.scaled.slice(at, to)];
    const [before, after] = [mean(base), mean(next)];
    const alike = neighbourFactor([...base.map((value) => value - before), ...next.map((value) => value - after)]);
    const change = withRunToRun(this.#withinRuns(from, at, to, after - before), base, next);
    const interval = change.interval(this.#alpha, Math.sqrt(alike));
    const back = (value: number) => (this.#scale === "relative" ? Math.expm1(value) : value);
    const size = Math.abs(change.estimate);
    const ofScale = (value: number) => (this.#scale === "relative" ? Math.exp(value) : value);
    const farthest = Math.max(...interval.map((end) => Math.abs(back(end)))) * ofScale(before);
    return {
      shift: {
        ...{ at, before: ofScale(before), after: ofScale(after), change: back(change.estimate) },
        interval: [back(interval[0]), back(interval[1])],
      },
      holds:
        !containsZero(interval) &&
        size >= SMALLEST[this.#scale] &&
        farthest >= this.#error(from, to) &&
        areApart(base, next, (before + after) / 2),
      strength: size / Math.max(Number.MIN_VALUE, (interval[1] - interval[0]) / 2),
    };
  }

  /** The change between the means of two stretches, as far as each run tells its own value. */
  #withinRuns(from: number, at: number, to: number, estimate: number): Change {
    const halves = this.#values.map(({ value, half }) =>
      this.#scale === "relative" ? Math.log1p(half / Math.max(value, Number.MIN_VALUE)) : half,
    );
    const ofMean = (side: readonly number[]) => Math.hypot(...side) / side.length;
    const known = Math.hypot(ofMean(halves.slice(from, at)), ofMean(halves.slice(at, to)));
    const error = known / normalQuantile(1 - INTERVAL_ALPHA / 2);
    return {
      estimate,
      exact: true,
      error: { freedom: to - from, relative: 0 },
      interval: (alpha, wider = 1) => {
        const half = wider * error * normalQuantile(1 - alpha / 2);
        return [estimate - half, estimate + half];
      },
    };
  }

  /** How late the load generator usually was in these runs. */
  #error(from: number, to: number): number {
    const errors = this.#values
      .slice(from, to)
      .map(({ error }) => error)
      .toSorted((a, b) => a - b);
    return errors[errors.length >> 1] ?? 0;
  }
}

/** Whether all values of a short stretch are on its side of the middle. */
function areApart(base: readonly number[], next: readonly number[], middle: number): boolean {
  const isUp = mean(next) > mean(base);
  const isOn = (side: readonly number[], above: boolean) =>
    side.length >= SHORT || side.every((value) => (above ? value >= middle : value <= middle));
  return isOn(base, !isUp) && isOn(next, isUp);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
