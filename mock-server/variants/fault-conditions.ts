/**
 * The requests that a fault applies to: `NAME` to all of its routes, `NAME@CONDITION` to some of them. Several
 * conditions must all hold: `NAME@after:5s@before:9s` is a window in time. Counted are requests in whose responses the
 * fault shows: `embeddings-float-base64@every:5` breaks every fifth response with floats.
 */

import { parseDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { faultNamed } from "./all-variants.ts";
import type { Fault } from "./variant.ts";

type Headers = Readonly<Record<string, unknown>>;

export interface ActiveFault {
  /** Name and conditions as the user wrote them. */
  readonly text: string;
  readonly fault: Fault;
  /** Whether the fault applies to the next request of its routes; counts the request. */
  readonly hits: (headers: Headers) => boolean;
}

/** One request as a condition sees it: its number from 1 among those that the fault would show in, and the time since the fault was turned on. */
interface ConditionInput {
  readonly number: number;
  readonly sinceMs: number;
  readonly headers: Headers;
}
type Condition = (input: ConditionInput) => boolean;

/** Whether the fault applies to every request. */
export const alwaysOn = ({ text }: ActiveFault): boolean => !text.includes("@");

/**
 * Reads faults with their conditions, and turns them on.
 * @throws UsageError for an unknown fault or an unknown condition
 */
export function activate(
  texts: readonly string[],
  now: () => number = () => performance.now(),
): readonly ActiveFault[] {
  return texts.map((text) => {
    const [name = "", ...rest] = text.split("@");
    // A value of a header may contain an at sign, so a condition begins only where a word and a colon follow one.
    const conditions = rest.length === 0 ? [] : rest.join("@").split(/@(?=[a-z]+:)/);
    return { text, fault: faultNamed(name), hits: hitsOf(text, conditions, now) };
  });
}

function hitsOf(text: string, conditions: readonly string[], now: () => number): (headers: Headers) => boolean {
  const tests = conditions.map((condition) => conditionOf(text, condition));
  const onMs = now();
  let number = 0;
  return (headers) => {
    number += 1;
    return tests.every((test) => test({ number, sinceMs: now() - onMs, headers }));
  };
}

function conditionOf(text: string, condition: string): Condition {
  const [, name = "", value = ""] = /^([a-z]+):(.+)$/.exec(condition) ?? [];
  const made = Object.hasOwn(CONDITIONS, name) ? CONDITIONS[name]?.read(value) : undefined;
  if (made !== undefined) return made;
  const examples = Object.values(CONDITIONS).map(({ example }) => `NAME@${example}`);
  throw new UsageError(
    `Cannot read the fault "${text}": "${condition}" is not a condition. ` +
      `Write NAME, ${examples.slice(0, -1).join(", ")} or ${examples.at(-1)}.`,
  );
}

/** Every condition, with an example of it and what the example means. */
export const CONDITIONS: Readonly<
  Record<string, { example: string; about: string; read: (value: string) => Condition | undefined }>
> = {
  first: {
    example: "first:3",
    about: "the first three requests in whose responses the fault shows",
    read: (value) => counted(value, (count) => (input) => input.number <= count),
  },
  every: {
    example: "every:5",
    about: "every fifth request in whose response the fault shows",
    read: (value) => counted(value, (count) => (input) => input.number % count === 0),
  },
  after: {
    example: "after:5s",
    about: "requests that arrive 5 s or more after the fault was turned on",
    read: (value) => timed(value, (ms) => (input) => input.sinceMs >= ms),
  },
  before: {
    example: "before:9s",
    about: "requests that arrive less than 9 s after the fault was turned on",
    read: (value) => timed(value, (ms) => (input) => input.sinceMs < ms),
  },
  header: {
    example: "header:x-broken=1",
    about: "requests with that header",
    read: (value) => {
      const [, name, wanted] = /^([^=]+)=(.*)$/.exec(value) ?? [];
      return name === undefined ? undefined : (input) => input.headers[name.toLowerCase()] === wanted;
    },
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
