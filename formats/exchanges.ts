/** One recorded exchange with the target: what judges see, and a line of `exchanges.jsonl`. */

import { z } from "zod";

const FAILURE_KINDS = ["refused", "reset", "timeout", "tls", "dns", "deadline", "other"] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const headers = z.record(z.string(), z.string());

const answerShape = z.object({
  status: z.int(),
  headers,
  /** The body as text; with `base64`, what of it could be read as UTF-8. */
  body: z.string(),
  /** The body's bytes, when they are not UTF-8. */
  base64: z.string().optional(),
  /** The body was longer than the cap, and the rest was not read. */
  truncated: z.boolean(),
  /** Arrivals of the body, from the start of the request. */
  chunks: z.array(z.object({ atMs: z.number(), bytes: z.int() })),
  headersMs: z.number(),
  endMs: z.number(),
});

export const exchangeShape = z.object({
  id: z.int(),
  /** Name of the probe that made it; equal probes have equal names. */
  probe: z.string(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers,
    body: z.string().optional(),
    /** Sent on purpose without a key, or with one that nobody was given. */
    key: z.enum(["none", "wrong"]).optional(),
  }),
  /** Absent when no answer began. */
  answer: answerShape.optional(),
  /** Why no answer came, or why it was cut. */
  failure: z.object({ kind: z.enum(FAILURE_KINDS), message: z.string() }).optional(),
  startedAt: z.string(),
  /** Answered with "try again later", and tried again: no evidence for any clause. */
  retried: z.literal(true).optional(),
});

export type Exchange = z.infer<typeof exchangeShape>;
/** The exchanges of one probe in order, retried ones left out. */
export type Seen = readonly Exchange[];
export type Answer = z.infer<typeof answerShape>;

export const EXCHANGES_SCHEMA = "assay.exchanges/1";
export const VERDICTS_SCHEMA = "assay.verdicts/1";
