/**
 * `records.jsonl`: a header, then a line per request, as the load client writes them; also lines of arrivals whose requests
 * do not say how they ended, and with `--records summary` lines of gaps. Unknown members are ignored.
 */

import { z } from "zod";
import { OPS } from "../contract/operations.ts";
import { inputDigests, loadMembers, plannedCached, replayed } from "./load.ts";
import { optional } from "./members.ts";
import {
  ARRIVAL_ENDS,
  CANCEL_REASONS,
  CLIENT_FAULTS,
  FLAGS,
  OUTCOMES,
  PHASES,
  STREAM_FORMATS,
  TOKEN_SOURCES,
} from "./outcomes.ts";

/** Longest time that is taken for a measured one, in milliseconds: about three years. */
const LONGEST_MS = 1e11;
/** A time that the load generator measured. */
const ms = z.number().min(0).max(LONGEST_MS).optional();
/** The same between two readings of the clock that need not be in order. */
const difference = z.number().min(-1_000).max(LONGEST_MS).optional();
/** More turns than any conversation is given. */
const MOST_TURNS = 1_000;

/** A number of things that the load generator counted. */
const counted = z.int().min(0).optional();

/** The settings of a load run, as its scenario wrote them. */
export const recordedSettings = z
  .looseObject({
    scenario: z.string().describe("name or file of the scenario"),
    ...loadMembers,
    inputDigests,
    replayed,
    plannedCached,
    target: z.string().describe("base address of the service"),
    duration: z.number().describe("measured time, in milliseconds"),
    warmup: z.number().describe("time before the measured time, recorded but left out of the results, in milliseconds"),
  })
  .describe("settings of the run; durations in milliseconds, rates in arrivals per second");
export type RecordedSettings = z.infer<typeof recordedSettings>;

