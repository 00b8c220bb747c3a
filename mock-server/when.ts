/**
 * Which requests a fault hits. `NAME` hits all; `NAME@first=3` the first three of its routes, `NAME@every=5` every
 * fifth, `NAME@after=10` all but the first ten, `NAME@header=x-broken` those that carry the header.
 */

import { UsageError } from "../settings/usage-error.ts";
import { pick } from "./catalogue.ts";
import type { Fault } from "./fault.ts";

type Headers = Readonly<Record<string, unknown>>;

export interface Active {
  readonly asked: string;
  readonly fault: Fault;
  /** Whether the next request of its routes is hit; counts the request. */
  readonly hits: (headers: Headers) => boolean;
}

/** Whether it hits every request. */
export const alwaysOn = ({ asked }: Active): boolean => !asked.includes("@");

/**
 * Reads what was asked for.
 * @throws UsageError for an unknown fault or an unknown condition.
 */
export function activate(asked: readonly string[], known: readonly Fault[]): readonly Active[] {
  return asked.flatMap((text) => {
    const [name = "", ...conditions] = text.split("@");
    return pick("fault", [name], known).map((fault) => ({ asked: text, fault, hits: hitsOf(text, conditions) }));
  });
}

function hitsOf(asked: string, conditions: readonly string[]): (headers: Headers) => boolean {
  let seen = 0;
  const tests = conditions.map((condition) => testOf(asked, condition));
  return (headers) => {
    seen += 1;
    return tests.every((test) => test(seen, headers));
  };
}

function testOf(asked: string, condition: string): (seen: number, headers: Headers) => boolean {
  const [kind, value = ""] = condition.split("=");
  if (kind === "header" && value !== "") return (_, headers) => headers[value.toLowerCase()] !== undefined;
  const count = Number(value);
  if (Number.isInteger(count) && count > 0) {
    if (kind === "first") return (seen) => seen <= count;
    if (kind === "after") return (seen) => seen > count;
    if (kind === "every") return (seen) => seen % count === 0;
  }
  throw new UsageError(
    `Cannot read the fault "${asked}": "${condition}" says no requests. ` +
      "Write NAME, NAME@first=3, NAME@after=3, NAME@every=3 or NAME@header=x-name.",
  );
}
