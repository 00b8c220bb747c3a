/**
 * The fields that each answer of the service must hold, as data: the load client checks answers against it and the
 * conformance suite makes one clause a row. `schemas.ts` says the same to the type checker; a test keeps them equal.
 *
 * A path names nested members with dots; `[]` stands for every item of an array.
 */

import { ASSISTANT_ROLE, EMBEDDING_ITEM_OBJECT, EMBEDDING_LIST_OBJECT, TASK_STATES } from "./service.ts";

export type FieldType = "string" | "int" | "number" | "object" | "array" | "numbers";

/** What a value of a type is, in words. */
export const FIELD_TYPE_NAMES: Readonly<Record<FieldType, string>> = {
  string: "a string",
  int: "an integer",
  number: "a number",
  object: "an object",
  array: "an array",
  numbers: "an array of numbers",
};

export interface Field {
  readonly path: string;
  readonly type: FieldType;
  /** The only values that the document allows, where it says so. */
  readonly values?: readonly string[];
}

export const CHAT_COMPLETION_FIELDS: readonly Field[] = [
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
];

export const EMBEDDING_LIST_FIELDS: readonly Field[] = [
  { path: "object", type: "string", values: [EMBEDDING_LIST_OBJECT] },
  { path: "data", type: "array" },
  { path: "data[].object", type: "string", values: [EMBEDDING_ITEM_OBJECT] },
  { path: "data[].index", type: "int" },
  { path: "data[].embedding", type: "numbers" },
  { path: "model", type: "string" },
  { path: "usage", type: "object" },
  { path: "usage.prompt_tokens", type: "int" },
  { path: "usage.total_tokens", type: "int" },
];

export const VIDEO_SUBMISSION_FIELDS: readonly Field[] = [
  { path: "id", type: "string" },
  { path: "model", type: "string" },
  { path: "status", type: "string", values: ["processing"] },
  { path: "created_at", type: "string" },
];

/** What a poll's answer holds in every state. */
export const VIDEO_TASK_FIELDS: readonly Field[] = [
  { path: "id", type: "string" },
  { path: "status", type: "string", values: TASK_STATES },
];

/** What a poll's answer holds beyond `VIDEO_TASK_FIELDS`, state by state. */
export const VIDEO_STATE_FIELDS = {
  processing: [{ path: "progress", type: "int" }],
  completed: [
    { path: "video_url", type: "string" },
    { path: "usage", type: "object" },
    { path: "usage.total_cost", type: "number" },
  ],
  failed: [
    { path: "error", type: "object" },
    { path: "error.message", type: "string" },
    { path: "error.code", type: "string" },
  ],
  cancelled: [],
} as const satisfies Record<(typeof TASK_STATES)[number], readonly Field[]>;

export const VIDEO_CANCELLATION_FIELDS: readonly Field[] = [
  { path: "id", type: "string" },
  { path: "status", type: "string", values: ["cancelled"] },
];
