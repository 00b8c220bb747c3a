/** Judges that many clauses share. Each takes recorded exchanges and returns what was found; none knows the network. */

import { FIELD_TYPE_NAMES, type FieldType } from "../contract/fields.ts";
import { describe, isObject } from "../lib/json.ts";
import { askedFor, departureOf } from "./asked.ts";
import type { Exchange, Seen } from "./exchange-record.ts";
import { answered, documentOf, isSuccess, valuesAt } from "./reading.ts";
import { broken, type FindingOf, holds, inconclusive, notApplicable, noted } from "./verdict.ts";

export type Judged = FindingOf<"required">;

/** Every exchange was answered with one status. */
export const statusIs =
  (status: number, what: string) =>
  (seen: Seen): Judged => {
    const other = seen.find(({ answer }) => answer?.status !== status);
    if (other === undefined) return holds(`the target answered ${status}`);
    return broken(`the document answers ${what} with ${status}`, answered(other), [other.id]);
  };

/** The request was served: a 2xx status and a JSON object. */
export function accepted(exchange: Exchange | undefined): Judged {
  const status = exchange?.answer?.status;
  if (status === 401) return inconclusive("the target answered 401, so the API key may be wrong; set ASSAY_API_KEY");
  if (!isSuccess(exchange)) return broken(`the document allows a request${askedFor(exchange)}`, answered(exchange));
  if (isObject(documentOf(exchange))) return holds(`the target answered ${status}`);
  return broken("an accepted request is answered with a JSON object", `${answered(exchange)} with something else`);
}

/** Whether `accepted` would find that the request was served. */
export const wasAccepted = (exchange: Exchange | undefined): boolean => accepted(exchange).kind === "holds";

/** The request was refused for that in which it departs from its control: any 4xx but those that mean something else. */
export function refused(exchange: Exchange | undefined, control?: Exchange): Judged {
  const status = exchange?.answer?.status ?? 0;
  if (isSuccess(exchange)) {
    const { statement, sent } = departureOf(exchange, control);
    return broken(statement, `the target accepted ${sent} with ${status}`);
  }
  if (status === 401) return inconclusive("the target answered 401, which says nothing about the request");
  if (status >= 400 && status < 500) return holds(`the target answered ${status}`);
  return inconclusive(`${answered(exchange)}, which is neither acceptance nor refusal`);
}

const isNumber = (value: unknown): boolean => typeof value === "number";
const CHECKS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  int: (value) => Number.isInteger(value),
  number: isNumber,
  object: isObject,
  array: Array.isArray,
  numbers: (value) => Array.isArray(value) && value.every(isNumber),
};

/** Every value at the path, in every exchange, is there and has the type. */
export const fieldIs =
  (path: string, type: FieldType) =>
  (seen: Seen): Judged =>
    everyValue(seen, path, CHECKS[type], FIELD_TYPE_NAMES[type]);

/** Every value at the path, in every exchange, is one of those that the document names. */
export const valueIs =
  (path: string, values: readonly string[]) =>
  (seen: Seen): Judged =>
    everyValue(seen, path, (value) => values.some((one) => one === value), `one of ${values.join(", ")}`);

/** Every value at the path passes a check; `name` says in words what passes. */
export function everyValue(seen: Seen, path: string, check: (value: unknown) => boolean, name: string): Judged {
  let count = 0;
  for (const exchange of seen) {
    for (const { at, value } of valuesAt(documentOf(exchange), path)) {
      count += 1;
      if (check(value)) continue;
      const seenThere =
        value === undefined ? `the target left out ${at}` : `the target sent ${at} as ${describe(value)}`;
      return broken(`the document has ${path} as ${name}`, seenThere, [exchange.id]);
    }
  }
  return count > 0 ? holds(`${path} was ${name}`) : inconclusive(`no answer had a place for ${path}`);
}

/** What the target did with a request that the document leaves open. */
export function outcomeOf(seen: Seen): FindingOf<"observed"> {
  const exchange = seen[0];
  if (exchange?.answer === undefined) return inconclusive(answered(exchange));
  const body = exchange.answer.body.slice(0, 200);
  return noted(`${answered(exchange)}${isSuccess(exchange) ? "" : `: ${body}`}`);
}

/** Notes the form of a refusal; not applicable when there was none. */
export function refusalForm(seen: Seen): FindingOf<"observed"> {
  const refusals = seen.filter(({ answer }) => (answer?.status ?? 0) >= 400);
  return refusals.length > 0 ? outcomeOf(refusals) : notApplicable("nothing was refused");
}
