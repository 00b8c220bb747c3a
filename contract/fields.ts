/**
 * Every field of every request and response of the service, once, as the tables of the specification state them. The
 * mock validates requests by them, the load client and the conformance suite check responses by them, and the ledger
 * makes its rows of them.
 *
 * A path names nested members with dots; `[]` stands for every item of an array. Pure data: also runs inside k6.
 */

import {
  ASSISTANT_ROLE,
  EMBEDDING_ITEM_OBJECT,
  EMBEDDING_LIST_OBJECT,
  ENCODING_FORMAT_DEFAULT,
  ENCODING_FORMATS,
  STREAM_DEFAULT,
  TASK_STATES,
  type TaskState,
  TEMPERATURE,
  VIDEO_ASPECT_RATIO_DEFAULT,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATION_DEFAULT,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTION_DEFAULT,
  VIDEO_RESOLUTIONS,
} from "./service.ts";

/** The types of fields, and what a value of each is, in words. */
export const FIELD_TYPE_NAMES = {
  string: "a string",
  int: "an integer",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  numbers: "an array of numbers",
  objects: "an array of objects",
  texts: "a string or an array of strings",
} as const;
export type FieldType = keyof typeof FIELD_TYPE_NAMES;

/** What the specification says of one value. */
export interface ValueRule {
  readonly type: FieldType;
  /** The only values that it allows, where it says so. */
  readonly values?: readonly (string | number)[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxCharacters?: number | undefined;
}

/** A field of a response. */
export interface Field {
  readonly path: string;
  readonly type: FieldType;
  /** The only values that the specification allows, where it says so. */
  readonly values?: readonly string[];
  /** Section of the specification that states the field. */
  readonly section: string;
}

/** A field of a request. */
export interface RequestField extends ValueRule {
  readonly path: string;
  /** A field that is not required is optional. */
  readonly required?: boolean;
  /** What the service takes when the field is absent. */
  readonly default?: string | number | boolean;
  readonly section: string;
}

const stated = <const F extends object>(
  section: string,
  fields: readonly F[],
): readonly (F & { readonly section: string })[] => fields.map((field) => ({ ...field, section }));

/**
 * The fields of each request that has a body, by the name of its path in `PATHS`. A pure call, so that the bundles for
 * k6, where every virtual user holds its own copy, leave them out.
 */
export const REQUEST_FIELDS = /* @__PURE__ */ (() =>
  ({
    chat: stated("Chat completion request", [
      { path: "model", type: "string", required: true },
      { path: "messages", type: "objects", required: true },
      { path: "messages[].role", type: "string", required: true },
      { path: "messages[].content", type: "string", required: true },
      { path: "stream", type: "boolean", default: STREAM_DEFAULT },
      { path: "temperature", type: "number", ...TEMPERATURE },
      { path: "max_tokens", type: "int" },
    ]),
    embeddings: stated("Embedding request", [
      { path: "model", type: "string", required: true },
      { path: "input", type: "texts", required: true },
      { path: "encoding_format", type: "string", values: ENCODING_FORMATS, default: ENCODING_FORMAT_DEFAULT },
    ]),
    videos: stated("Video generation request", [
      { path: "model", type: "string", required: true },
      { path: "prompt", type: "string", required: true, maxCharacters: VIDEO_PROMPT_MAX },
      { path: "duration", type: "int", values: VIDEO_DURATIONS, default: VIDEO_DURATION_DEFAULT },
      { path: "resolution", type: "string", values: VIDEO_RESOLUTIONS, default: VIDEO_RESOLUTION_DEFAULT },
      { path: "aspect_ratio", type: "string", values: VIDEO_ASPECT_RATIOS, default: VIDEO_ASPECT_RATIO_DEFAULT },
    ]),
  }) as const satisfies Readonly<Record<string, readonly RequestField[]>>)();

/** The requests that have a body. */
export type RequestName = keyof typeof REQUEST_FIELDS;

export const CHAT_COMPLETION_FIELDS: readonly Field[] = stated("Chat completion response (non-streaming)", [
  { path: "id", type: "string" },
  { path: "model", type: "string" },
  { path: "choices", type: "array" },
  { path: "choices[].index", type: "int" },
  { path: "choices[].message", type: "object" },
  { path: "choices[].message.role", type: "string", values: [ASSISTANT_ROLE] },
  { path: "choices[].message.content", type: "string" },
  { path: "choices[].finish_reason", type: "string" },
  { path: "usage", type: "object" },
  { path: "usage.prompt_tokens", type: "int" },
  { path: "usage.completion_tokens", type: "int" },
  { path: "usage.total_tokens", type: "int" },
]);

export const EMBEDDING_LIST_FIELDS: readonly Field[] = stated("Embedding response", [
  { path: "object", type: "string", values: [EMBEDDING_LIST_OBJECT] },
  { path: "data", type: "array" },
  { path: "data[].object", type: "string", values: [EMBEDDING_ITEM_OBJECT] },
  { path: "data[].index", type: "int" },
  { path: "data[].embedding", type: "numbers" },
  { path: "model", type: "string" },
  { path: "usage", type: "object" },
  { path: "usage.prompt_tokens", type: "int" },
  { path: "usage.total_tokens", type: "int" },
]);

/** A field of a video task, and the responses that hold it: all, that to a submission, or those in one state. */
export interface TaskField extends Field {
  readonly when: "always" | "submission" | TaskState;
}

export const TASK_FIELDS: readonly TaskField[] = stated("Video generation task (as returned by the endpoints)", [
  { path: "id", type: "string", when: "always" },
  { path: "model", type: "string", when: "submission" },
  { path: "status", type: "string", values: TASK_STATES, when: "always" },
  { path: "created_at", type: "string", when: "submission" },
  { path: "progress", type: "int", when: "processing" },
  { path: "video_url", type: "string", when: "completed" },
  { path: "usage", type: "object", when: "completed" },
  { path: "usage.total_cost", type: "number", when: "completed" },
  { path: "error", type: "object", when: "failed" },
  { path: "error.message", type: "string", when: "failed" },
  { path: "error.code", type: "string", when: "failed" },
]);

const taskFields = (...held: readonly TaskField["when"][]): readonly Field[] =>
  TASK_FIELDS.filter(({ when }) => held.includes(when));

/** The fields of a response that says one status only. */
const inState = (state: TaskState, fields: readonly Field[]): readonly Field[] =>
  fields.map((field) => (field.path === "status" ? { ...field, values: [state] } : field));

export const VIDEO_SUBMISSION_FIELDS = inState("processing", taskFields("always", "submission"));

/** What the response to a poll holds in every state. */
export const VIDEO_TASK_FIELDS = taskFields("always");

/** What the response to a poll holds beyond `VIDEO_TASK_FIELDS`, per state. */
export const VIDEO_STATE_FIELDS: Readonly<Record<TaskState, readonly Field[]>> = {
  processing: taskFields("processing"),
  completed: taskFields("completed"),
  failed: taskFields("failed"),
  cancelled: taskFields("cancelled"),
};

export const VIDEO_CANCELLATION_FIELDS = inState("cancelled", VIDEO_TASK_FIELDS);
