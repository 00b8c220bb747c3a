/** JSON values of recorded responses: the whole of a body, one member of it, the values at a path. */

import type { Exchange } from "../../formats/exchanges.ts";
import { isObject, parseJson } from "../../lib/json.ts";

const parsed = new WeakMap<Exchange, { readonly value: unknown }>();

/** The JSON value of an answer's body; undefined when there is none. */
export function documentOf(exchange: Exchange | undefined): unknown {
  if (exchange?.answer === undefined) return undefined;
  const before = parsed.get(exchange);
  if (before !== undefined) return before.value;
  const value = parseJson(exchange.answer.body);
  parsed.set(exchange, { value });
  return value;
}

/** One member of an answer's document; undefined when it is absent, null when it is null. */
export function memberOf(exchange: Exchange | undefined, name: string): unknown {
  const document = documentOf(exchange);
  return isObject(document) ? document[name] : undefined;
}

export interface Located {
  /** Where it was, with indexes: `choices[0].index`. */
  readonly at: string;
  readonly value: unknown;
}

/** Every value at a path such as `choices[].message.role`; a value that is absent is undefined. */
export function valuesAt(document: unknown, path: string): readonly Located[] {
  return path.split(".").reduce<readonly Located[]>(step, [{ at: "", value: document }]);
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
