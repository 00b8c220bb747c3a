/** Checks a JSON answer against fields that are given as data, and says in a sentence what is wrong. Pure. */

import type { Expectation } from "k6/x/assay";
import { FIELD_TYPE_NAMES, type Field } from "../../contract/fields.ts";
import { isObject } from "../../lib/json.ts";
import { kindOf, raw } from "./detail-text.ts";

/** A member's name, or null for every item of an array. */
type Step = string | null;
/** Says what is wrong with the value at a path; empty when nothing is. */
type Check = (at: string, value: unknown) => string;

/** `choices[].message.content` → its steps. */
export const stepsOf = (path: string): readonly Step[] =>
  path
    .split(".")
    .flatMap((part): Step[] => [part.replace(/(\[\])+$/, ""), ...(part.match(/\[\]/g) ?? []).map(() => null)]);

/** The value at a path without `[]`; undefined when it is missing or null. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const step of stepsOf(path)) value = isObject(value) && step !== null ? value[step] : undefined;
  return value ?? undefined;
}

/**
 * What the answer lacks, in a sentence; empty when it holds all that is expected.
 * @param items inputs of the request; undefined when it had none to count.
 */
export function problemOf(root: unknown, expectation: Expectation, items: number | undefined): string {
  if (!isObject(root)) return `The answer is ${kindOf(root)}, where an object was expected.`;
  const { fields, variants, nonEmpty = [], equalLengths, counted } = expectation;
  const variant = variants === undefined ? undefined : valueAt(root, variants.by);
  const further = typeof variant === "string" ? (variants?.fields[variant] ?? []) : [];
  for (const field of [...fields, ...further]) {
    const wrong = visit(root, stepsOf(field.path), "", (at, value) => fieldProblem(field, at, value));
    if (wrong !== "") return wrong;
  }
  for (const path of nonEmpty) {
    const wrong = visit(root, stepsOf(path), "", emptiness);
    if (wrong !== "") return wrong;
  }
  const uneven = equalLengths === undefined ? "" : visit(root, stepsOf(equalLengths), "", sameLength());
  if (uneven !== "" || counted === undefined || items === undefined) return uneven;
  return visit(root, stepsOf(counted), "", (at, value) =>
    lengthOf(value) === items ? "" : `${at} has ${lengthOf(value)} items, where ${items} were expected, one an input.`,
  );
}

/** Checks every value that the steps lead to; a missing one is checked as undefined, items of what is no array are not. */
function visit(value: unknown, [step, ...rest]: readonly Step[], at: string, check: Check): string {
  if (step === undefined) return check(at, value);
  if (step !== null) {
    const member = isObject(value) ? value[step] : undefined;
    return visit(member, rest, at === "" ? step : `${at}.${step}`, check);
  }
  for (const [index, item] of (Array.isArray(value) ? value : []).entries()) {
    const wrong = visit(item, rest, `${at}[${index}]`, check);
    if (wrong !== "") return wrong;
  }
  return "";
}

const HOLDS: Readonly<Record<Field["type"], (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  int: Number.isInteger,
  number: Number.isFinite,
  object: isObject,
  array: Array.isArray,
  numbers: Array.isArray,
};

function fieldProblem({ type, values }: Field, at: string, value: unknown): string {
  if (value === undefined || value === null) return `${at} is missing; ${FIELD_TYPE_NAMES[type]} was expected.`;
  if (isInfinite(value)) return `${at} is no finite number.`;
  if (!HOLDS[type](value)) return `${at} is ${kindOf(value)}, where ${FIELD_TYPE_NAMES[type]} was expected.`;
  if (type === "numbers" && Array.isArray(value)) return numbersProblem(at, value);
  if (values !== undefined && typeof value === "string" && !values.includes(value)) {
    const allowed = values.map((allowedValue) => JSON.stringify(allowedValue)).join(", ");
    return `${at} is ${raw(value)}, where one of ${allowed} was expected.`;
  }
  return "";
}

/** What JSON.parse makes of a number beyond all bounds, such as 1e999. */
const isInfinite = (value: unknown): boolean => typeof value === "number" && !Number.isFinite(value);

function numbersProblem(at: string, items: readonly unknown[]): string {
  const index = items.findIndex((item) => typeof item !== "number" || !Number.isFinite(item));
  if (index < 0) return "";
  const item = items[index];
  return isInfinite(item)
    ? `${at}[${index}] is no finite number.`
    : `${at}[${index}] is ${kindOf(item)}, where a number was expected.`;
}

function emptiness(at: string, value: unknown): string {
  if (!Array.isArray(value)) return `${at} is ${kindOf(value)}, where an array with at least one item was expected.`;
  return value.length > 0 ? "" : `${at} is an empty array, where at least one item was expected.`;
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Compares each length with the first. */
function sameLength(): Check {
  let first: { readonly at: string; readonly length: number } | undefined;
  return (at, value) => {
    const length = lengthOf(value);
    first ??= { at, length };
    return length === first.length
      ? ""
      : `${at} has length ${length}, where ${first.length} was expected, the length of ${first.at}.`;
  };
}
