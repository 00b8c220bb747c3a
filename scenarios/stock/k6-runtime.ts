/** The clock and the state of the run as k6 reports them, and the console for facts: the only reader of `k6/execution`. */

import exec from "k6/execution";
import { type Fact, MARK_VARIABLE } from "./console-facts.ts";
import { startEstimate } from "./start-estimate.ts";

/** Of k6, whose types leave it out. */
declare const console: { log(text: string): void };

const mark = __ENV[MARK_VARIABLE] ?? "assay";

/** Writes a fact. */
export const report = (fact: Fact): void => console.log(`${mark} ${JSON.stringify(fact)}`);

/** True in `setup` and `teardown`, which are not part of the schedule. */
export const isOutsideSchedule = (): boolean => __VU === 0;

let instance: typeof exec.instance | undefined;
let testStartMs: number | undefined;

/** Milliseconds since 1970, finer than Date.now(). k6 reports to the nanosecond how long the test has been running. */
export function nowMs(): number {
  if (isOutsideSchedule()) return Date.now();
  instance ??= exec.instance;
  const ran = instance.currentTestRunDuration;
  testStartMs = startEstimate(testStartMs, Date.now() - ran);
  return testStartMs + ran;
}

/** When the schedule started. */
export const scheduleStartMs = (): number => exec.scenario.startTime;

/** Number of the iteration within the run, from 0. */
export const iteration = (): number => exec.scenario.iterationInTest;

/** Virtual users of the run. */
export const users = (): number => exec.instance.vusInitialized;
