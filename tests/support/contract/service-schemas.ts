/**
 * The test oracle of the service: every request and response as a zod schema, written by hand from the specification
 * and independent of `contract/`, so that an error in the contract's tables does not hide itself. For tests only.
 * Unknown members pass: the specification does not forbid them.
 */

import { z } from "zod";

const chatMessage = z.looseObject({ role: z.string(), content: z.string() });

export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessage),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().optional(),
});

export const chatCompletion = z.looseObject({
  id: z.string(),
  model: z.string(),
  choices: z
    .array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.literal("assistant"), content: z.string() }),
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

export const embeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  encoding_format: z.enum(["float", "base64"]).optional(),
});

export const embeddingList = z.looseObject({
  object: z.literal("list"),
  data: z.array(
    z.looseObject({
      object: z.literal("embedding"),
      index: z.int(),
      embedding: z.array(z.number()),
    }),
  ),
  model: z.string(),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

export const videoRequest = z.looseObject({
  model: z.string(),
  prompt: z.string().refine((prompt) => [...prompt].length <= 2000, "at most 2000 characters"),
  duration: z.literal([5, 10]).optional(),
  resolution: z.enum(["720p", "1080p"]).optional(),
  aspect_ratio: z.enum(["16:9", "9:16", "1:1"]).optional(),
});

/** ISO 8601 in UTC: `Z` or a zero offset, any fraction of a second; or its basic form, `20260131T120000Z`. */
export const utcTimestamp = z.union([
  z.iso.datetime({ offset: true }).refine((text) => /(?:Z|[+-]00:?00)$/.test(text), "not in UTC"),
  z.string().regex(/^\d{8}T\d{6}Z$/, "not in the basic form"),
]);

export const videoSubmission = z.looseObject({
  id: z.string(),
  model: z.string(),
  status: z.literal("processing"),
  created_at: utcTimestamp,
});

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

export const videoCancellation = z.looseObject({ id: z.string(), status: z.literal("cancelled") });
