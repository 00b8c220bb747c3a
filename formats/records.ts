/** A line of `records.jsonl` and its header, as the load client writes them. Unknown members are ignored. */

import { z } from "zod";
import { OPS, OUTCOMES, PHASES } from "./outcomes.ts";

export const recordHeader = z.object({
  schema: z.literal("assay.records/1"),
  settings: z.record(z.string(), z.unknown()).default({}),
  seed: z.number().optional(),
  segment: z.union([z.string(), z.null()]).optional(),
  k6: z.string().optional(),
  /** Measured by a k6 without the extension, which sees an answer only when it is whole. */
  stock: z.boolean().optional(),
  startedAt: z.string(),
});
export type RecordHeader = z.infer<typeof recordHeader>;

const ms = z.number().optional();
const instant = z.iso.datetime({ offset: true });
/** Checked by hand: there may be thousands a line, and a check a value by the schema would take most of the time. */
const gaps = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((gap) => Number.isSafeInteger(gap) && gap >= 0),
  "not a list of whole microseconds",
);

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
  status: z.number().optional(),
  retry_after: z.union([z.string(), z.number()]).optional(),
  ttfb: ms,
  ttft: ms,
  ttft_any: ms,
  ttft_scheduled: ms,
  e2e: ms,
  e2e_scheduled: ms,
  slot_wait: ms,
  lag: ms,
  items: z.number().optional(),
  task: z.string().optional(),
  task_state: z.string().optional(),
  progress: z.number().optional(),
  chunks: z.number().optional(),
  coalesced: z.number().optional(),
  gaps_us: gaps.optional(),
  /** Instead of the gaps, with `--records summary`: the time of the last content, and how many gaps were longer than so many microseconds. */
  ttlt: ms,
  gaps_over_us: byName.optional(),
  output_tokens: z.number().optional(),
  token_source: z.enum(["usage", "chunks"]).optional(),
  format: z.string().optional(),
  resent: z.union([z.number(), z.boolean()]).optional(),
  flags: z.array(z.string()).optional(),
  proto: z.string().optional(),
  reused: z.boolean().optional(),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/**
 * A line of gaps, as `--records summary` writes them: `n` gaps more of `us` microseconds each, of ok requests of this kind
 * and phase. Every value is at most the share `error` of itself away from the gaps that it stands for; the extremes are
 * exact.
 */
export const gapsLine = z.object({
  gaps: z
    .object({ op: z.enum(OPS), phase: z.enum(PHASES), error: z.number().positive().max(1), us: gaps, n: gaps })
    .refine(({ us, n }) => us.length === n.length, "not as many counts as values"),
});
export type CountedGaps = z.infer<typeof gapsLine>["gaps"];

/** True when any answer came; a stock k6 forgets the status of one that broke off, but not when it began. */
export const answered = ({ status, ttfb }: RequestRecord): boolean => (status ?? 0) > 0 || ttfb !== undefined;
