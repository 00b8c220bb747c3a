/** The kinds of exchanges that statements are about, whoever sent them: each recognises its own by request and status. */

import { violationOf } from "../../contract/check.ts";
import { REQUEST_FIELDS, type RequestName } from "../../contract/fields.ts";
import { API_PREFIX, ENCODING_FORMATS, PATHS, type TaskState } from "../../contract/service.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import type { ExchangeKind } from "../model/clause.ts";
import { memberOf } from "./json-path.ts";
import { isSuccess } from "./status.ts";
import { endedByItself, firstEnd, only, partOf, pollsIn, reported } from "./task-history.ts";

/** The operations of the service. */
export type Operation = "chat" | "embeddings" | "submit" | "poll" | "cancel";

const OPERATIONS: readonly (readonly [Operation, string, string])[] = [
  ["chat", "POST", PATHS.chat],
  ["embeddings", "POST", PATHS.embeddings],
  ["submit", "POST", PATHS.videos],
  ["poll", "GET", `${PATHS.videos}/[^/]+`],
  ["cancel", "POST", `${PATHS.videos}/[^/]+/cancel`],
];
const patterns = (from: number) =>
  OPERATIONS.map(([operation, method, path]) => [operation, method, new RegExp(`${path.slice(from)}$`)] as const);
const [WITH_PREFIX, WITHOUT_PREFIX] = [patterns(0), patterns(API_PREFIX.length)];

/** What a function gives of an exchange, which every clause of a kind asks for: computed once. */
function onceOf<T>(compute: (exchange: Exchange) => T): (exchange: Exchange) => T {
  const known = new WeakMap<Exchange, { readonly value: T }>();
  return (exchange) => {
    const before = known.get(exchange);
    if (before !== undefined) return before.value;
    const value = compute(exchange);
    known.set(exchange, { value });
    return value;
  };
}

/** The operation that a request asks for; undefined for one that the service does not have. */
export const operationOf = onceOf(({ request }): Operation | undefined => {
  const path = request.url.split("?", 1)[0] ?? "";
  return (request.prefix === "none" ? WITHOUT_PREFIX : WITH_PREFIX).find(
    ([, method, pattern]) => method === request.method && pattern.test(path),
  )?.[0];
});

const membersOf = onceOf((exchange): UnknownObject => {
  const value = parseJson(exchange.request.body ?? "");
  return isObject(value) ? value : {};
});

/** The members of a request's body; none when it is not a JSON object. */
export const requestOf = (exchange: Exchange | undefined): UnknownObject =>
  exchange === undefined ? {} : membersOf(exchange);

/** A kind whose exchanges are judged alone. */
const each = (name: string, fits: (exchange: Exchange) => boolean): ExchangeKind => ({
  name,
  unit: "exchange",
  fits: ([exchange]) => exchange !== undefined && fits(exchange),
});

/**
 * Exchanges of an operation that succeeded, and whose request satisfies a condition. What comes of a request that breaks a rule
 * of the specification is not stated; content that is no text is beyond the specification, and common.
 */
const served = (
  name: string,
  operation: Operation,
  asks: (request: UnknownObject, exchange: Exchange) => boolean = () => true,
): ExchangeKind =>
  each(
    name,
    (exchange) =>
      operationOf(exchange) === operation &&
      isSuccess(exchange) &&
      asks(requestOf(exchange), exchange) &&
      !breaksRule(exchange),
  );

const BEYOND_TEXT: readonly string[] = ["messages[].content"];
/** Whether a request breaks a rule of the specification, apart from content that is no text. */
const breaksRule = onceOf((exchange): boolean => {
  const operation = operationOf(exchange);
  return operation !== undefined && hasBody(operation) && isInvalid(exchange, operation, BEYOND_TEXT);
});

const has = (request: UnknownObject, ...names: readonly string[]): boolean =>
  names.some((name) => request[name] !== undefined && request[name] !== null);

const holdsMessages = ({ messages }: UnknownObject): boolean => Array.isArray(messages) && messages.every(isObject);
/** Members outside the specification that ask for something else than text. */
const asksForText = (request: UnknownObject): boolean =>
  holdsMessages(request) && !has(request, "tools", "functions", "modalities");
