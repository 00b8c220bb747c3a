/**
 * Logs that people have, as the arrivals of a trace: spans of OpenTelemetry with the attributes for GenAI, the standard logging payload
 * of LiteLLM, and access logs. Each is written when a call ends, so that its entries are put in the order of their starts. Pure.
 */

import { isObject, type UnknownObject } from "../../lib/json.ts";
import { readInstant } from "../../settings/instants.ts";
import { ACCESS_LOGS, callsOfAccess, type LoggedCall } from "./access-logs.ts";

/** A kind of log. An entry is an object, or a line of text. */
interface Log {
  readonly name: string;
  /** The calls of models that an entry tells of; undefined where it is not of this log. */
  readonly calls: (entry: unknown) => readonly LoggedCall[] | undefined;
}

const LOGS: readonly Log[] = [
  { name: "OpenTelemetry", calls: ofObject(callsOfSpans) },
  { name: "LiteLLM", calls: ofObject(callsOfLiteLlm) },
  ...ACCESS_LOGS.map(({ name, read }) => ({
    name,
    calls: (entry: unknown) => {
      const access = read(entry);
      return access && callsOfAccess(access);
    },
  })),
];

function ofObject(calls: (entry: UnknownObject) => readonly LoggedCall[] | undefined): Log["calls"] {
  return (entry) => (isObject(entry) ? calls(entry) : undefined);
}

/** The log that an entry is of; undefined for another layout. */
export const logOf = (entry: unknown): Log | undefined => LOGS.find(({ calls }) => calls(entry) !== undefined);

function callsOfSpans(entry: UnknownObject): readonly LoggedCall[] | undefined {
  const { resourceSpans, attributes, start_time: start } = entry;
  const isSpan = Array.isArray(resourceSpans) || (isObject(attributes) && typeof start === "string");
  return isSpan ? spansIn(entry).flatMap(callOfSpan) : undefined;
}

const objectsIn = (value: unknown): readonly UnknownObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** One span of a line, or all of an export: `resourceSpans`, `scopeSpans`, `spans`. */
const spansIn = (entry: UnknownObject): readonly UnknownObject[] =>
  entry["resourceSpans"] === undefined
    ? [entry]
    : objectsIn(entry["resourceSpans"]).flatMap((resource) =>
        objectsIn(resource["scopeSpans"]).flatMap((scope) => objectsIn(scope["spans"])),
      );

/** Values of `gen_ai.operation.name`, and LiteLLM's `call_type`; others, such as that of an agent, hold calls that are told themselves. */
const OPERATIONS: Readonly<Record<string, string>> = {
  ...{ chat: "chat", text_completion: "chat", generate_content: "chat", embeddings: "embeddings" },
  ...{ completion: "chat", acompletion: "chat", atext_completion: "chat" },
  ...{ embedding: "embeddings", aembedding: "embeddings" },
};

const operationOf = (name: unknown): string | undefined =>
  typeof name === "string" && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;

function callOfSpan(span: UnknownObject): readonly LoggedCall[] {
  const attributes = attributesOf(span["attributes"]);
  const operation = operationOf(attributes["gen_ai.operation.name"]);
  const at = instantOf(span["startTimeUnixNano"]) ?? instantOf(span["start_time"]);
  const end = instantOf(span["endTimeUnixNano"]) ?? instantOf(span["end_time"]);
  if (operation === undefined || at === undefined) return [];
  const lengths = {
    input: attributes["gen_ai.usage.input_tokens"],
    output: attributes["gen_ai.usage.output_tokens"],
  };
  const session = textOf(attributes["gen_ai.conversation.id"]);
  return [
    { at, operation, ...lengths, session, model: textOf(attributes["gen_ai.request.model"]), tookMs: took(at, end) },
  ];
}

/** A list of keys with typed values, as the protocol writes them, or an object. */
function attributesOf(value: unknown): UnknownObject {
  if (isObject(value)) return value;
  return Object.fromEntries(
    objectsIn(value).map(({ key, value: typed }) => {
      const { stringValue, intValue } = isObject(typed) ? typed : {};
      return [String(key), stringValue ?? (intValue === undefined ? undefined : Number(intValue))];
    }),
  );
}

function callsOfLiteLlm(entry: UnknownObject): readonly LoggedCall[] | undefined {
  const { startTime, call_type: type = "completion", status, prompt_tokens: input, completion_tokens: output } = entry;
  if (startTime === undefined || input === undefined) return undefined;
  const kind = operationOf(type);
  const at = instantOf(startTime);
  if (kind === undefined || at === undefined) return [];
  const { user_api_key_team_alias: team, user_api_key_alias: key } = isObject(entry["metadata"])
    ? entry["metadata"]
    : {};
  // Of a call that failed, they are 0.
  const lengths = status === "failure" ? { input: undefined, output: undefined } : { input, output };
  return [
    {
      at,
      operation: kind === "chat" && entry["stream"] === true ? "chat-stream" : kind,
      ...lengths,
      session: textOf(entry["session_id"]) ?? textOf(entry["trace_id"]),
      tenant: textOf(team) ?? textOf(key),
      model: textOf(entry["model_group"]) ?? textOf(entry["model"]),
      tookMs: took(at, instantOf(entry["endTime"])),
    },
  ];
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const took = (at: number, end: number | undefined): number | undefined =>
  end === undefined || end < at ? undefined : end - at;

const NANOSECONDS = /^\d{16,20}$/;

/** Milliseconds since 1970 of nanoseconds as a text, of seconds as a number, or of a date. */
function instantOf(value: unknown): number | undefined {
  if (typeof value === "number") return Math.round(value * 1_000_000) / 1_000;
  if (typeof value !== "string") return undefined;
  if (NANOSECONDS.test(value)) return Number(value.slice(0, -6)) + Math.round(Number(value.slice(-6)) / 1_000) / 1_000;
  const at = readInstant(value);
  return Number.isNaN(at) ? undefined : at;
}
