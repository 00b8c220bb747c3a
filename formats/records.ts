/**
 * `records.jsonl`: a header, then a line per request, as the load client writes them; with `--records summary` also lines
 * of gaps. Unknown members are ignored.
 */

import { z } from "zod";
import { OPS, OUTCOMES, PHASES } from "./outcomes.ts";

const optional = z.number().optional();

/** The settings of a load run, as its scenario wrote them. Durations in milliseconds, rates in arrivals per second. */
export const recordedSettings = z.looseObject({
  scenario: z.string(),
  target: z.string(),
  duration: z.number(),
  warmup: z.number(),
  drain: optional,
  /** A steady rate as a number, a rate that changes as the text that was given, such as `10..100,100`. */
  rate: z.union([z.number(), z.string()]).optional(),
  /** Virtual users of a closed loop. */
  vus: optional,
  arrival: z.object({ process: z.string(), cv: optional, file: z.string().optional() }).optional(),
  timeScale: optional,
  /** Milliseconds since 1970. */
  startAt: optional,
  maxRequests: optional,
  maxInFlight: optional,
  stall: optional,
  timeout: optional,
  pollInterval: optional,
  seed: optional,
  slo: z.array(z.string()).readonly().optional(),
  chatModel: z.string().optional(),
  embeddingModel: z.string().optional(),
  videoModel: z.string().optional(),
  maxTokens: optional,
  /** File of prompts; absent: the bundled set. */
  prompts: z.string().optional(),
  batchSizes: z.array(z.number()).readonly().optional(),
  cancelShare: optional,
  mix: z
    .array(z.object({ part: z.string(), weight: z.number() }))
    .readonly()
    .optional(),
  /** Names of further request headers, and of the environment variables that held their values. */
  header: z
    .array(z.object({ name: z.string(), variable: z.string() }))
    .readonly()
    .optional(),
  caFile: z.string().optional(),
  insecure: z.boolean().optional(),
  traceparent: z.boolean().optional(),
  records: z.enum(["full", "summary"]).optional(),
  /** Bytes. */
  memoryLimit: optional,
});
export type RecordedSettings = z.infer<typeof recordedSettings>;

export const recordHeader = z.object({
  schema: z.literal("assay.records/1"),
  settings: recordedSettings,
  seed: optional,
  /** As k6 writes it, such as `1/4:1/2`; absent or null: the whole run. */
  segment: z.string().nullable().optional(),
  /** Version of k6. */
  k6: z.string().optional(),
  /** Measured by a k6 without the extension, which sees a response only when it is complete. */
  stock: z.boolean().optional(),
  startedAt: z.string(),
});
export type RecordHeader = z.infer<typeof recordHeader>;

const instant = z.iso.datetime({ offset: true });
/** Checked by hand: a line may hold thousands, and one schema check per value would take most of the time. */
const gaps = z
  .custom<number[]>(
    (value) => Array.isArray(value) && value.every((gap) => Number.isSafeInteger(gap) && gap >= 0),
    "not a list of whole microseconds",
  )
  .meta({ type: "array", items: { type: "integer", minimum: 0 } });

const byName = z.record(z.string(), z.number());

export const requestRecord = z.object({
  id: z.string(),
  trace_id: z.string().optional(),
  op: z.enum(OPS),
  phase: z.enum(PHASES),
  tags: z.record(z.string(), z.string()).optional(),
  scheduled: instant,
  sent: instant,
  outcome: z.enum(OUTCOMES),
  detail: z.string().optional(),
  status: optional,
  retry_after: z.union([z.string(), z.number()]).optional(),
  ttfb: optional,
  ttft: optional,
  ttft_any: optional,
  ttft_scheduled: optional,
  e2e: optional,
  e2e_scheduled: optional,
  slot_wait: optional,
  lag: optional,
  items: optional,
  task: z.string().optional(),
  task_state: z.string().optional(),
  progress: optional,
  chunks: optional,
  coalesced: optional,
  gaps_us: gaps.optional(),
  /** With `--records summary`, in place of the gaps: the time of the last content, and the number of gaps longer than each of these microseconds. */
  ttlt: optional,
  gaps_over_us: byName.optional(),
  output_tokens: optional,
  token_source: z.enum(["usage", "chunks"]).optional(),
  format: z.string().optional(),
  resent: z.union([z.number(), z.boolean()]).optional(),
  flags: z.array(z.string()).optional(),
  proto: z.string().optional(),
  reused: z.boolean().optional(),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/**
 * A line of gaps, as `--records summary` writes them: `n` further gaps of `us` microseconds each, of ok requests of this
 * operation and phase. The relative error of each value is at most `error`; the extremes are exact.
 */
export const gapsLine = z.object({
  gaps: z
    .object({ op: z.enum(OPS), phase: z.enum(PHASES), error: z.number().positive().max(1), us: gaps, n: gaps })
    .refine(({ us, n }) => us.length === n.length, "not as many counts as values"),
});
export type CountedGaps = z.infer<typeof gapsLine>["gaps"];

/** True when a response began; a stock k6 loses the status of one that broke off, but not its first byte. */
export const answered = ({ status, ttfb }: RequestRecord): boolean => (status ?? 0) > 0 || ttfb !== undefined;