const isStream = (request: UnknownObject): boolean => request["stream"] === true;

export const completions = served("completions", "chat", (request) => holdsMessages(request) && !isStream(request));

/** Completions of text: a message that was to call a tool, or to hold sound, may have no content. */
export const textCompletions = served(
  "completions of text",
  "chat",
  (request) => asksForText(request) && !isStream(request),
);

/** Completions whose length nothing in the request limits. */
export const unlimitedCompletions = served(
  "completions without max_tokens",
  "chat",
  (request) =>
    asksForText(request) && !isStream(request) && !has(request, "max_tokens", "max_completion_tokens", "stop"),
);

/**
 * The specification leaves open what 0 tokens or fewer mean: some services take them for no limit. With several choices the limit
 * is that of each, and usage is that of all in some services.
 */
const isLimited = ({ max_tokens, n }: UnknownObject): boolean =>
  Number.isInteger(max_tokens) && Number(max_tokens) > 0 && Number(n ?? 1) === 1;

/** Completions whose request says how long they may be. */
export const limitedCompletions = served(
  "completions with max_tokens",
  "chat",
  (request) => asksForText(request) && !isStream(request) && isLimited(request),
);

/** Replies of text, whole and streamed. */
export const completionsAndStreams = served("completions and streams", "chat", asksForText);

export const streams = served("streams", "chat", isStream);
/** Streams whose request says how long the reply may be. */
export const limitedStreams = served(
  "streams with max_tokens",
  "chat",
  (request) => isStream(request) && asksForText(request) && isLimited(request),
);
export const textStreams = served("streams", "chat", (request) => isStream(request) && asksForText(request));

/** Options of a stream in the interface; another one, such as continuous_usage_stats, may ask for usage elsewhere. */
const STREAM_OPTIONS: readonly string[] = ["include_usage", "include_obfuscation"];

/** Whether a request asks for a stream with usage, or without, and for nothing that may change where usage stands. */
const asksForStream = ({ stream, stream_options: options }: UnknownObject, withUsage: boolean): boolean => {
  const asked = isObject(options) ? options : {};
  const isPlain = Object.keys(asked).every((name) => STREAM_OPTIONS.includes(name) || asked[name] === false);
  return stream === true && isPlain && (asked["include_usage"] === true) === withUsage;
};

/** Streams whose request asks for usage, and those without. */
export const streamsWithUsage = served("streams with include_usage", "chat", (request) => asksForStream(request, true));
export const streamsWithoutUsage = served("streams without include_usage", "chat", (request) =>
  asksForStream(request, false),
);

const isTexts = (input: unknown): boolean =>
  Array.isArray(input) && input.length > 0 && input.every((text) => typeof text === "string");

/** How many texts a request for embeddings holds. */
export const inputsOf = (exchange: Exchange | undefined): number => {
  const { input } = requestOf(exchange);
  return Array.isArray(input) ? input.length : 1;
};

const asksForVectors = ({ input, encoding_format: format }: UnknownObject): boolean =>
  input !== undefined && (format === undefined || ENCODING_FORMATS.some((known) => known === format));

export const embeddings = served("embeddings", "embeddings", asksForVectors);
export const singleEmbeddings = served(
  "embeddings of one text",
  "embeddings",
  (request) => asksForVectors(request) && typeof request["input"] === "string",
);
export const batchEmbeddings = served(
  "embeddings of several texts",
  "embeddings",
  (request) => asksForVectors(request) && isTexts(request["input"]),
);
/** Vectors of a batch that are arrays. */
export const floatBatches = served(
  "embeddings of several texts",
  "embeddings",
  (request) => asksForVectors(request) && isTexts(request["input"]) && request["encoding_format"] !== "base64",
);
export const defaultEmbeddings = served(
  "embeddings without encoding_format",
  "embeddings",
  (request) => asksForVectors(request) && !has(request, "encoding_format"),
);
export const floatEmbeddings = served(
  "embeddings with encoding_format float",
  "embeddings",
  (request) => asksForVectors(request) && request["encoding_format"] === "float",
);
export const base64Embeddings = served(
  "embeddings with encoding_format base64",
  "embeddings",
  (request) => asksForVectors(request) && request["encoding_format"] === "base64",
);
const REFUSED: readonly number[] = [400, 422];

