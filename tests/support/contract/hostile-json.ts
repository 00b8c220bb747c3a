/** JSON that programs trip over, put in the place of values in responses. */

import fc from "fast-check";
import { isObject } from "../../../lib/json.ts";

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** JSON texts: objects without a primitive value, names of inherited members, depth, length, numbers out of range. */
const HOSTILE: readonly string[] = [
  '{"toString":null,"valueOf":null}',
  '{"toString":{},"valueOf":[],"toJSON":1}',
  '{"__proto__":null,"constructor":null}',
  '{"__proto__":{"status":"completed"}}',
  '{"then":1,"length":4294967296}',
  '[{"toString":null},[],null]',
  nested("[", "]", 900),
  nested("[", "]", 5_000),
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  `[${"{},".repeat(5_000)}{}]`,
  `"${"a".repeat(100_000)}"`,
  '"constructor"',
  '"__proto__"',
  '"toString"',
  '"hasOwnProperty"',
  '"\\ud800"',
  '"\\u0000\\u001b[2J\\r\\n##vso[task.complete]\\u202e"',
  '""',
  '".."',
  "1e999",
  "-1e999",
  "-0",
  "0.1",
  "9007199254740993",
  "null",
  "true",
  "[]",
  "{}",
];

/** A hostile JSON text, or any other. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
);

const MARK = "\u0001here\u0001";

/** Levels of a value in which something is replaced: what is below them is kept as it is, and costs no stack. */
const DEEPEST = 50;

/** Replaces one value within a JSON value; `at` says which one, counted from the outside. The outermost is number 0. */
export function replaced(value: unknown, at: number, by: string): string {
  let left = at % count(value, 0);
  const put = (one: unknown, level: number): unknown => {
    if (left === 0) {
      left -= 1;
      return MARK;
    }
    left -= 1;
    if (level === DEEPEST) return one;
    if (Array.isArray(one)) return one.map((item) => put(item, level + 1));
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, put(member, level + 1)]));
  };
  return JSON.stringify(put(value, 0)).replace(JSON.stringify(MARK), () => by);
}

const membersOf = (value: unknown): readonly unknown[] =>
  isObject(value) || Array.isArray(value) ? Object.values(value) : [];

const count = (value: unknown, level: number): number =>
  1 + (level === DEEPEST ? [] : membersOf(value)).reduce<number>((sum, one) => sum + count(one, level + 1), 0);
