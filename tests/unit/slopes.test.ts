import { expect, test } from "vitest";
import { draw } from "../../load/inputs/random.ts";
import { grows, type Point, slopeOf } from "../support/soak/slopes.ts";

/** Ten minutes, two points per second. */
const series = (valueAt: (s: number, index: number) => number): Point[] =>
  Array.from({ length: 1_200 }, (_, index) => ({ s: index / 2, value: valueAt(index / 2, index) }));
const noise = (index: number): number => 10 * (draw(1, index, "noise") - 0.5);

test("a growth is found within noise, by its slope per minute", () => {
  const slope = slopeOf(series((s, index) => 200 + s / 20 + noise(index)));
  expect(slope.perMinute).toBeCloseTo(3, 0);
  expect(grows(slope, 1)).toBe(true);
  expect(grows(slope, 10)).toBe(false);
});

test.each([
  ["noise", (_: number, index: number) => 200 + noise(index)],
  ["what grows in the beginning only", (s: number) => Math.min(s, 200)],
  ["a saw, as garbage collection draws it", (s: number) => 100 + (s % 47)],
  ["what shrinks", (s: number) => 500 - s / 10],
  ["what stays the same", () => 37],
])("%s is flat", (_, valueAt) => {
  expect(grows(slopeOf(series(valueAt)), 1)).toBe(false);
});

test("too few points are an error", () => {
  expect(() => slopeOf(series(() => 1).slice(0, 12))).toThrow("Cannot find a slope in 12 points");
});
