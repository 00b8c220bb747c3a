import { expect, test } from "vitest";
import { atLeast, atMost } from "./binomial.ts";

/** The same by its definition: the sum over each number of successes. */
function summed(from: number, to: number, n: number, p: number): number {
  let sum = 0;
  for (let k = from; k <= to; k += 1) {
    let logOf = k * Math.log(p) + (n - k) * Math.log1p(-p);
    for (let i = 1; i <= k; i += 1) logOf += Math.log((n - k + i) / i);
    sum += Math.exp(logOf);
  }
  return sum;
}

test.each([
  [0, 5, 0.01],
  [1, 5, 0.2],
  [2, 300, 0.01],
  [7, 300, 0.01],
  [40, 100, 0.5],
  [99, 100, 0.9],
  [25, 2_000, 0.01],
])("the tails of %i of %i at %d are the sums of their terms", (k, n, p) => {
  expect(atMost(k, n, p)).toBeCloseTo(summed(0, k, n, p), 9);
  expect(atLeast(k, n, p)).toBeCloseTo(summed(k, n, n, p), 9);
});

test("the ends are certain", () => {
  expect([atMost(5, 5, 0.3), atLeast(0, 5, 0.3), atLeast(6, 5, 0.3), atMost(-1, 5, 0.3)]).toEqual([1, 1, 0, 0]);
  expect([atMost(0, 5, 0), atLeast(1, 5, 0), atMost(4, 5, 1), atLeast(5, 5, 1)]).toEqual([1, 0, 0, 1]);
});

test("a million trials need no sum of a million terms", () => {
  expect(atMost(9_900, 1_000_000, 0.01)).toBeCloseTo(0.16, 2);
});
