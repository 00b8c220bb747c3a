import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runnerSize } from "./runner-size.ts";

const error = { count: 1, p50: 0, p99: 0, max: 0 };
const step = {
  streams: 300,
  ttftError: error,
  gapError: error,
  serverGapError: error,
  unmatched: 0,
  validity: "VALID",
};
const calibrated = {
  machine: { cpus: 2, model: "any", memoryGb: 8 },
  trusted: { streams: 300 },
  steps: [step, { ...step, memoryMbPerUser: 4 }],
};

describe("a number of runners left to the calibration", () => {
  test("has head room, and says the arithmetic", () => {
    const { runners, reasons } = runnerSize("auto", 1_000, calibrated);
    expect(runners).toBe(5);
    expect(reasons).toEqual([
      "1000 requests in flight at most / 201 per runner (67% of the 300 streams for which this machine is calibrated) = 5 runners",
    ]);
  });

  test.each([
    ["without a calibration", undefined],
    ["when none of its loads can be trusted", { ...calibrated, trusted: undefined }],
  ])("is refused %s", (_, calibration) => {
    expect(() => runnerSize("auto", 10, calibration)).toThrow(/not calibrated.*assay calibrate.*--runners/);
  });

  test("never gives a runner more than the part of the calibrated load", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 5_000 }), (users, streams) => {
        const { runners } = runnerSize("auto", users, { ...calibrated, trusted: { streams } });
        expect(Math.ceil(users / runners)).toBeLessThanOrEqual(Math.max(1, streams * 0.67));
        expect(runners).toBeLessThanOrEqual(users);
      }),
    );
  });
});

describe("a given number of runners", () => {
  test("is kept, and one that is too small for the calibrated load is said", () => {
    expect(runnerSize(4, 1_000, calibrated)).toMatchObject({ runners: 4, reasons: [] });
    expect(runnerSize(2, 1_000, calibrated).reasons).toEqual([
      "500 requests in flight per runner are more than the 300 streams for which this machine is calibrated: the runners may end CLIENT-LIMITED",
    ]);
  });

  test("gets memory and cores by the calibration: twice the memory per request in flight, cores for its part of the load", () => {
    const { cpuMillis, memoryBytes } = runnerSize(1, 201, calibrated);
    expect(cpuMillis).toBe(2_000);
    expect(memoryBytes).toBe(2 * 2 ** 30);
    expect(runnerSize(1, 1_000, calibrated).memoryBytes).toBe((512 + 2 * 4 * 1_000) * 1e6);
    // A quarter of a megabyte more for each virtual user that waits for a response.
    expect(runnerSize(2, 4_000, calibrated, 1_000).memoryBytes).toBe((512 + 2 * (4 * 2_000 + 0.25 * 500)) * 1e6);
  });

  test("gets two cores and 2 GiB without a calibration", () => {
    expect(runnerSize(3, 600, undefined)).toEqual({ runners: 3, cpuMillis: 2_000, memoryBytes: 2 ** 31, reasons: [] });
  });
});
