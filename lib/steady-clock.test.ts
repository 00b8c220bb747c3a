import { afterEach, expect, test, vi } from "vitest";
import { steadyNow } from "./steady-clock.ts";

afterEach(() => void vi.useRealTimers());

test("it shows the time, and goes on when the clock of the machine is set", () => {
  expect(steadyNow()).toBeGreaterThan(Date.parse("2026-01-01"));
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const before = steadyNow();
  for (const [index, stepMs] of [3_600_000, -7_200_000].entries()) {
    vi.setSystemTime(Date.now() + stepMs);
    vi.advanceTimersByTime(5);
    expect(steadyNow() - before).toBeCloseTo(5 * (index + 1), 3);
  }
});
