import { describe, expect, test } from "vitest";
import { formatCancelPoint, parseCancelPoint } from "./cancel-point.ts";
import { formatPollSchedule, parsePollSchedule, waitBeforePoll } from "./poll-schedule.ts";

describe("when a video task is cancelled", () => {
  test.each([
    ["at-once", { kind: "at-once" }, "at-once"],
    [" processing ", { kind: "processing" }, "processing"],
    ["50%", { kind: "progress", progress: 50 }, "50%"],
    ["1500ms", { kind: "time", afterMs: 1_500 }, "1500ms"],
    ["120s", { kind: "time", afterMs: 120_000 }, "2m"],
  ])("%s", (text, point, written) => {
    expect(parseCancelPoint(text)).toEqual(point);
    expect(formatCancelPoint(parseCancelPoint(text))).toBe(written);
  });

  test.each(["", "0%", "101%", "0s", "half", "50", "0.5"])("%s is refused", (text) => {
    expect(() => parseCancelPoint(text)).toThrow();
  });
});

describe("when a video task is polled", () => {
  test.each([
    ["fixed", { kind: "fixed" }, "fixed"],
    ["jitter", { kind: "jitter", share: 0.5 }, "jitter:0.5"],
    ["jitter:20%", { kind: "jitter", share: 0.2 }, "jitter:0.2"],
    ["backoff", { kind: "backoff", factor: 2, mostMs: 60_000 }, "backoff:2,1m"],
    ["backoff:1.5,30s", { kind: "backoff", factor: 1.5, mostMs: 30_000 }, "backoff:1.5,30s"],
  ])("%s", (text, schedule, written) => {
    expect(parsePollSchedule(text)).toEqual(schedule);
    expect(formatPollSchedule(parsePollSchedule(text))).toBe(written);
    expect(parsePollSchedule(written)).toEqual(schedule);
  });

  test.each(["", "fixed:1", "backoff:1", "backoff:2,30s,1", "jitter:2", "never"])("%s is refused", (text) => {
    expect(() => parsePollSchedule(text)).toThrow();
  });

  const waits = (text: string, drawn = 0.5) =>
    [1, 2, 3, 4].map((poll) => waitBeforePoll(parsePollSchedule(text), 1_000, poll, drawn));

  test("waits as long as its schedule says", () => {
    expect(waits("fixed")).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(waits("jitter:20%")).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(waits("jitter:20%", 0)).toEqual([800, 800, 800, 800]);
    expect(waits("backoff:2,5s")).toEqual([1_000, 2_000, 4_000, 5_000]);
    expect(waits("backoff:2,500ms")).toEqual([1_000, 1_000, 1_000, 1_000]);
  });
});
