/** A time is as exact as the readings of the clock at its ends. */

import { expect, describe as group, test } from "vitest";
import { ClockError, eachGap, LATENESS_FACTOR, timeSince } from "./clock-error.ts";

const START = 1_000_000;
const PHASES = { warmup: 0, measure: 0 };

/** Lines of a second each, with the latest wake-up of each in milliseconds. */
function clockOf(...lateMs: readonly number[]): ClockError {
  const lines = lateMs.map((ms, second) => ({
    t: second + 1,
    wakes_us: [40, ms * 1_000],
    offered: PHASES,
    started: PHASES,
  }));
  const clock = new ClockError(lines);
  clock.startAt(START);
  return clock;
}

const late = (ms: number): number => ms * LATENESS_FACTOR;

test("a reading is as late as the wake-ups of its second were, and at its edges as those of the next", () => {
  const clock = clockOf(2, 8, 4);
  expect(clock.at(START + 500)).toBe(late(2));
  expect(clock.at(START + 980)).toBe(late(8));
  expect(clock.at(START + 1_500)).toBe(late(8));
  expect(clock.at(START + 1_020)).toBe(late(8));
  expect(clock.at(START + 2_500)).toBe(late(4));
  expect(clock.at(START + 9_000)).toBe(late(4));
  expect(clock.largest).toBe(late(8));
});

test("the same instants in any order have the same error", () => {
  const clock = clockOf(2, 8, 4);
  const instants = [2_500, 500, 1_500, 980, 520, 2_500, 1_020];
  const alone = instants.map((at) => clockOf(2, 8, 4).at(START + at));
  expect(instants.map((at) => clock.at(START + at))).toEqual(alone);
});

test("of a load generator that measured no wake-ups nothing is known", () => {
  expect(new ClockError([])).toMatchObject({ largest: 0, interruptedMs: 0 });
  expect(new ClockError([]).at(START)).toBe(0);
});

group("a time from one instant to another", () => {
  test("can only be too long, by the lateness at both ends", () => {
    expect(timeSince(clockOf(2, 8, 4), START + 500, 1_000)).toEqual({ low: 1_000 - late(2) - late(8), high: 1_000 });
    expect(timeSince(clockOf(2, 8, 4), START + 500, 1)).toEqual({ low: 0, high: 1 });
  });

  test("in which the process did not run can be all its own", () => {
    expect(timeSince(clockOf(2, 2, 2, 600, 2, 2), START + 2_500, 1_000).low).toBe(0);
    expect(timeSince(clockOf(2, 2, 2, 600, 2, 2), START + 500, 1_000).low).toBe(1_000 - late(2) - late(2));
  });

  test("right after an interruption too, for what waited for it comes at once", () => {
    expect(timeSince(clockOf(2, 2, 2, 600, 2, 2), START + 4_550, 20).low).toBe(0);
    expect(timeSince(clockOf(2, 2, 2, 600, 2, 2), START + 4_700, 20).low).toBeGreaterThan(0);
  });
});

test("a gap can be too long by the lateness at its end, and too short by that at its begin", () => {
  const ranges: unknown[] = [];
  eachGap(clockOf(2, 8), START + 500, [400_000, 600_000, 1_000], (us, { low, high }) => ranges.push([us, low, high]));
  expect(ranges).toEqual([
    [400_000, 397_000, 403_000],
    [600_000, 588_000, 603_000],
    [1_000, 0, 13_000],
  ]);
});
