/** Reads a request's body by the rules: its content, or why it is refused. */

import { violationOf } from "../../contract/check.ts";
import type { FieldType, REQUEST_FIELDS, RequestName } from "../../contract/fields.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { codePoints } from "../../lib/text.ts";
import type { Problem } from "../base/mock-response.ts";
import type { AcceptedField, Rules } from "../base/rules.ts";

/** What a value of each type is. */
interface Values extends Record<FieldType, unknown> {
  readonly string: string;
  readonly int: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly texts: string | readonly string[];
}
type Stated = { readonly path: string; readonly type: FieldType };
type Named<Path extends string, Prefix extends string> = Path extends `${Prefix}${infer Name}`
  ? Name extends `${string}[]${string}`
    ? never
    : Name
  : never;
/** The type of a body that has these fields; a fault may let any of them be absent, except those that have a default. */
type BodyOf<Fields extends Stated, Prefix extends string = ""> = {
  readonly [One in Fields as Named<One["path"], Prefix>]?: One["type"] extends "objects"
    ? readonly BodyOf<Fields, `${One["path"]}[].`>[]
    : Values[One["type"]];
} & {
  readonly [One in Extract<Fields, { readonly default: unknown }> as Named<One["path"], Prefix>]: Values[One["type"]];
};
type Body<Name extends RequestName> = BodyOf<(typeof REQUEST_FIELDS)[Name][number]>;

/** The mock also knows `stream_options` of the compatible interface. */
export type ChatBody = Body<"chat"> & { readonly stream_options?: unknown };
export type EmbeddingsBody = Body<"embeddings">;
export type VideoBody = Body<"videos">;

/** The content of a body, or why it is refused. */
export type Reading<T> = { readonly value: T } | { readonly problem: Problem };

export const readChat = (body: Json, rules: Rules): Reading<ChatBody> => read("chat", body, rules);
export const readEmbeddings = (body: Json, rules: Rules): Reading<EmbeddingsBody> => read("embeddings", body, rules);
export const readVideo = (body: Json, rules: Rules): Reading<VideoBody> => read("videos", body, rules);

function read<Name extends RequestName>(name: Name, body: Json, rules: Rules): Reading<Body<Name>> {
  const invalid = (message: string, code: string, param: string | null) => ({
    problem: { status: rules.invalidStatus, message, code, param },
  });
  if (!isObject(body)) return invalid("the body must be a JSON object", "invalid_body", null);
  const fields = rules.fields[name];
  const given = rules.nullable ? withoutNulls(body) : body;
  const absent = fields.find((field) => field.required && isAbsent(given, field.path));
  if (absent !== undefined) {
    const param = plain(absent.path);
    return invalid(`missing required parameter: ${param}`, "missing_required_parameter", param);
  }
  const refused = fields.find((field) => field.refused === true && !isAbsent(given, field.path));
  if (refused !== undefined) {
    return invalid(`${plain(refused.path)} is not supported`, "unsupported", plain(refused.path));
  }
  const sent = rules.coerces ? coerced(fields, given) : given;
  const [wrong] = problemsOf(fields, sent, rules);
  const value: unknown = { ...defaultsOf(fields), ...sent };
  if (isBody<Name>(value, wrong)) return { value };
  const param = wrong?.param ?? null;
  return invalid(`invalid ${param ?? "body"}: ${wrong?.message ?? "not as expected"}`, "invalid_value", param);
}

const defaultsOf = (fields: readonly AcceptedField[]): JsonObject =>
  Object.fromEntries(fields.flatMap(({ path, default: value }) => (value === undefined ? [] : [[path, value]])));

const plain = (path: string): string => path.replace("[]", "");

const withoutNulls = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Whether a field is absent; a member of messages is absent when any message lacks it. */
function isAbsent(body: JsonObject, path: string): boolean {
  const [first = "", member] = path.split("[].");
  const value = body[first];
  if (member === undefined) return value === undefined;
  return Array.isArray(value) && value.some((item: Json) => isObject(item) && item[member] === undefined);
}

interface InvalidValue {
  /** `messages.0.role` */
  readonly param: string;
  readonly message: string;
}

/** A value without a problem in any field has the types of the fields. */
const isBody = <Name extends RequestName>(_value: unknown, wrong: InvalidValue | undefined): _value is Body<Name> =>
  wrong === undefined;

/** The values that the rules refuse, in the order of the fields. */
const problemsOf = (fields: readonly AcceptedField[], body: unknown, rules: Rules): readonly InvalidValue[] =>
  fields.flatMap((field) =>
    valuesAt(body, field.path).flatMap(({ at, value }) => {
      const message = value === undefined ? undefined : problemWith(field, value, rules);
      return message === undefined ? [] : [{ param: at.replace(/\[(\d+)\]/g, ".$1"), message }];
    }),
  );

function problemWith(field: AcceptedField, value: unknown, rules: Rules): string | undefined {
  const violation = violationOf(field, value, COUNTERS[rules.promptUnit]);
  if (violation !== undefined) return `must be ${violation.expected}`;
  if (field.nonEmpty === true && !rules.acceptsEmpty && isEmpty(value)) return "must not be empty";
  return field.refusedValues?.some((refused) => refused === value) === true ? "is not supported" : undefined;
}

const isEmpty = (value: unknown): boolean =>
  value === "" || (Array.isArray(value) && (value.length === 0 || value.includes("")));

/** Lengths of a prompt. The specification does not define "characters": code points, unless a variant counts otherwise. */
const COUNTERS: Readonly<Record<Rules["promptUnit"], (text: string) => number>> = {
  bytes: Buffer.byteLength,
  "utf-16": (text) => text.length,
  "code-points": codePoints,
};

/** The body with the value of every field converted to the field's type, where possible, as lax services do; for faults. */
function coerced(fields: readonly AcceptedField[], body: JsonObject): JsonObject {
  const types = new Map(fields.map(({ path, type }) => [path, type]));
  const members = (object: JsonObject, prefix: string): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, member(value, `${prefix}${name}`)]));
  const member = (value: Json, path: string): Json =>
    Array.isArray(value)
      ? value.map((item: Json) => (isObject(item) ? members(item, `${path}[].`) : turned(item, types.get(path))))
      : turned(value, types.get(path));
  return members(body, "");
}

function turned(value: Json, type: FieldType | undefined): Json {
  if (value === null || typeof value === "object") return value;
  if (type === "string" || type === "texts") return String(value);
  if (type === "boolean") return value === true || value === "true" || value === 1 || value === "1";
  if (type !== "int" && type !== "number") return value;
  const number = Number(value);
  if (Number.isNaN(number)) return value;
  return type === "int" ? Math.trunc(number) : number;
}
