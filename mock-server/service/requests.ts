/** Judges a request's body by the rules: what it says, or why it is refused. */

import { z } from "zod";
import { isObject, type Json } from "../../lib/json.ts";
import type { Problem } from "../base/mock-response.ts";
import { REQUEST_FIELDS, type RequestField, type Rules } from "../base/rules.ts";
import { coerced } from "./coerce.ts";
import { codePoints } from "./reply-text.ts";

type Area = "chat" | "embeddings" | "video";
type Schemas = ReturnType<typeof schemasOf>;
export type ChatBody = z.infer<Schemas["chat"]>;
export type EmbeddingsBody = z.infer<Schemas["embeddings"]>;
export type VideoBody = z.infer<Schemas["video"]>;

/** Schemas of one set of rules, built once for each set. */
const built = new WeakMap<Rules, Schemas>();

/** What a body says, or why it is refused. */
export type Reading<T> = { readonly value: T } | { readonly problem: Problem };

export const readChat = (body: Json, rules: Rules): Reading<ChatBody> => read("chat", body, rules, ({ chat }) => chat);
export const readEmbeddings = (body: Json, rules: Rules): Reading<EmbeddingsBody> =>
  read("embeddings", body, rules, ({ embeddings }) => embeddings);
export const readVideo = (body: Json, rules: Rules): Reading<VideoBody> =>
  read("video", body, rules, ({ video }) => video);

function read<T>(area: Area, body: Json, rules: Rules, pick: (schemas: Schemas) => z.ZodType<T>): Reading<T> {
  const invalid = (message: string, code: string, param: string | null) => ({
    problem: { status: rules.invalidStatus, message, code, param },
  });
  if (!isObject(body)) return invalid("the body must be a JSON object", "invalid_body", null);
  const given = rules.nullable ? withoutNulls(body) : body;
  const absent = fieldsOf(area).find((field) => rules.required[field] && isAbsent(given, field));
  if (absent !== undefined) {
    const param = nameOf(absent);
    return invalid(`missing required parameter: ${param}`, "missing_required_parameter", param);
  }
  const refused = rules.refusedFields.find((field) => field.startsWith(`${area}.`) && !isAbsent(given, field));
  if (refused !== undefined) return invalid(`${nameOf(refused)} is not supported`, "unsupported", nameOf(refused));
  const schemas = built.get(rules) ?? schemasOf(rules);
  built.set(rules, schemas);
  const result = pick(schemas).safeParse(rules.coerces ? coerced(area, given) : given);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  const param = issue?.path.join(".") ?? null;
  return invalid(`invalid ${param ?? "body"}: ${issue?.message ?? "not as expected"}`, "invalid_value", param);
}

const fieldsOf = (area: Area): readonly RequestField[] => FIELD_NAMES.filter((field) => field.startsWith(`${area}.`));
const isField = (name: string): name is RequestField => Object.hasOwn(REQUEST_FIELDS, name);
const FIELD_NAMES: readonly RequestField[] = Object.keys(REQUEST_FIELDS).filter(isField);

const nameOf = (field: RequestField): string => field.slice(field.indexOf(".") + 1);

const withoutNulls = (body: Json): Json =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body;

/** Whether a field is not there; a member of messages is absent when any message lacks it. */
function isAbsent(body: Json, field: RequestField): boolean {
  if (!isObject(body)) return true;
  const [first = "", second] = nameOf(field).split(".");
  const value = body[first];
  if (second === undefined) return value === undefined;
  return Array.isArray(value) && value.some((item: Json) => isObject(item) && item[second] === undefined);
}

function schemasOf(rules: Rules) {
  const { acceptsEmpty, refusedRoles, temperature } = rules;
  const some = acceptsEmpty ? 0 : 1;
  const oneOf =
    <T extends string | number>(allowed: readonly T[] | undefined) =>
    (value: T) =>
      allowed === undefined || allowed.includes(value);
  const list = <T>(allowed: readonly T[] | undefined) => `must be one of ${allowed?.join(", ")}`;
  const role = z.string().refine((value) => !refusedRoles.includes(value), "role is not supported");
  const text = z.string().min(some, "must not be empty");
  return {
    chat: z.looseObject({
      model: z.string().optional(),
      messages: z
        .array(z.looseObject({ role: role.optional(), content: z.string().optional() }))
        .min(some, "must not be empty")
        .optional(),
      stream: z.boolean().optional(),
      temperature: z.number().min(temperature.min).max(temperature.max).optional(),
      max_tokens: z.int().min(1).optional(),
      stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish().catch(undefined),
    }),
    embeddings: z.looseObject({
      model: z.string().optional(),
      input: z.union([text, z.array(text).min(some, "must not be empty")]).optional(),
      encoding_format: z.string().refine(oneOf(rules.encodingFormats), list(rules.encodingFormats)).optional(),
    }),
    video: z.looseObject({
      model: z.string().optional(),
      prompt: text
        .refine(
          (prompt) => lengthOf(prompt, rules.promptUnit) <= rules.promptMax,
          `must hold at most ${rules.promptMax} characters`,
        )
        .optional(),
      duration: z.int().refine(oneOf(rules.durations), list(rules.durations)).optional(),
      resolution: z.string().refine(oneOf(rules.resolutions), list(rules.resolutions)).optional(),
      aspect_ratio: z.string().refine(oneOf(rules.aspectRatios), list(rules.aspectRatios)).optional(),
    }),
  };
}

/** Length of a prompt. The document says "characters" and no more: code points unless a behaviour counts otherwise. */
function lengthOf(prompt: string, unit: Rules["promptUnit"]): number {
  if (unit === "bytes") return Buffer.byteLength(prompt);
  return unit === "utf-16" ? prompt.length : codePoints(prompt);
}
