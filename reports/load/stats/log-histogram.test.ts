import fc from "fast-check";
import { expect, test } from "vitest";
import { LogHistogram } from "./log-histogram.ts";
import { quantile } from "./quantiles.ts";

const of = (values: Iterable<number>): LogHistogram => {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
};

const someValues = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 50 });

test("a quantile is that of the values, within 1.6 %", () => {
  fc.assert(
    fc.property(someValues, fc.integer({ min: 1, max: 1_000 }), (values, perMille) => {
      const exact = quantile(Float64Array.from(values).sort(), perMille);
      expect(Math.abs(of(values).quantile(perMille / 1_000) - exact)).toBeLessThanOrEqual(exact * 0.016);
    }),
    { seed: 1 },
  );
});

test("each value is in one class, however many classes are joined", () => {
  fc.assert(
    fc.property(someValues, fc.constantFrom(1, 4, 32), (values, joined) => {
      const classes = [...of(values).classes(joined)];
      const expected = classes.map(({ from, to }) => values.filter((value) => value >= from && value < to).length);
      expect(classes.map(({ count }) => count)).toEqual(expected);
      expect(expected.reduce((sum, count) => sum + count, 0)).toBe(values.length);
    }),
    { seed: 1 },
  );
});

test("merging is adding", () => {
  fc.assert(
    fc.property(someValues, someValues, (some, others) => {
      const merged = of(some);
      merged.merge(of(others));
      const all = of([...some, ...others]);
      expect([...merged.classes()]).toEqual([...all.classes()]);
      expect([merged.count, merged.max]).toEqual([all.count, all.max]);
    }),
    { seed: 1 },
  );
});

test("a value beyond half an hour is the largest, and none has no quantile", () => {
  expect(of([5e9]).max).toBe(5e9);
  expect(of([]).quantile(0.5)).toBeNaN();
});
