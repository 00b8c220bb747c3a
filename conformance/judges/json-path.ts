/** JSON values of recorded responses: a whole body, or one member of it. */

import type { Exchange } from "../../formats/exchanges.ts";
import { idText } from "../../lib/id-text.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { beyondLimits, DEEPEST } from "../../lib/json-limits.ts";
import { withoutMark } from "../../lib/text.ts";
import { readOnce } from "./read-once.ts";

/** Far more than the responses of the specification hold, in addition to the numbers of vectors. */
const LIMITS = { depth: DEEPEST, values: 100_000 };

interface Document {
  /** Undefined when the body is not JSON, or beyond the limits. */
  readonly value: unknown;
  /** Why JSON was not parsed, after "it is". */
  readonly beyond?: string;
}

const documentIn = readOnce((body): Document => {
  // JSON must not begin with a byte order mark; that it does is the subject of clauses of its own.
  const text = withoutMark(body);
  // Only arrays and objects have a depth; a stream of events has not, whatever its events hold.
  const beyond = /^\s*[[{]/.test(text) ? beyondLimits(text, LIMITS) : undefined;
  return beyond === undefined ? { value: parseJson(text) } : { value: undefined, beyond };
});

/** The JSON value of an answer's body; undefined when there is none. */
export const documentOf = (exchange: Exchange | undefined): unknown => documentIn(exchange)?.value;

/** Why the JSON of an answer was not parsed, after "it is"; undefined when it was, or is none. */
export const beyondReading = (exchange: Exchange | undefined): string | undefined => documentIn(exchange)?.beyond;

/** One member of an answer's document; undefined when it is absent, null when it is null. */
export function memberOf(exchange: Exchange | undefined, name: string): unknown {
  const document = documentOf(exchange);
  return isObject(document) && Object.hasOwn(document, name) ? document[name] : undefined;
}

/** The id in an answer's document, a number with the digits that were sent; undefined when there is none. */
export const idOf = (exchange: Exchange | undefined): string | undefined =>
  idText(memberOf(exchange, "id"), exchange?.answer?.body ?? "", "id");
