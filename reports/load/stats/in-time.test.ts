import { expect, test } from "vitest";
import { INDEPENDENT, KINDS_OF_SERIES } from "../../../tests/support/results/alike-series.ts";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { decideShare } from "../metrics/decide-share.ts";
import { inTime } from "./in-time.ts";
import { ranksOfQuantile } from "./quantile-interval.ts";

test.each([
  ["none", [], 1],
  ["one", [5], 1],
  ["equal ones", Array.from({ length: 90 }, () => 0.1), 1],
  ["ones that only alternate", Array.from({ length: 200 }, (_, index) => index % 2), 1],
])("of %s, each counts", (_, values, alike) => {
  expect(inTime(Float64Array.from(values)).alike).toBe(alike);
});

test("of a level that changes once, hardly any are independent", () => {
  const values = Float64Array.from({ length: 400 }, (_, index) => (index < 200 ? 1 : 2));
  expect(inTime(values).alike).toBeGreaterThanOrEqual(80);
});

test("the mean of a target lies in its interval, also where values are alike", () => {
  const random = randomFrom(47);
  for (const kind of [INDEPENDENT, ...KINDS_OF_SERIES.slice(2, 3)]) {
    const errors = Array.from({ length: 300 }, () => {
      const values = kind.make(600, random);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      // Lognormal of sigma 0.6; a queue at 50%.
      const truth = kind === INDEPENDENT ? Math.exp(0.18) : 2;
      return (mean - truth) / (inTime(values).relativeError * mean);
    });
    const beyond = errors.filter((error) => error > 1.645).length / errors.length;
    expect(beyond, kind.name).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / errors.length));
  }
});

test("the end of an interval is within a bound exactly when the share is decided so", () => {
  for (const [count, perMille, alike] of [
    [59, 950, 1],
    [200, 950, 1],
    [200, 900, 4.5],
    [600, 990, 1],
  ] as const) {
    const [low = 0, high = count + 1] = ranksOfQuantile(count, perMille, 0.05, alike);
    // The bound lies above so many values, and at the next.
    for (let within = 0; within <= count; within += 1) {
      const ok = decideShare({ bad: count - within, count, allowed: 1 - perMille / 1_000, alike });
      expect(ok, `${within} of ${count}`).toBe(within >= high ? true : within < low ? false : null);
    }
  }
});
