import { expect, test } from "vitest";
import { exactnessOf } from "./known-figures.ts";

test("the mean of values that cannot be negative is not said to be; that of others is", () => {
  const order = { alike: 40, relativeError: 1.3, freedom: 4 };
  const intervalOf = (min: number) => {
    const result = { unit: "ms", count: 200, mean: 1_300, min, max: 6_000 } as const;
    return exactnessOf(result, { order, ranked: () => Number.NaN, counted: 200, chance: 0.05 }).intervals?.["mean"];
  };
  expect(intervalOf(20)?.[0]).toBe(0);
  expect(intervalOf(-20)?.[0]).toBeLessThan(-2_000);
  expect(intervalOf(20)?.[1]).toBe(intervalOf(-20)?.[1]);
});