export const recordHeader = z.object({
  schema: z.literal("assay.records/1"),
  settings: recordedSettings,
  seed: optional.describe("seed of all random choices"),
  segment: z
    .string()
    .nullable()
    .optional()
    .describe("execution segment as k6 writes it, such as 1/4:1/2; absent or null: the whole run"),
  run: z.string().optional().describe("name of the run in a cluster, which all its runners share"),
  k6: z.string().optional().describe("version of k6"),
  k6Sha256: z.string().optional().describe("SHA-256 of the k6 that measures, in hexadecimal"),
  startedAt: z.string().describe("when the run started, ISO 8601 in UTC"),
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

const eventTimes = z.tuple([z.int().min(1), z.int().min(0), z.int().min(0)]).optional();

/** Times in milliseconds from the start of the call; what was not measured is absent. */
export const requestRecord = z.object({
  id: z.string().describe("x-request-id that was sent; of video.fetch it is not"),
  trace_id: z.string().optional().describe("of the W3C traceparent that was sent"),
  op: z.enum(OPS).describe("operation"),
  phase: z.enum(PHASES).describe("phase of the run"),
  arrival: z
    .int()
    .min(0)
    .optional()
    .describe("number of the arrival that it belongs to, from 0, unique over the segments of a run; absent: of none"),
  workload: z.string().optional().describe("name of the workload; absent: the load has one"),
  turn: z
    .int()
    .min(1)
    .max(MOST_TURNS)
    .optional()
    .describe("number of the request within its conversation, from 1; the conversation is the arrival"),
  turns: z.int().min(1).max(MOST_TURNS).optional().describe("how many turns the conversation was to have"),
  tags: z.record(z.string(), z.string()).optional().describe("k6 tags of the request"),
  model: z.string().optional().describe("model of the request"),
  scheduled: instant.describe("when the arrival was scheduled"),
  sent: instant.describe("start of the call"),
  outcome: z.enum(OUTCOMES).describe("how the request ended"),
  detail: z.string().optional().describe("what was wrong, in a sentence"),
  client_fault: z
    .enum(CLIENT_FAULTS)
    .optional()
    .describe("of a client_error: what the load generator's machine lacked"),
  status: z.int().min(0).max(999).optional().describe("HTTP status; absent or 0 without a response"),
  retry_after: z.union([z.string(), z.number()]).optional().describe("Retry-After, in seconds"),
  ttfb: ms.describe("until the status line and headers were read"),
  ttft: ms.describe("until the first event with content was read"),
  ttft_any: ms.describe("like ttft, but reasoning fields count as content too"),
  ttft_scheduled: difference.describe("ttft, from the scheduled start"),
  done: ms.describe("until [DONE] was read"),
  e2e: ms.describe("until the last byte was read"),
  e2e_scheduled: difference.describe("e2e, from the scheduled start"),
  slot_wait: difference.describe("wait for a free slot, of --max-in-flight"),
  lag: difference.describe("schedule lag: how much later the call started than it could have"),
  items: counted.describe("inputs of an embedding request"),
  dimensions: optional.describe("length of the vectors of an embedding response"),
  completion: z.string().optional().describe("id of a chat completion in the response"),
  task: z.string().optional().describe("id of the video task"),
  task_state: z.string().optional().describe("status of the video task in the response"),
  progress: optional.describe("progress of the video task in the response"),
  cost: optional.describe("usage.total_cost of the video task in the response"),
  cancel_reason: z.enum(CANCEL_REASONS).optional().describe("of a request that cancels a video task"),
  cancel_at: z
    .string()
    .optional()
    .describe("of a request that submits a video task which is to be cancelled: when, as --set cancel-at has it"),
  video_seconds: counted.describe(
    "of a request that submits a video task: the duration that was asked for; absent: left to the service",
  ),
  video_resolution: z.string().optional().describe("the resolution that was asked for; absent: left to the service"),
  leave: z
    .string()
    .optional()
    .describe("of a streamed chat whose client was to leave: when, as --leave has it; left if it did"),
  format: z.enum(STREAM_FORMATS).optional().describe("format of a streamed response that is not an event stream"),
  chunks: counted.describe("events with content"),
  coalesced: counted.describe("events with content that came in the same read as the previous one"),
  gaps_us: gaps.optional().describe("time between one event with content and the next, in microseconds"),
  ttlt: ms.describe("with --records summary: until the last event with content was read"),
  ttlt_any: ms.describe("until the last event with content or reasoning was read; absent: no reasoning was seen"),
  empties: eventTimes.describe(
    "events with choices and neither content nor reasoning, such as one with a role or a finish_reason: how many, and microseconds until the first and the last",
  ),
  blanks: eventTimes.describe("of these, those with an empty content and no role"),
  usage_at: ms.describe("until the last event with a usage was read; absent: none, or in the same read as [DONE]"),
  gaps_over_us: z
    .record(z.string(), z.number())
    .optional()
    .describe("with --records summary: number of gaps longer than this many microseconds"),
  done_seen: z.boolean().optional().describe("whether [DONE] was read"),
  finish_reason: z.string().optional().describe("finish_reason of the response"),
  max_tokens: optional.describe("limit of output tokens that was asked for"),
  input_digest: counted.describe(
    "the same for requests with the same input: 52 bits of a hash of the body without what follows the input, such as max_tokens",
  ),
  prefix_digest: counted.describe(
    "the same for requests whose inputs begin alike: that hash of the model and the first 256 bytes of the messages",
  ),
  requested_input_tokens: counted.describe(
    "tokens that the inputs were made to have, with those of earlier responses of the conversation as they were counted",
  ),
  input_tokens: optional.describe("usage.prompt_tokens"),
  output_tokens: optional.describe("usage.completion_tokens, else the number of events with content"),
  reasoning_tokens: optional.describe("usage.completion_tokens_details.reasoning_tokens: of the output tokens"),
  cached_tokens: optional.describe(
    "of the input tokens, those that a cache had: usage.prompt_tokens_details.cached_tokens, else prompt_cache_hit_tokens or cached_tokens of usage",
  ),
  token_source: z.enum(TOKEN_SOURCES).optional().describe("where output_tokens comes from"),
  bytes: counted.describe("size of the response body"),
  reused: z.boolean().optional().describe("whether the connection had been used before"),
  address: z
    .string()
    .optional()
    .describe(
      "of the connection, such as 10.0.0.7:443: that of the target or its proxy; of one that failed, the one tried",
    ),
  lookup: ms.describe("of a new connection: until the name of its host was resolved"),
  connect: ms.describe("of a new connection: from then until it was open, through a tunnel where there is one"),
  tls: ms.describe("of a new connection: its TLS handshake"),
  resent: z
    .union([z.number(), z.boolean()])
    .optional()
    .describe("how often it was sent again because a reused connection was closed"),
  proto: z.string().optional().describe("such as HTTP/1.1"),
  flags: z.array(z.enum(FLAGS)).optional().describe("what is unusual about a response that was measured anyway"),
});
export type RequestRecord = z.infer<typeof requestRecord>;

/**
 * A line of gaps, as `--records summary` writes them: `n` further gaps of `us` microseconds each, of ok requests of this
 * operation, phase and workload. The relative error of each value is at most `error`; the extremes are exact.
 */
export const gapsLine = z.object({
  gaps: z
    .object({
      op: z.enum(OPS).describe("operation"),
      phase: z.enum(PHASES).describe("phase of the run"),
      workload: z.string().optional().describe("name of the workload; absent: the load has one"),
      error: z.number().positive().max(1).describe("largest relative error of a value"),
      us: gaps.describe("values, in microseconds"),
      n: gaps.describe("number of gaps with each value"),
    })
    .refine(({ us, n }) => us.length === n.length, "not as many counts as values")
    .describe("gaps between chunks since the previous such line, of one operation, phase and workload"),
});
export type CountedGaps = z.infer<typeof gapsLine>["gaps"];

/**
 * A line for an arrival whose requests do not say how it ended: it never started, its scenario threw or sent nothing, or
 * the run ended in the middle of it. Every other arrival is told by its requests.
 */
export const arrivalLine = z.object({
  arrival: z
    .object({
      index: z.int().min(0).describe("number of the arrival, as in the records of its requests"),
      phase: z.enum(PHASES).describe("phase of the run"),
      scheduled: instant.describe("when it was scheduled"),
      end: z.enum(ARRIVAL_ENDS).describe("how it ended"),
      detail: z.string().optional().describe("what the scenario threw"),
    })
    .describe("an arrival whose requests do not say how it ended"),
});
export type ArrivalLine = z.infer<typeof arrivalLine>["arrival"];

/** Which kind of line a line after the header is; it may be damaged all the same. */
export function kindOfLine(value: unknown): "request" | "gaps" | "arrival" {
  if (typeof value !== "object" || value === null) return "request";
  if ("gaps" in value) return "gaps";
  return "arrival" in value && typeof value.arrival === "object" ? "arrival" : "request";
}

/** True when a response began. */
export const answered = ({ status, ttfb }: Pick<RequestRecord, "status" | "ttfb">): boolean =>
  (status ?? 0) > 0 || ttfb !== undefined;
