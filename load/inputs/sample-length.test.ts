/** Distributions by their moments and quantiles, over the numbers that a run draws. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Distribution, formatTokenLengths, parseTokenLengths } from "../../settings/load/drawn-values.ts";
import { parseHistogram } from "./histogram-file.ts";
import { draw } from "./random.ts";
import { type Drawable, meanTokens, timeAt, tokensAt } from "./sample-length.ts";

const COUNT = 20_000;

const drawn = (of: Drawable, seed = 1): number[] =>
  Array.from({ length: COUNT }, (_, index) => tokensAt(of, draw(seed, index, "input tokens 0"))).sort((a, b) => a - b);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: readonly number[]): number => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};
const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0;
/** Within five standard errors: of 1000 such tests about one in 1000 fails by chance. */
const near = (value: number, expected: number, error: number): void =>
  expect(Math.abs(value - expected), `${value} for ${expected}`).toBeLessThan(5 * error + 0.5);

function fixedKind(text: string): Exclude<Distribution, { kind: "histogram" }> {
  const given = parseTokenLengths(text);
  if (given.kind === "histogram") throw new Error("a histogram has a file");
  return given;
}

test("of fixed, every length is the same", () => {
  expect(new Set(drawn(fixedKind("77")))).toEqual(new Set([77]));
});

test("of uniform, lengths are evenly spread, both ends included", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 1_000 }), fc.nat(99), (min, more, seed) => {
      const values = drawn({ kind: "uniform", min, max: min + more }, seed);
      const sd = Math.sqrt(((more + 1) ** 2 - 1) / 12);
      near(mean(values), min + more / 2, sd / Math.sqrt(COUNT));
      expect(values[0]).toBeGreaterThanOrEqual(min);
      expect(values.at(-1)).toBeLessThanOrEqual(min + more);
      expect((values.at(-1) ?? 0) - (values[0] ?? 0)).toBeGreaterThanOrEqual(more * 0.99 - 1);
    }),
    { numRuns: 20, seed: 1 },
  );
});

test("of normal, mean and standard deviation are those that were given, where none is cut at 1", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 5_000 }),
      fc.double({ min: 0, max: 0.2, noNaN: true }),
      fc.nat(99),
      (middle, cv, seed) => {
        const sd = middle * cv;
        const values = drawn({ kind: "normal", mean: middle, sd }, seed);
        near(mean(values), middle, sd / Math.sqrt(COUNT));
        near(deviation(values), sd, sd / Math.sqrt(2 * COUNT));
        near(at(values, 0.975), middle + 1.959964 * sd, (sd * 2.7) / Math.sqrt(COUNT));
        near(at(values, 0.025), middle - 1.959964 * sd, (sd * 2.7) / Math.sqrt(COUNT));
      },
    ),
    { numRuns: 20, seed: 1 },
  );
});

test("of lognormal, median and the spread of the logarithms are those that were given", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 5_000 }),
      fc.double({ min: 0.05, max: 1, noNaN: true }),
      fc.nat(99),
      (median, sigma, seed) => {
        const values = drawn({ kind: "lognormal", median, sigma }, seed);
        near(at(values, 0.5), median, (1.2533 * sigma * median) / Math.sqrt(COUNT));
        const logarithms = values.map(Math.log);
        expect(Math.abs(deviation(logarithms) / sigma - 1)).toBeLessThan(0.05);
      },
    ),
    { numRuns: 20, seed: 1 },
  );
});

test("of a histogram, lengths have their weights", () => {
  const bins = parseHistogram("tokens,count\n10,1\n20..29,2\n# none of these\n30,0\n100,1\n", "f");
  const values = drawn({ bins });
  const share = (matches: (value: number) => boolean): number => values.filter(matches).length / COUNT;
  expect(share((value) => value === 10)).toBeCloseTo(0.25, 1);
  expect(share((value) => value >= 20 && value <= 29)).toBeCloseTo(0.5, 1);
  expect(share((value) => value === 24)).toBeCloseTo(0.05, 1);
  expect(share((value) => value === 100)).toBeCloseTo(0.25, 1);
  expect(values.some((value) => value === 30)).toBe(false);
});

test.each([
  ["", "it has no weight above zero"],
  ["tokens,count\n", "it has no weight above zero"],
  ["5,0", "it has no weight above zero"],
  ["5", "line 1 is not a length and its weight"],
  ["5,1\nx,2", "line 2 is not a length and its weight"],
  ["0,1", "line 1 has no length from 1 to 1000000"],
  ["9..5,1", "line 1 has no length from 1 to 1000000"],
])("the histogram file %j is refused", (text, reason) => {
  expect(() => parseHistogram(text, "lengths.csv")).toThrow(`from lengths.csv: ${reason}`);
});

test("no length is below 1 or above a million, and every one is whole", () => {
  const shares = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const wide: Drawable[] = ["normal:2,900", "lognormal:999999,9", "uniform:1,1000000"].map(fixedKind);
  fc.assert(
    fc.property(fc.constantFrom(...wide), shares, (of, share) => {
      const value = tokensAt(of, share);
      expect(Number.isInteger(value) && value >= 1 && value <= 1_000_000).toBe(true);
    }),
  );
});

test("a time is never below 0, and at most a day", () => {
  expect(timeAt({ kind: "normal", mean: 10, sd: 1_000 }, 0)).toBe(0);
  expect(timeAt({ kind: "lognormal", median: 5_000, sigma: 1 }, 0.5)).toBeCloseTo(5_000, 6);
  expect(timeAt({ kind: "lognormal", median: 5_000, sigma: 9 }, 1 - 2 ** -32)).toBe(86_400_000);
});

test("a normal distribution is finite at both ends of what is drawn", () => {
  const normal: Drawable = { kind: "normal", mean: 100, sd: 10 };
  expect(timeAt(normal, 0)).toBeGreaterThan(30);
  expect(timeAt(normal, 1 - 2 ** -32)).toBeLessThan(170);
});

test("the mean for an estimate is that of what is drawn", () => {
  for (const text of ["normal:512,128", "lognormal:200,0.8", "uniform:1,9", "5"]) {
    const of = fixedKind(text);
    expect(Math.abs(meanTokens(of) / mean(drawn(of)) - 1), formatTokenLengths(of)).toBeLessThan(0.02);
  }
});
