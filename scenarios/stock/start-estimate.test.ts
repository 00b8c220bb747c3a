import { expect, test } from "vitest";
import { startEstimate } from "./start-estimate.ts";

const HOUR_MS = 3_600_000;

/** Estimates of a clock that is ahead by `aheadMs`, so long after a start at 1,000.75 ms. */
const estimateAt = (ranMs: number, aheadMs = 0): number => Math.floor(1_000.75 + ranMs) + aheadMs - ranMs;

test("the estimate becomes better with each look at a clock of whole milliseconds", () => {
  let known: number | undefined;
  for (let ranMs = 0; ranMs < 20; ranMs += 0.3) known = startEstimate(known, estimateAt(ranMs));
  expect(known).toBeGreaterThan(1_000.65);
  expect(known).toBeLessThanOrEqual(1_000.75);
});

test.each([HOUR_MS, -HOUR_MS])("a clock that is set by %i ms does not move the start", (aheadMs) => {
  const before = startEstimate(undefined, estimateAt(5));
  for (const ranMs of [6.1, 7.2, 8.3]) expect(startEstimate(before, estimateAt(ranMs, aheadMs))).toBe(before);
});
