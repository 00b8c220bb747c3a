/** Checks values against the fields of the contract. Pure, without schemas: also runs inside k6. */

import { isObject } from "../lib/json.ts";
import { codePoints } from "../lib/text.ts";
import { FIELD_TYPE_NAMES, type FieldType, type ValueRule } from "./fields.ts";

const isText = (value: unknown): boolean => typeof value === "string";
const isListOf =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

const FITS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: isText,
  int: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
  object: isObject,
  array: Array.isArray,
  numbers: isListOf(Number.isFinite),
  objects: isListOf(isObject),
  texts: (value) => isText(value) || isListOf(isText)(value),
};

/** Whether a value has the type. A number beyond the range of a double, such as 1e999, has none. */
export const fitsType = (type: FieldType, value: unknown): boolean => FITS[type](value);

/** A rule that a value does not satisfy. */
export interface Violation {
  readonly rule: "type" | "values" | "range" | "length";
  /** What the value has to be, in words: `a number`, `5 or 10`, `from 0 to 2`. */
  readonly expected: string;
}

/**
 * The first rule of a field that a value does not satisfy; undefined when it satisfies all of them.
 * @param charactersOf length of a text; code points when it is not given.
 */
export function violationOf(
  { type, values, min, max, maxCharacters }: ValueRule,
  value: unknown,
  charactersOf: (text: string) => number = codePoints,
): Violation | undefined {
  if (!fitsType(type, value)) return { rule: "type", expected: FIELD_TYPE_NAMES[type] };
  if (values !== undefined && !values.some((one) => one === value)) return { rule: "values", expected: oneOf(values) };
  if (typeof value === "number" && (value < (min ?? value) || value > (max ?? value))) {
    return { rule: "range", expected: rangeText(min, max) };
  }
  if (typeof value === "string" && maxCharacters !== undefined && charactersOf(value) > maxCharacters) {
    return { rule: "length", expected: `at most ${maxCharacters} characters long` };
  }
  return undefined;
}

/** `5`, `5 or 10`, `16:9, 9:16 or 1:1`. */
export const oneOf = (values: readonly (string | number)[]): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

function rangeText(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
}
