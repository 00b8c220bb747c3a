/** JSON values of recorded responses: a whole body, or one member of it. */

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
