/** Time and place as k6 tells them, and the console, through which all facts leave: the only reader of `k6/execution`. */

import exec from "k6/execution";
import { type Line, MARK_VARIABLE } from "./console-facts.ts";

/** k6's own; its types leave it out. */
declare const console: { log(text: string): void };

const mark = __ENV[MARK_VARIABLE] ?? "assay";

/** Writes a fact. */
export const say = (line: Line): void => console.log(`${mark} ${JSON.stringify(line)}`);

/** True in `setup` and `teardown`, which no schedule governs. */
export const isOutsideSchedule = (): boolean => __VU === 0;

let instance: typeof exec.instance | undefined;
let testStartMs = Number.NEGATIVE_INFINITY;

/**
 * Milliseconds since 1970, finer than Date.now(). k6 says to the nanosecond how long the test has been running; when it
 * started, whole milliseconds come closer to with each look, because they are never ahead.
 */
export function nowMs(): number {
  if (isOutsideSchedule()) return Date.now();
  instance ??= exec.instance;
  const ran = instance.currentTestRunDuration;
  testStartMs = Math.max(testStartMs, Date.now() - ran);
  return testStartMs + ran;
}

/** When the schedule started. */
export const scheduleStartMs = (): number => exec.scenario.startTime;

/** Number of the iteration within the run, from 0. */
export const iteration = (): number => exec.scenario.iterationInTest;
