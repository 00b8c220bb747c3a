/** What judges read from recorded exchanges: the document in a body, the values at a path, the parts of a task's life. */

import { PATHS, TERMINAL_STATES } from "../contract/service.ts";
import { isObject, parseJson } from "../lib/json.ts";
import type { Exchange, Seen } from "./exchange-record.ts";

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

/** Whether an answer has a 2xx status. */
export const isSuccess = (exchange: Exchange | undefined): boolean => {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
};

/** What was answered, for messages: `the target answered 200`. */
export function answered(exchange: Exchange | undefined): string {
  if (exchange === undefined) return "nothing was sent";
  if (exchange.answer !== undefined) return `the target answered ${exchange.answer.status}`;
  return `no answer came (${exchange.failure?.kind ?? "unknown"}: ${exchange.failure?.message ?? "no reason"})`;
}

/** Whether the answer to a submission shows that no task was created; a server error shows nothing, save 503. */
export function createdNothing({ answer }: Exchange): boolean {
  const status = answer?.status ?? 0;
  return (status >= 300 && status < 500) || status === 503;
}

export type TaskPart = "submit" | "poll" | "cancel";

/** Which part of a task's life an exchange is. */
export function partOf({ request }: Exchange): TaskPart {
  if (request.method === "GET") return "poll";
  return new URL(request.url).pathname.endsWith(PATHS.videos) ? "submit" : "cancel";
}

/** The exchanges of the last task that a probe submitted. */
export function lastLife(seen: Seen): Seen {
  const start = seen.findLastIndex((exchange) => partOf(exchange) === "submit");
  return start < 0 ? [] : seen.slice(start);
}

/** The exchanges of one part, in order. */
export const only = (seen: Seen, part: TaskPart): Seen => seen.filter((exchange) => partOf(exchange) === part);

/** Polls that came after the first exchange of a part. */
export function pollsAfter(seen: Seen, part: TaskPart): Seen {
  const start = seen.findIndex((exchange) => partOf(exchange) === part);
  return start < 0 ? [] : only(seen.slice(start + 1), "poll");
}

export const isTerminal = (state: unknown): boolean => TERMINAL_STATES.some((terminal) => terminal === state);

/** Polls that saw a state. */
export const pollsIn = (seen: Seen, state: string): Seen =>
  only(seen, "poll").filter((poll) => memberOf(poll, "status") === state);
