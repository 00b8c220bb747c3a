import { expect, test } from "vitest";
import { formatGivenRate, formatValue } from "./numbers.ts";

test.each([
  [1 / 60, "0.0167/s"],
  [0.125, "0.125/s"],
  [20, "20/s"],
  [59.5 / 3, "19.83/s"],
  [12_345, "12,345/s"],
  [0, "0/s"],
])("the rate %d is written as %s", (rate, text) => {
  expect(formatValue(rate, "1/s")).toBe(text);
});

test.each([
  [1 / 60, "0.0167"],
  [1_500, "1500"],
  [12.5, "12.5"],
])("the given rate %d is written as %s", (rate, text) => {
  expect(formatGivenRate(rate)).toBe(text);
});
