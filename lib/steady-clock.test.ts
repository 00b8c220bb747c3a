import { afterEach, expect, test, vi } from "vitest";
import { steadyNow } from "./steady-clock.ts";

afterEach(() => void vi.useRealTimers());

test("it shows the time, and goes on when the clock of the machine is set", () => {
  expect(Math.abs(steadyNow() - Date.now())).toBeLessThan(60_000);
  vi.useFakeTimers({ toFake: ["Date"] });
  const before = steadyNow();
  for (const stepMs of [3_600_000, -7_200_000]) {
    vi.setSystemTime(Date.now() + stepMs);
    expect(steadyNow() - before).toBeGreaterThanOrEqual(0);
    expect(steadyNow() - before).toBeLessThan(60_000);
  }
});
