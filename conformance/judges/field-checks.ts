/** Checks of the fields of a response: each takes recorded exchanges and says whether every value at a path passes. */

import { fitsType, oneOf } from "../../contract/check.ts";
import { FIELD_TYPE_NAMES, type FieldType } from "../../contract/fields.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { describe, isObject } from "../../lib/json.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { hasReasoning, REASONED_ALONE } from "./reasoning-alone.ts";

/** Every value at the path, in every exchange, is there and has the type. */
export const fieldIs =
  (path: string, type: FieldType) =>
  (exchanges: Exchanges): Judged =>
    everyValue(exchanges, path, (value) => fitsType(type, value), FIELD_TYPE_NAMES[type]);

/** Every value at the path, in every exchange, is one of those that the specification names. */
export const valueIs =
  (path: string, values: readonly string[]) =>
  (exchanges: Exchanges): Judged =>
    everyValue(exchanges, path, (value) => values.some((one) => one === value), oneOf(values));

/** Says of nested vectors that they are those of the tokens, where usage counts as many: a server without pooling. */
const perToken = (exchange: Exchange, value: unknown): string =>
  Array.isArray(value) &&
  Array.isArray(value[0]) &&
  valuesAt(documentOf(exchange), "usage.prompt_tokens")[0]?.value === value.length
    ? ", one per token"
    : "";

/** Says of a message without content that its tokens were reasoning. */
function reasonedAlone(exchange: Exchange, at: string): string {
  const choices = valuesAt(documentOf(exchange), "choices[]");
  const choice = choices.find((each) => at === `${each.at}.message.content`)?.value;
  if (!isObject(choice) || !isObject(choice["message"])) return "";
  return choice["finish_reason"] === "length" && hasReasoning(choice["message"]) ? `, next to ${REASONED_ALONE}` : "";
}

/** Every value at the path passes a check; `name` says in words what passes. */
export function everyValue(
  exchanges: Exchanges,
  path: string,
  check: (value: unknown) => boolean,
  name: string,
  source = "the specification",
): Judged {
  let count = 0;
  for (const exchange of exchanges) {
    for (const { at, value } of valuesAt(documentOf(exchange), path)) {
      count += 1;
      if (check(value)) continue;
      const observed =
        value === undefined
          ? `the target left out ${at}`
          : `the target sent ${at} as ${describe(value)}${perToken(exchange, value)}`;
      const why = reasonedAlone(exchange, at);
      return broken(`${source} requires ${path} to be ${name}`, observed + why, [exchange.id]);
    }
  }
  return count > 0 ? holds(`${path} was ${name}`) : inconclusive(`no response had a place for ${path}`);
}
