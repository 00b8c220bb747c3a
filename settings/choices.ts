/** Values that requests take in turn (`1,8,32`), or by weight (`1=5,8=3,32=0.5`). Pure: runs in Node and inside k6. */

import { UsageError } from "./usage-error.ts";

/** Each value once; without weights they are used in turn. */
export interface Choices<T extends string | number> {
  readonly values: readonly T[];
  readonly weights?: readonly number[];
}

/**
 * Reads a list of values, each with a weight or none.
 * @param read of one value; throws a UsageError
 * @throws UsageError for a weight that is not a number above zero, and where only some values have one
 */
export function parseChoices<T extends string | number>(text: string, read: (value: string) => T): Choices<T> {
  const entries = text.split(",").map((entry) => entry.split("="));
  const values = entries.map(([value = ""]) => read(value.trim()));
  if (entries.every(({ length }) => length === 1)) return { values };
  const weights = entries.map(([, weight = ""]) => (/^\s*\d+(?:\.\d+)?\s*$/.test(weight) ? Number(weight) : 0));
  if (entries.some(({ length }) => length > 2) || weights.some((weight) => !(weight > 0))) {
    throw new UsageError(`"${text}" has no weight above zero for each value; write it like 1=5,8=3 or 1=0.7,8=0.3`);
  }
  return { values, weights };
}

/** Writes them the way `parseChoices` reads them. */
export const formatChoices = ({ values, weights }: Choices<string | number>): string =>
  values.map((value, index) => (weights === undefined ? String(value) : `${value}=${weights[index]}`)).join(",");
