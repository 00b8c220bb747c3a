/**
 * Repeats what the machine of the tests spoiled. A load generator that did not get its processor in time says so
 * (CLIENT-LIMITED), and is right: that is no matter of what a test is about, and repeating it is the only remedy.
 */

import { writeSync } from "node:fs";
import { expect } from "vitest";

/** How often something is tried, before what came of it is taken as it is. */
const ATTEMPTS = 4;

/** Writes to the stream of errors itself: vitest shows what a test prints by itself only if its reporter likes to. */
const toStderr = (line: string): void => void writeSync(2, line);

/**
 * The first result that the machine did not spoil; the last one when it spoiled all of them, which a test must then expect as
 * what it is. Each repetition is printed.
 * @param attempt is told its number, from 1
 * @param spoiledBy why a result does not count; undefined when it does
 */
export async function unspoiled<T>(
  attempt: (number: number) => Promise<T>,
  spoiledBy: (result: T) => string | undefined,
  print: (line: string) => void = toStderr,
): Promise<T> {
  const test = expect.getState().currentTestName ?? "the preparation of a file of tests";
  for (let number = 1; ; number += 1) {
    const result = await attempt(number);
    const why = spoiledBy(result);
    if (number === ATTEMPTS || why === undefined) return result;
    print(`REPEATED ${test}: attempt ${number + 1} of ${ATTEMPTS}, because ${why}\n`);
  }
}
