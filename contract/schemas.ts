/**
 * Every request and answer of the service as a zod schema. Unknown members pass: the document does not forbid them.
 */

import { z } from "zod";
import {
  ASSISTANT_ROLE,
  EMBEDDING_ITEM_OBJECT,
  EMBEDDING_LIST_OBJECT,
  ENCODING_FORMATS,
  TEMPERATURE,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTIONS,
} from "./service.ts";

export const chatMessage = z.looseObject({ role: z.string(), content: z.string() });

export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessage),
  stream: z.boolean().optional(),
  temperature: z.number().min(TEMPERATURE.min).max(TEMPERATURE.max).optional(),
  max_tokens: z.int().optional(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

export const chatCompletion = z.looseObject({
  id: z.string(),
  model: z.string(),
  choices: z
    .array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.literal(ASSISTANT_ROLE), content: z.string() }),
        finish_reason: z.string(),
      }),
    )
    .min(1),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
  }),
});
export type ChatCompletion = z.infer<typeof chatCompletion>;

export const embeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  encoding_format: z.enum(ENCODING_FORMATS).optional(),
});
export type EmbeddingRequest = z.infer<typeof embeddingRequest>;

export const embeddingList = z.looseObject({
  object: z.literal(EMBEDDING_LIST_OBJECT),
  data: z.array(
    z.looseObject({
      object: z.literal(EMBEDDING_ITEM_OBJECT),
      index: z.int(),
      embedding: z.array(z.number()),
    }),
  ),
  model: z.string(),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
});
export type EmbeddingList = z.infer<typeof embeddingList>;

export const videoRequest = z.looseObject({
  model: z.string(),
  prompt: z
    .string()
    .refine((prompt) => [...prompt].length <= VIDEO_PROMPT_MAX, `at most ${VIDEO_PROMPT_MAX} characters`),
  duration: z.literal(VIDEO_DURATIONS).optional(),
  resolution: z.enum(VIDEO_RESOLUTIONS).optional(),
  aspect_ratio: z.enum(VIDEO_ASPECT_RATIOS).optional(),
});
export type VideoRequest = z.infer<typeof videoRequest>;

/** ISO 8601 in UTC: `Z` or a zero offset, any fraction of a second. */
export const utcTimestamp = z.iso
  .datetime({ offset: true })
  .refine((text) => /(?:Z|[+-]00:?00)$/.test(text), "not in UTC");

export const videoSubmission = z.looseObject({
  id: z.string(),
  model: z.string(),
  status: z.literal("processing"),
  created_at: utcTimestamp,
});
export type VideoSubmission = z.infer<typeof videoSubmission>;

export const videoTask = z.discriminatedUnion("status", [
  z.looseObject({ id: z.string(), status: z.literal("processing"), progress: z.int() }),
  z.looseObject({
    id: z.string(),
    status: z.literal("completed"),
    video_url: z.string(),
    usage: z.looseObject({ total_cost: z.number() }),
  }),
  z.looseObject({
    id: z.string(),
    status: z.literal("failed"),
    error: z.looseObject({ message: z.string(), code: z.string() }),
  }),
  z.looseObject({ id: z.string(), status: z.literal("cancelled") }),
]);
export type VideoTask = z.infer<typeof videoTask>;

export const videoCancellation = z.looseObject({ id: z.string(), status: z.literal("cancelled") });
export type VideoCancellation = z.infer<typeof videoCancellation>;
