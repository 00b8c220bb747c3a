/** Reads the values at the paths of `fields.ts` from a JSON value. Pure: also runs inside k6. */

import { isObject } from "../lib/json.ts";

export interface Located {
  /** Where the value is, with indexes: `choices[0].index`. */
  readonly at: string;
  readonly value: unknown;
}

/**
 * Every value at a path such as `choices[].message.role`. A member that is absent is undefined; items of a value that is
 * not an array are left out.
 */
export function valuesAt(root: unknown, path: string): readonly Located[] {
  return path.split(".").reduce<readonly Located[]>(step, [{ at: "", value: root }]);
}

function step(places: readonly Located[], part: string): readonly Located[] {
  const name = part.replace(/\[\]$/, "");
  const members = places.map(({ at, value }) => ({
    at: at === "" ? name : `${at}.${name}`,
    value: isObject(value) ? value[name] : undefined,
  }));
  if (!part.endsWith("[]")) return members;
  return members.flatMap(({ at, value }) =>
    Array.isArray(value) ? value.map((item: unknown, i) => ({ at: `${at}[${i}]`, value: item })) : [],
  );
}