/** Requests of an operation that were refused for what they hold. */
export const refusedRequests = (operation: Operation): ExchangeKind =>
  each(
    "refused requests",
    (exchange) => operationOf(exchange) === operation && REFUSED.includes(exchange.answer?.status ?? 0),
  );

/** Requests that break a rule of the specification, whatever their outcome. */
export const invalidRequests = (operation: "chat" | "embeddings" | "submit"): ExchangeKind =>
  each(
    "invalid requests",
    (exchange) =>
      operationOf(exchange) === operation && exchange.answer !== undefined && isInvalid(exchange, operation),
  );

const NAMES: Readonly<Record<"chat" | "embeddings" | "submit", RequestName>> = {
  chat: "chat",
  embeddings: "embeddings",
  submit: "videos",
};

const hasBody = (operation: Operation): operation is keyof typeof NAMES => Object.hasOwn(NAMES, operation);

/** Whether a request breaks a rule of the specification about a field, of those whose path is not left out. */
function isInvalid(exchange: Exchange, operation: keyof typeof NAMES, except: readonly string[] = []): boolean {
  const body = requestOf(exchange);
  return REQUEST_FIELDS[NAMES[operation]].some(
    (field) =>
      !except.includes(field.path) &&
      valuesAt(body, field.path).some(({ value }) =>
        value === undefined ? "required" in field : value !== null && violationOf(field, value) !== undefined,
      ),
  );
}

/** Requests of an operation that carry no key. */
export const unkeyedRequests = (operations: readonly Operation[]): ExchangeKind =>
  each("requests without a key", (exchange) => {
    const operation = operationOf(exchange);
    if (operation === undefined || !operations.includes(operation) || exchange.answer === undefined) return false;
    return !Object.keys(exchange.request.headers).some((name) => name.toLowerCase() === "authorization");
  });

export const submissions = served("submissions", "submit");
export const polls = served("polls", "poll");
/** Cancels that were accepted; one that reports another end of its task changed nothing, which the specification allows. */
export const cancels = served(
  "accepted cancels",
  "cancel",
  (_, exchange) => !endedByItself(memberOf(exchange, "status")),
);

/** Polls that reported one state. */
export const pollsReporting = (state: TaskState): ExchangeKind =>
  served(`polls that reported ${state}`, "poll", (_, exchange) => memberOf(exchange, "status") === state);

/** Histories of video tasks. Where one id names several tasks, the history is that of none. */
const tasks = (name: string, fits: (history: Exchanges) => boolean): ExchangeKind => ({
  name,
  unit: "task",
  fits: (history) => only(history, "submit").length <= 1 && fits(history),
});

/** Tasks whose submission was seen, counted by their ids. */
export const submittedTasks: ExchangeKind = {
  name: "submitted tasks",
  unit: "task",
  fits: (history) => only(history, "submit").length > 0,
  least: 2,
};

/** Tasks whose submission and a poll were seen. */
export const polledTasks = tasks(
  "tasks",
  (history) => only(history, "submit").length > 0 && only(history, "poll").length > 0,
);
/** Tasks of which a poll reported that they are processing. */
export const tasksAtWork = tasks("tasks", (history) => pollsIn(history, "processing").length > 0);
/** Tasks whose first known end was this one. */
export const tasksThatEnded = (end: TaskState): ExchangeKind =>
  tasks(`${end} tasks`, (history) => firstEnd(history) === end);
/** Tasks that somebody asked to cancel. */
export const cancelTasks = tasks(
  "tasks with a cancel",
  (history) => only(history, "submit").length > 0 && only(reported(history), "cancel").length > 0,
);
/** Tasks that were known to be completed when somebody asked to cancel them. */
export const completedBeforeCancel = tasks("completed tasks with a cancel", (history) => {
  const known = reported(history);
  const cancel = known.findLastIndex((exchange) => partOf(exchange) === "cancel");
  return firstEnd(known.slice(0, Math.max(0, cancel))) === "completed";
});
