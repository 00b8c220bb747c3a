import { expect, describe as group, test } from "vitest";
import { normalQuantile } from "../../../lib/normal-quantile.ts";
import { draw } from "../../../load/inputs/random.ts";
import { neighbourFactor } from "../../load/stats/neighbours.ts";
import { tQuantile } from "../../load/stats/students-t.ts";
import { BlockResamples } from "./block-resamples.ts";
import { ValueSample } from "./blocked-sample.ts";
import { type Change, logOf } from "./change.ts";
import { detectable } from "./detectable.ts";
import { GapSample } from "./gap-sample.ts";
import { containsZero, holm } from "./holm.ts";
import { percentileEnds, quantileChange, quantileInterval } from "./quantile-change.ts";
import { withRunToRun } from "./run-to-run.ts";
import { shareChange } from "./share-change.ts";

test("quantiles of Student's t are those of tables", () => {
  const table = [
    [0.975, 1, 12.7062],
    [0.975, 2, 4.30265],
    [0.9975, 3, 7.45332],
    [0.975, 4, 2.77645],
    [0.999, 5, 5.89343],
    [0.95, 10, 1.81246],
    [0.9975, 19, 3.17372],
    [0.975, 30, 2.04227],
  ] as const;
  for (const [p, df, value] of table) {
    expect(tQuantile(p, df) / value).toBeCloseTo(1, 3);
    expect(tQuantile(1 - p, df)).toBe(-tQuantile(p, df));
  }
});

