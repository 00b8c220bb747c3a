import { describe, expect, test } from "vitest";
import { arrivalPhase, dueBy, phaseAt, stockOptionsOf, ticksOf } from "./arrival-ticks.ts";
import { readLoadSettings } from "./checked-settings.ts";
import { scheduleOf } from "./run-options.ts";

const settings = (more: Readonly<Record<string, string>> = {}) =>
  readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_DURATION: "30s", ...more });
const schedule = (more: Readonly<Record<string, string>> = {}) => scheduleOf("chat", settings(more));
const ticks = (more: Readonly<Record<string, string>> = {}) => ticksOf(schedule(more));
const executorOf = (more: Readonly<Record<string, string>>) =>
  stockOptionsOf("chat", settings(more)).scenarios?.["chat"];

describe("the arrivals that a stock k6 makes", () => {
  test("are those at an even rate, as many as fit", () => {
    expect(ticks({ ASSAY_RATE: "20" })).toEqual({ periodMs: 50, count: 700, warmup: 100 });
    expect(ticks({ ASSAY_RATE: "30", ASSAY_WARMUP: "0" })).toMatchObject({ count: 900, warmup: 0 });
    expect(ticks({ ASSAY_RATE: "0.3", ASSAY_WARMUP: "0", ASSAY_DURATION: "10s" })).toMatchObject({ count: 3 });
    expect(ticks({ ASSAY_RATE: "0.7", ASSAY_WARMUP: "0", ASSAY_DURATION: "3s" })).toMatchObject({ count: 3 });
  });

  test("end with the bound on requests, which the warm-up does not spend", () => {
    expect(ticks({ ASSAY_RATE: "20", ASSAY_MAX_REQUESTS: "30" })).toEqual({ periodMs: 50, count: 130, warmup: 100 });
  });

  test("are nobody's in a closed loop", () => expect(ticks({ ASSAY_VUS: "3" })).toBeUndefined());

  test.each(["poisson", "gamma:2"])("are not %s", (arrival) => {
    expect(() => ticks({ ASSAY_RATE: "20", ASSAY_ARRIVAL: arrival })).toThrow(
      /^Cannot make (poisson|gamma) arrivals with a k6 without Assay's extension.* install Go/,
    );
  });

  test("are not those of a rate that changes", () => {
    expect(() => ticks({ ASSAY_RATE: "10..100" })).toThrow("Cannot make a rate that changes with a k6");
  });

  test("are due from the start on", () => {
    const even = { periodMs: 50, count: 10, warmup: 0 };
    expect([-1, 0, 49.9, 50, 449, 450, 9_999].map((ms) => dueBy(even, ms))).toEqual([0, 1, 1, 2, 9, 10, 10]);
  });
});

describe("what k6 is told", () => {
  test("makes the last arrival for certain, at exactly the rate", () => {
    expect(executorOf({ ASSAY_RATE: "30", ASSAY_MAX_IN_FLIGHT: "70", ASSAY_DRAIN: "0" })).toEqual({
      executor: "constant-arrival-rate",
      rate: 1,
      timeUnit: "33333333ns",
      duration: "35066666667ns",
      preAllocatedVUs: 70,
      maxVUs: 70,
      gracefulStop: "0ns",
    });
  });

  test("lasts the second that k6 asks for at least", () => {
    expect(executorOf({ ASSAY_RATE: "20", ASSAY_WARMUP: "0", ASSAY_MAX_REQUESTS: "2" })).toMatchObject({
      duration: "1000000000ns",
      maxVUs: 2,
    });
  });

  test("is the same as with the extension in a closed loop", () => {
    expect(executorOf({ ASSAY_VUS: "3" })).toMatchObject({ executor: "per-vu-iterations", vus: 3 });
  });
});

describe("the phase of an arrival", () => {
  const run = schedule({ ASSAY_RATE: "20", ASSAY_WARMUP: "1s", ASSAY_DURATION: "2s" });
  const even = ticksOf(run);

  test.each([
    [0, 0.4, "warmup"],
    [19, 1_003, "warmup"],
    [20, 999.6, "measure"],
    [59, 2_951, "measure"],
    [60, 2_999, undefined],
    [15, 1_060, "measure"],
    [40, 2_998, "measure"],
    [40, 2_999.5, undefined],
  ] as const)("number %i, started %d ms into the run: %s", (index, ms, phase) => {
    expect(arrivalPhase(run, even, index, ms)).toBe(phase);
  });

  test("in a closed loop is that of the clock", () => {
    const closed = schedule({ ASSAY_VUS: "2", ASSAY_WARMUP: "1s", ASSAY_DURATION: "2s" });
    expect([999, 1_000, 3_000].map((ms) => arrivalPhase(closed, undefined, 5, ms))).toEqual([
      "warmup",
      "measure",
      undefined,
    ]);
  });

  test("does not bind the requests after its first", () => {
    expect([999, 1_000, 3_000].map((ms) => phaseAt(run, ms))).toEqual(["warmup", "measure", "drain"]);
  });
});
