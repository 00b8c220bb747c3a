/** Judges that many clauses share. Each takes recorded exchanges and returns what was found; none knows the network. */

import type { RequestName } from "../../contract/fields.ts";
import { EMBEDDING_LIST_OBJECT, TASK_STATES } from "../../contract/service.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { FIREWALL_STATUSES, isPage, titledPage } from "../../lib/foreign-page.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { describe, isObject, type UnknownObject } from "../../lib/json.ts";
import { plainLine, shorten } from "../../lib/text.ts";
import { broken, elsewhere, type FindingOf, holds, inconclusive, notApplicable, noted } from "../model/findings.ts";
import { documentOf } from "./json-path.ts";
import { requestBody, requestedFields, requestName } from "./request-rules.ts";
import { HEADER_CASE, isSuccess, returned } from "./status.ts";

export type Judged = FindingOf<"required">;

/** Every response has one status. */
export const statusIs =
  (status: number, what: string) =>
  (exchanges: Exchanges): Judged => {
    const other = exchanges.find(({ answer }) => answer?.status !== status);
    if (other === undefined) return holds(`the target returned ${status}`);
    return broken(`the specification requires status ${status} for ${what}`, returned(other), [other.id]);
  };

/**
 * What makes a response recognisable as the one that was requested: an error or an echo may have status 200 too. Where one member
 * is wrong, the others may be enough, so that they are judged all the same.
 */
const MARKS: Readonly<
  Record<
    RequestName,
    { readonly name: string; readonly fits: (document: UnknownObject, request: UnknownObject) => boolean }
  >
> = {
  chat: {
    name: "a completion, with choices",
    fits: ({ choices, ...rest }) =>
      isListOfObjects(choices) || (typeof rest["id"] === "string" && countsTokens(rest, "completion_tokens")),
  },
  embeddings: {
    name: "a list of embeddings, with data",
    fits: ({ data, ...rest }, { input }) =>
      isListOfObjects(data) ||
      (isEmptyList(data) && (input === undefined || isEmptyList(input))) ||
      (rest["object"] === EMBEDDING_LIST_OBJECT && countsTokens(rest, "prompt_tokens")),
  },
  videos: {
    name: "a video task, with id and status",
    fits: ({ id, status, created_at }) =>
      (typeof id === "string" || typeof id === "number") &&
      (TASK_STATES.some((state) => state === status) || typeof created_at === "string"),
  },
};

/** Whether a response of the service counts the tokens of its text. */
const countsTokens = ({ usage, error }: UnknownObject, name: string): boolean =>
  isObject(usage) && typeof usage[name] === "number" && (error === undefined || error === null);

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
export const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

/** The request was served: a 2xx status and a response that is recognisably the one that was requested. */
export function accepted(exchange: Exchange | undefined): Judged {
  const status = exchange?.answer?.status;
  if (status === 401)
    return elsewhere(
      `the target returned 401, so the API key may be wrong; set ASSAY_API_KEY${errorOf(exchange)}. ${HEADER_CASE}`,
    );
  if (!isSuccess(exchange))
    return broken(
      `the specification allows a request${requestedFields(exchange)}`,
      `${returned(exchange)}${errorOf(exchange)}${ofPage(exchange)}`,
    );
  const document = documentOf(exchange);
  if (!isObject(document))
    return broken(
      "an accepted request is answered with a JSON object",
      `${returned(exchange)} with ${contentOf(exchange)}`,
    );
  const name = requestName(exchange);
  const mark = name && MARKS[name];
  if (mark === undefined || mark.fits(document, requestBody(exchange))) return holds(`the target returned ${status}`);
  return broken(
    `an accepted request${requestedFields(exchange)} is answered with ${mark.name}`,
    `${returned(exchange)} with ${contentOf(exchange)}`,
  );
}

