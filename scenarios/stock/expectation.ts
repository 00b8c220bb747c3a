/** Checks a JSON response against fields that are given as data; the result is a sentence about what is wrong. Pure. */

import type { Expectation, Field } from "k6/x/assay";
import { fitsType, violationOf } from "../../contract/check.ts";
import { FIELD_TYPE_NAMES } from "../../contract/fields.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import { isObject, show } from "../../lib/json.ts";
import { kindOf } from "./detail-text.ts";
import { parseResponse } from "./response-json.ts";

/** Says what is wrong with the value at a path; empty when nothing is. */
type Check = (at: string, value: unknown) => string;

/** The value at a path without `[]`; undefined when it is missing or null. */
export const valueAt = (root: unknown, path: string): unknown => valuesAt(root, path)[0]?.value ?? undefined;

/**
 * What is wrong with the response, in a sentence; empty when it is as expected.
 * @param items inputs of the request; undefined when it had none to count.
 */
export function problemOf(root: unknown, expectation: Expectation, items: number | undefined): string {
  if (!isObject(root)) return `The response is ${kindOf(root)}, where an object was expected.`;
  const { fields, variants, nonEmpty = [], vectors, counted, indexes } = expectation;
  const variant = variants === undefined ? undefined : valueAt(root, variants.by);
  const further = typeof variant === "string" ? (variants?.fields[variant] ?? []) : [];
  for (const field of [...fields, ...further]) {
    const wrong = problemAt(root, field.path, (at, value) => fieldProblem(field, at, value));
    if (wrong !== "") return wrong;
  }
  for (const path of nonEmpty) {
    const wrong = problemAt(root, path, emptiness);
    if (wrong !== "") return wrong;
  }
  const wrong = vectors === undefined ? "" : problemAt(root, vectors, vectorProblem());
  if (wrong !== "") return wrong;
  const missing = counted === undefined || items === undefined ? "" : problemAt(root, counted, countProblem(items));
  return missing !== "" || indexes === undefined ? missing : indexesProblem(root, indexes);
}

/** The length of the first vector of a response that was checked; undefined without vectors. */
export function dimensionsOf(root: unknown, { vectors }: Expectation): number | undefined {
  const [first] = vectors === undefined ? [] : valuesAt(root, vectors);
  return first === undefined ? undefined : lengthOf(first.value);
}

/**
 * What is wrong with a body with vectors that is JSON except for numbers such as NaN, which some writers of JSON produce;
 * empty for any other body.
 */
export function notFiniteProblem(body: string, { vectors }: Expectation): string {
  let found = "";
  const finite = body.replaceAll(/"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/gs, (text) => {
    if (text.startsWith('"')) return text;
    found ||= text;
    return "0";
  });
  if (vectors === undefined || found === "" || parseResponse(finite) === undefined) return "";
  return `The response contains ${found}, which is neither JSON nor a finite number.`;
}

/** The first problem of the values at a path; empty when there is none. */
function problemAt(root: unknown, path: string, check: Check): string {
  for (const { at, value } of valuesAt(root, path)) {
    const wrong = check(at, value);
    if (wrong !== "") return wrong;
  }
  return "";
}

function fieldProblem(field: Field, at: string, value: unknown): string {
  if (value === undefined || value === null) return `${at} is missing; ${FIELD_TYPE_NAMES[field.type]} was expected.`;
  if (field.type === "numbers" && Array.isArray(value)) return numbersProblem(at, value);
  const violation = violationOf(field, value);
  if (violation === undefined) return "";
  if (violation.rule === "type") return typeProblem(at, value, violation.expected);
  const allowed = field.values?.map((one) => JSON.stringify(one)).join(", ");
  return `${at} is ${show(value)}, where one of ${allowed} was expected.`;
}

function numbersProblem(at: string, items: readonly unknown[]): string {
  const index = items.findIndex((item) => !fitsType("number", item));
  return index < 0 ? "" : typeProblem(`${at}[${index}]`, items[index], FIELD_TYPE_NAMES.number);
}

/** JSON.parse makes Infinity of a number beyond the range of a double, such as 1e999. */
const typeProblem = (at: string, value: unknown, expected: string): string =>
  typeof value === "number" && !Number.isFinite(value)
    ? `${at} is not a finite number.`
    : `${at} is ${kindOf(value)}, where ${expected} was expected.`;

function emptiness(at: string, value: unknown): string {
  if (!Array.isArray(value)) return `${at} is ${kindOf(value)}, where an array with at least one item was expected.`;
  return value.length > 0 ? "" : `${at} is an empty array, where at least one item was expected.`;
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

const countProblem =
  (items: number): Check =>
  (at, value) =>
    lengthOf(value) === items ? "" : `${at} has ${lengthOf(value)} items, where ${items} were expected, one per input.`;

/** Compares each length with the first. */
function vectorProblem(): Check {
  let first: { readonly at: string; readonly length: number } | undefined;
  return (at, value) => {
    const length = lengthOf(value);
    first ??= { at, length };
    if (length !== first.length) {
      return `${at} has length ${length}, where ${first.length} was expected, the length of ${first.at}.`;
    }
    if (length === 0) return `${at} is empty, where at least one number was expected.`;
    return Array.isArray(value) && value.every((item) => item === 0) ? `${at} is all zeros.` : "";
  };
}

/** The integers at a path are 0 to n-1, each once. */
function indexesProblem(root: unknown, path: string): string {
  const values = [...valuesAt(root, path)];
  const last = values.length - 1;
  const expected = last === 0 ? "0 was expected" : `each of 0 to ${last} was expected once`;
  const seenAt = new Map<unknown, string>();
  for (const { at, value } of values) {
    const before = seenAt.get(value);
    if (before !== undefined) return `${at} is ${value} like ${before}, where ${expected}.`;
    if (Number(value) < 0 || Number(value) > last) return `${at} is ${value}, where ${expected}.`;
    seenAt.set(value, at);
  }
  return "";
}
