import { describe, expect, it } from "vitest";
import { randomOf } from "../base/seeded-random.ts";
import { type DrawUnit, parseDraw } from "./distribution.ts";

const drawn = (text: string, unit: DrawUnit = "ms"): number[] => {
  const draw = parseDraw("a time", text, unit);
  const random = randomOf(1, "test");
  return Array.from({ length: 20_000 }, () => draw(random)).sort((a, b) => a - b);
};
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const deviation = (values: readonly number[]) => Math.sqrt(mean(values.map((x) => (x - mean(values)) ** 2)));

describe("a quantity", () => {
  it.each([
    [100, 100],
    ["100ms", 100],
    ["1.5s", 1500],
    ["2m", 120_000],
    ["0", 0],
  ])("%s is fixed at %i", (given, value) => {
    expect(parseDraw("a time", given, "ms")(Math.random)).toBe(value);
  });

  it("lognormal has the given median and sigma", () => {
    const values = drawn("lognormal:100ms,0.5");
    expect(values[10_000]).toBeGreaterThan(97);
    expect(values[10_000]).toBeLessThan(103);
    expect(deviation(values.map(Math.log))).toBeCloseTo(0.5, 1);
  });

  it.each([
    ["gamma:100ms,0.5", 0.5],
    ["gamma:100ms,2", 2],
  ])("%s has the given mean and CV", (text, cv) => {
    const values = drawn(text);
    expect(mean(values)).toBeGreaterThan(95);
    expect(mean(values)).toBeLessThan(105);
    expect(deviation(values) / mean(values)).toBeCloseTo(cv, 0.9);
  });

  it.each(["", "-5", "5d", "lognormal:100ms", "gamma:100ms,0", "normal:1,2"])("%j is not a quantity", (text) => {
    expect(() => parseDraw("the work", text, "ms")).toThrow("Cannot start the mock: the work is");
  });

  it("a count has no unit of time", () => {
    expect(() => parseDraw("tokens", "150ms", "count")).toThrow("150, lognormal:150,0.5");
  });
});