/** What a response holds that is not what was asked for: `an object of id, model`, `no body`, `text that is no JSON`. */
export function contentOf(exchange: Exchange | undefined): string {
  const document = documentOf(exchange);
  if (isObject(document)) return membersOf(document);
  if (document !== undefined) return describe(document);
  return exchange?.answer?.body.trim() ? "text that is no JSON" : "no body";
}

const SHOWN_ERROR = 160;

/** Who may have sent the page with which a legal request was refused, behind other words; empty where none was. */
function ofPage(exchange: Exchange | undefined): string {
  const { status = 0, body = "", headers = {} } = exchange?.answer ?? {};
  if (!FIREWALL_STATUSES.includes(status) || !isPage(body)) return "";
  const server = headers["server"];
  const by = server === undefined ? "" : ` (server: ${shorten(plainLine(server), 60)})`;
  return `. Such a page is seldom the service's own${by}: a firewall before it may refuse requests by what they contain`;
}

/** What the target says was wrong, behind other words: `: "model is overloaded"`; empty when it says nothing. */
export function errorOf(exchange: Exchange | undefined): string {
  const page = titledPage(exchange?.answer?.body ?? "");
  if (page !== undefined) return `: ${page}`;
  const said = errorIn(exchange);
  return said === "" ? "" : `: ${JSON.stringify(said)}`;
}

/** What the target says was wrong, else how the body begins. */
export function errorIn(exchange: Exchange | undefined): string {
  const document = documentOf(exchange);
  const error = isObject(document) ? (document["error"] ?? document) : undefined;
  // Frameworks name the kind in `error`, and in `message` next to it what was wrong.
  const outer = isObject(document) && typeof error === "string" ? document["message"] : undefined;
  const said = isObject(error) ? (error["message"] ?? error["detail"]) : error;
  const text = typeof said === "string" ? said : (exchange?.answer?.body.trim() ?? "");
  const whole = typeof outer === "string" ? `${text}: ${outer}` : text;
  return shorten(whole, SHOWN_ERROR);
}

const MOST_MEMBERS = 8;

/** `an object of id, model`, `an empty object` */
export function membersOf(document: UnknownObject): string {
  const names = Object.keys(document);
  if (names.length === 0) return "an empty object";
  return `an object of ${names.slice(0, MOST_MEMBERS).join(", ")}${names.length > MOST_MEMBERS ? " and more" : ""}`;
}

/** Whether `accepted` would find that the request was served. */
export const wasAccepted = (exchange: Exchange | undefined): boolean => accepted(exchange).kind === "holds";

/** What the target did with a request that the specification leaves open. */
export function outcomeOf(exchanges: Exchanges): FindingOf<"observed"> {
  const exchange = exchanges[0];
  if (exchange?.answer === undefined) return inconclusive(returned(exchange));
  const body = shorten(exchange.answer.body, 200);
  return noted(`${returned(exchange)}${isSuccess(exchange) ? "" : `: ${body}`}`);
}

/** Notes every form that refusals have, and how many have it; not applicable when there was none. */
export function refusalForm(exchanges: Exchanges): FindingOf<"observed"> {
  const refusals = exchanges.filter(({ answer }) => (answer?.status ?? 0) >= 400);
  const forms = groupedBy(refusals, (refusal) => `${refusal.answer?.status} ${shapeOf(documentOf(refusal))}`);
  const [only] = forms.values();
  if (only === undefined) return notApplicable("nothing was refused");
  if (forms.size === 1) return outcomeOf(only);
  const notes = [...forms.values()].map((group) => {
    const found = outcomeOf(group);
    return `${group.length} of ${refusals.length}: ${found.kind === "noted" ? found.observed : found.why}`;
  });
  return noted(`${forms.size} forms; ${notes.join("; ")}`);
}

/** The names of the members of a value, and of those of its members that are objects: what a reader of it depends on. */
function shapeOf(value: unknown, depth = 2): string {
  if (!isObject(value) || depth === 0) return typeof value;
  return Object.keys(value)
    .sort()
    .map((name) => `${name}:${shapeOf(value[name], depth - 1)}`)
    .join();
}
