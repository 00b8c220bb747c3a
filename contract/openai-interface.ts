/**
 * The widely used chat and embeddings interface, which the specification only names: each member of a completion, of a
 * chunk of a stream and of a list of embeddings, once. The profile openai checks responses by it.
 */

import { CHAT_COMPLETION_FIELDS, EMBEDDING_LIST_FIELDS, type Field, type ValueRule } from "./fields.ts";
import { ASSISTANT_ROLE } from "./service.ts";

export interface Member extends ValueRule {
  readonly path: string;
  /**
   * What it is to leave the member out: a failure where an official client of a typed language fails on it or loses data,
   * else a warning; absent where it may be left out, or where all clients read that as the null that it may be. A value of
   * another kind is a failure of every member.
   */
  readonly absent?: "FAIL" | "WARN";
  /** May be null; null in place of any other member counts as if it were left out. */
  readonly nullable?: true;
  /** The specification states the member too, so that clauses of its own check it. */
  readonly stated?: true;
}

const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter", "function_call"] as const;
/** Seconds since 1970, of which clients keep 32 bits. */
const SECONDS = { type: "int", min: 0, max: 2 ** 32 - 1 } as const;
const COUNT = { type: "int", min: 0 } as const;
const REQUIRED = { absent: "FAIL" } as const;

const statedFields = (fields: readonly Field[], but: readonly Member[] = []): readonly Member[] =>
  fields
    .filter(({ path }) => !but.some((member) => member.path === path))
    .map(({ path, type, values }) => ({ path, type, values, ...REQUIRED, stated: true }));

/** The members of a completion that the specification does not state, or not as exactly. */
const MORE_OF_COMPLETION: readonly Member[] = [
  { path: "object", type: "string", values: ["chat.completion"], ...REQUIRED },
  { path: "created", ...SECONDS, ...REQUIRED },
  { path: "choices[].message.refusal", type: "string", nullable: true },
  { path: "choices[].message.tool_calls", type: "objects" },
  { path: "choices[].message.annotations", type: "objects" },
  { path: "choices[].finish_reason", type: "string", values: FINISH_REASONS, ...REQUIRED },
  { path: "choices[].logprobs", type: "object", nullable: true },
  { path: "usage.prompt_tokens_details", type: "object" },
  { path: "usage.completion_tokens_details", type: "object" },
  { path: "service_tier", type: "string" },
  { path: "system_fingerprint", type: "string" },
];

export const COMPLETION_MEMBERS: readonly Member[] = [
  ...statedFields(CHAT_COMPLETION_FIELDS, MORE_OF_COMPLETION),
  ...MORE_OF_COMPLETION,
];

export const CHUNK_MEMBERS: readonly Member[] = [
  { path: "id", type: "string", ...REQUIRED },
  { path: "object", type: "string", values: ["chat.completion.chunk"], ...REQUIRED },
  { path: "created", ...SECONDS, ...REQUIRED },
  { path: "model", type: "string", ...REQUIRED },
  { path: "choices", type: "objects", ...REQUIRED },
  { path: "choices[].index", ...COUNT, ...REQUIRED },
  { path: "choices[].delta", type: "object", ...REQUIRED },
  { path: "choices[].delta.role", type: "string", values: [ASSISTANT_ROLE] },
  { path: "choices[].delta.content", type: "string" },
  { path: "choices[].delta.refusal", type: "string" },
  { path: "choices[].delta.tool_calls", type: "objects" },
  { path: "choices[].finish_reason", type: "string", values: FINISH_REASONS, nullable: true, absent: "WARN" },
  { path: "choices[].logprobs", type: "object" },
  { path: "usage", type: "object" },
  { path: "usage.prompt_tokens", ...COUNT, ...REQUIRED },
  { path: "usage.completion_tokens", ...COUNT, ...REQUIRED },
  { path: "usage.total_tokens", ...COUNT, ...REQUIRED },
  { path: "service_tier", type: "string" },
  { path: "system_fingerprint", type: "string" },
];

/** The interface has no member that the specification does not state; with base64, `embedding` is a text. */
export const EMBEDDINGS_MEMBERS: readonly Member[] = statedFields(EMBEDDING_LIST_FIELDS);