group("samples", () => {
  const values = Float64Array.of(4, 1, 3, 2, 2, 5);
  const sample = new ValueSample(values, Uint8Array.of(0, 0, 0, 1, 1, 1), 2);

  test("have quantiles by nearest rank, and none that nobody saw", () => {
    expect([0.1, 0.5, 0.6, 1].map((share) => sample.quantile(share))).toEqual([1, 2, 3, 5]);
    expect([sample.quantile(0), sample.quantile(1.01)]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  test("divide the lowest share among blocks, equal values at its edge in proportion", () => {
    expect([...sample.sizes]).toEqual([3, 3]);
    expect([...sample.lowest(0.5)]).toEqual([1, 2]);
    expect([...sample.lowest(1 / 3)]).toEqual([1, 1]);
  });

  test("of gaps are the same within 0.1%, also of several runs together", () => {
    const [one, two] = [new GapSample(2), new GapSample(2)];
    for (const [index, value] of values.entries()) (index < 3 ? one : two).add(index < 3 ? 0 : 1, value * 1_000);
    const pooled = GapSample.pooled([one, two]);
    for (const share of [0.1, 0.5, 0.6, 1]) expect(pooled.quantile(share) / sample.quantile(share)).toBeCloseTo(1, 3);
    expect([...pooled.lowest(0.5)]).toEqual([...sample.lowest(0.5)]);
    expect(pooled.quantile(1.01)).toBe(Number.POSITIVE_INFINITY);
    const none = new GapSample(1);
    none.add(0, 0);
    expect(none.quantile(0.5)).toBe(0);
  });
});

test("samples of a few blocks only set no bound, as with gaps out of a histogram that was written twice", () => {
  const [base, next] = [new GapSample(40), new GapSample(40)];
  for (const [index, sample] of [base, next].entries()) {
    for (const block of [0, 20]) sample.add(block, 5_000 + 300 * index, 1_000);
  }
  const sides = [base, next].map((sample) => ({ low: sample, high: sample }));
  const [one, two] = sides;
  if (one === undefined || two === undefined) throw new Error("There are no sides.");
  const compared = quantileChange(one, two, 0.5, new BlockResamples(40, 1_000, 1));
  expect(compared.interval(0.05)).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test("the ends of resamples leave alpha beyond them, and an unknown value may be any", () => {
  const values = Float64Array.from({ length: 1_000 }, (_, index) => index);
  expect(percentileEnds(values, 0.05)).toEqual([25, 974]);
  expect(percentileEnds(values.fill(Number.NaN, 0, 30), 0.05)).toEqual([
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
});

test("the interval of a quantile of one side holds it in 95 of 100 runs", () => {
  const resamples = new BlockResamples(30, 500, 1);
  const block = Uint8Array.from({ length: 600 }, (_, index) => Math.floor(index / 20));
  let held = 0;
  for (let run = 0; run < 200; run += 1) {
    const values = Float64Array.from(block, (_, index) => draw(run, index, "value"));
    const low = new ValueSample(values, block, 30);
    const [from, to] = quantileInterval({ low, high: low }, 0.9, resamples, 0.05);
    if (from <= 0.9 && 0.9 <= to) held += 1;
  }
  expect(held).toBeGreaterThanOrEqual(182);
  expect(held).toBeLessThan(200);
});

test("the interval of a quantile has no upper bound where what is not known may lie below it", () => {
  const block = Uint8Array.from({ length: 600 }, (_, index) => Math.floor(index / 20));
  const values = Float64Array.from(block, (_, index) => draw(1, index, "value"));
  const unknown = values.map((value, index) => (index % 4 === 0 ? Number.POSITIVE_INFINITY : value));
  const [low, high] = [values, unknown].map((each) => new ValueSample(each, block, 30));
  if (low === undefined || high === undefined) throw new Error("no samples");
  const resamples = new BlockResamples(30, 500, 1);
  expect(quantileInterval({ low, high: low }, 0.8, resamples, 0.05)[1]).toBeLessThan(Number.POSITIVE_INFINITY);
  expect(quantileInterval({ low, high }, 0.8, resamples, 0.05)[1]).toBe(Number.POSITIVE_INFINITY);
});

test("neighbouring blocks that are alike widen an interval, others do not", () => {
  expect(neighbourFactor([1, -1, 1, -1, 1, -1])).toBe(1);
  expect(neighbourFactor([0, 0, 0])).toBe(1);
  expect(neighbourFactor(Array.from({ length: 40 }, (_, index) => Math.sin(index / 5)))).toBeGreaterThan(5);
});

test("a ramp that is in both sides is no noise", () => {
  const BLOCKS = 40;
  const resamples = new BlockResamples(BLOCKS, 1_000, 1);
  const ramp = (factor: number) => {
    const count = 2_000;
    const values = Float64Array.from(
      { length: count },
      (_, index) => factor * (100 + index) * (1 + 0.01 * Math.sin(index * 12.9898)),
    );
    return new ValueSample(
      values,
      Uint8Array.from(values, (_, index) => Math.floor((index / count) * BLOCKS)),
      BLOCKS,
    );
  };
  const both = (factor: number) => ({ low: ramp(factor), high: ramp(factor) });
  const [low, high] = quantileChange(both(1), both(1.02), 0.5, resamples).interval(0.05);
  expect(low).toBeGreaterThan(0);
  expect(high).toBeLessThan(0.06);
});

group("shares", () => {
  const evenly = (failed: number, due: number) => ({
    part: new Float64Array(40).fill(failed / 40),
    whole: new Float64Array(40).fill(due / 40),
  });
  const ends = (failed: number) => shareChange(evenly(0, 1_000), evenly(failed, 1_000)).interval(0.05);

  test("of no failures on both sides may differ by a little", () => {
    const [low, high] = ends(0);
    expect(low).toBeCloseTo(-0.004, 2);
    expect(high).toBeCloseTo(0.004, 2);
  });

  test("of some failures against none differ", () => {
    expect(ends(40)[0]).toBeGreaterThan(0);
  });

  test("of failures that came together say less than those of failures apart", () => {
    const together = { part: new Float64Array(40).fill(20, 0, 2), whole: new Float64Array(40).fill(25) };
    const [low, high] = shareChange(evenly(0, 1_000), together).interval(0.05);
    const apart = ends(40);
    expect(high - low).toBeGreaterThan(2 * (apart[1] - apart[0]));
  });
});

const change = (estimate: number, half: number): Change => ({
  estimate,
  exact: true,
  error: { freedom: 39, relative: 0.1 },
  // As wide as the normal distribution makes it.
  interval: (alpha, wider = 1) => {
    const reach = (wider * half * normalQuantile(1 - alpha / 2)) / normalQuantile(0.975);
    return [estimate - reach, estimate + reach];
  },
});

group("several metrics", () => {
  test("share the error level; those that changed leave the others more of it", () => {
    const [strong, weak, none] = [change(1, 0.5), change(1, 0.85), change(0, 1)];
    const tested = holm([strong, weak, none], 0.05);
    expect(tested.map(({ alpha }) => Number(alpha.toFixed(4)))).toEqual([0.0167, 0.025, 0.05]);
    expect(tested.map(({ interval }) => containsZero(interval))).toEqual([false, false, true]);
    // Alone, what is no change has the whole level.
    expect(holm([none, none], 0.05)[0]?.alpha).toBe(0.05);
    // Without the first, the second alone is tested with the third, and is shown all the same; with two of no change it is not.
    expect(containsZero(holm([weak, none, none], 0.05)[0]?.interval ?? [0, 0])).toBe(true);
  });

  test("a change that is shown must be larger than the interval reaches", () => {
    expect(detectable(change(0, 0.1), 0.05)).toBeGreaterThan(0.15);
    expect(detectable(change(0, 0.1), 0.05)).toBeLessThan(0.3);
    expect(detectable(change(0, Number.POSITIVE_INFINITY), 0.05)).toBe(Number.POSITIVE_INFINITY);
  });
});

group("several runs", () => {
  test("widen the interval by their spread, with Student's t", () => {
    const [low, high] = withRunToRun(change(0.1, 0.01), [0, 0.2], [0.1, 0.3]).interval(0.05);
    // Variance 0.02 of each run, two per side: error 0.1414, t with 2 degrees of freedom 4.303.
    expect(high - 0.1).toBeCloseTo(0.6085, 3);
    expect(0.1 - low).toBeCloseTo(0.6085, 3);
  });

  test("of which one value is not known set no bound", () => {
    expect(withRunToRun(change(0.1, 0.01), [0, Number.NaN], [0.1]).interval(0.05)).toEqual([
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test("one per side change nothing", () => {
    const single = change(0.1, 0.01);
    expect(withRunToRun(single, [0], [0.1])).toBe(single);
  });
});

test("gaps of 0 have a logarithm", () => {
  expect(logOf(0)).toBe(Math.log(0.001));
  expect(logOf(null)).toBeNaN();
});
