/**
 * Which requests a fault hits. `NAME` hits all; `NAME@first:3` the first three of its routes, `NAME@every:5` every
 * fifth, `NAME@after:5s` those that come five seconds or more after it was turned on, `NAME@before:9s` those that come
 * earlier than that, `NAME@header:x-broken=1` those with that header. Several conditions must all hold:
 * `NAME@after:5s@before:9s` is a window in time.
 */

import { parseDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { pick } from "./load-variants.ts";
import type { Fault } from "./variant.ts";

type Headers = Readonly<Record<string, unknown>>;

export interface ActiveFault {
  readonly asked: string;
  readonly fault: Fault;
  /** Whether the next request of its routes is hit; counts the request. */
  readonly hits: (headers: Headers) => boolean;
}

/** One request as a condition sees it: its number from 1, and the time since the fault was turned on. */
interface ConditionInput {
  readonly number: number;
  readonly sinceMs: number;
  readonly headers: Headers;
}
type Condition = (input: ConditionInput) => boolean;

/** Whether it hits every request. */
export const alwaysOn = ({ asked }: ActiveFault): boolean => !asked.includes("@");

/**
 * Reads what was asked for, and turns it on.
 * @throws UsageError for an unknown fault or an unknown condition.
 */
export function activate(
  asked: readonly string[],
  known: readonly Fault[],
  now: () => number = () => performance.now(),
): readonly ActiveFault[] {
  return asked.flatMap((text) => {
    const [name = "", ...rest] = text.split("@");
    // A value of a header may hold an at sign, so a condition begins only where a word and a colon follow one.
    const conditions = rest.length === 0 ? [] : rest.join("@").split(/@(?=[a-z]+:)/);
    return pick("fault", [name], known).map((fault) => ({ asked: text, fault, hits: hitsOf(text, conditions, now) }));
  });
}

function hitsOf(asked: string, conditions: readonly string[], now: () => number): (headers: Headers) => boolean {
  const tests = conditions.map((condition) => conditionOf(asked, condition));
  const onMs = now();
  let number = 0;
  return (headers) => {
    number += 1;
    return tests.every((test) => test({ number, sinceMs: now() - onMs, headers }));
  };
}

function conditionOf(asked: string, condition: string): Condition {
  const [, kind = "", value = ""] = /^([a-z]+):(.+)$/.exec(condition) ?? [];
  const made = CONDITIONS[kind]?.(value);
  if (made !== undefined) return made;
  throw new UsageError(
    `Cannot read the fault "${asked}": "${condition}" says no requests. ` +
      "Write NAME, NAME@first:3, NAME@every:3, NAME@after:5s, NAME@before:9s or NAME@header:x-name=value.",
  );
}

const CONDITIONS: Readonly<Record<string, (value: string) => Condition | undefined>> = {
  first: (value) => counted(value, (count) => (input) => input.number <= count),
  every: (value) => counted(value, (count) => (input) => input.number % count === 0),
  after: (value) => timed(value, (ms) => (input) => input.sinceMs >= ms),
  before: (value) => timed(value, (ms) => (input) => input.sinceMs < ms),
  header: (value) => {
    const [, name, wanted] = /^([^=]+)=(.*)$/.exec(value) ?? [];
    return name === undefined ? undefined : (input) => input.headers[name.toLowerCase()] === wanted;
  },
};

function counted(value: string, make: (count: number) => Condition): Condition | undefined {
  return /^[1-9]\d*$/.test(value) ? make(Number(value)) : undefined;
}

function timed(value: string, make: (ms: number) => Condition): Condition | undefined {
  try {
    return make(parseDuration(value));
  } catch {
    return undefined;
  }
}
