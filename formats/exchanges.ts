/** A line of `exchanges.jsonl` and its header: one request of a conformance run with its response. */

import { z } from "zod";

export const EXCHANGES_SCHEMA = "assay.exchanges/1";

/**
 * `client`: in recorded traffic, the client left before the response had ended; `machine`: the machine that sent the request
 * lacked something, such as a free source port.
 */
const FAILURE_KINDS = ["refused", "reset", "timeout", "tls", "dns", "machine", "deadline", "client", "other"] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const exchangesHeader = z.object({
  schema: z.literal(EXCHANGES_SCHEMA),
  target: z.string(),
  settings: z.record(z.string(), z.unknown()).default({}),
  startedAt: z.string(),
  tool: z.object({ name: z.string(), version: z.string() }).optional(),
});

const headers = z.record(z.string(), z.string());

const answer = z.object({
  status: z.int(),
  headers,
  /** The body as text; with `base64`, what of it could be read as UTF-8. */
  body: z.string(),
  /** The body's bytes, when they are not UTF-8. */
  base64: z.string().optional(),
  /** The body was longer than the cap, and the rest was not read. */
  truncated: z.boolean(),
  /** Arrivals of the body, in milliseconds from the start of the request; after many, the last stands for all that follow. */
  chunks: z.array(z.object({ atMs: z.number(), bytes: z.int() })),
  headersMs: z.number(),
  endMs: z.number(),
});
export type Answer = z.infer<typeof answer>;

export const exchangeLine = z.object({
  id: z.int(),
  /** Name of the probe that sent it; equal probes have equal names. */
  probe: z.string(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers,
    body: z.string().optional(),
    /** Sent on purpose without a key, with one that nobody was given, or with the key alone, without Bearer. */
    key: z.enum(["none", "wrong", "bare"]).optional(),
  }),
  /** Absent when no response began. */
  answer: answer.optional(),
  /** Why there was no response, or why it was cut. */
  failure: z.object({ kind: z.enum(FAILURE_KINDS), message: z.string() }).optional(),
  startedAt: z.string(),
  /** The response asked to try again later, and the request was repeated: no evidence for any clause. */
  retried: z.literal(true).optional(),
  /** A secret was taken out of the address, the body or the response: judged again, it may lead to another verdict. */
  redacted: z.literal(true).optional(),
});
export type Exchange = z.infer<typeof exchangeLine>;
/** The exchanges of one probe in order, retried ones left out. */
export type Exchanges = readonly Exchange[];
