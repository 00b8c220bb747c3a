/**
 * `records.jsonl`: a header, then a line per request, as the load client writes them; also lines of arrivals whose requests
 * do not say how they ended, and with `--records summary` lines of gaps. Unknown members are ignored.
 */

import { z } from "zod";
import {
  ARRIVAL_ENDS,
  CANCEL_REASONS,
  CLIENT_FAULTS,
  FLAGS,
  OPS,
  OUTCOMES,
  PARTS,
  type Part,
  PHASES,
  STREAM_FORMATS,
  TOKEN_SOURCES,
} from "./outcomes.ts";

const optional = z.number().optional();

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

/** The workloads of a load that a file describes. */
const recordedWorkloads = z.object({
  title: z.string().describe("name of the file, without its ending"),
  workloads: z
    .array(
      z.object({
        name: z.string().describe("name of the workload"),
        operation: z
          .enum(Object.keys(PARTS) as Part[])
          .optional()
          .describe("what its arrivals send; absent where it has a scenario"),
        scenario: z.string().optional().describe("file of the user's own that its arrivals run"),
        weight: optional.describe("its part of the arrivals that the workloads share; absent: it has its own"),
        tenant: z.string().optional().describe("on whose behalf it sends"),
        apiKeyEnv: z.string().optional().describe("environment variable of its API key; absent: the keys of the load"),
        settings: z
          .record(z.string(), z.string())
          .describe("settings in which it differs from the load, as a user writes them"),
      }),
    )
    .readonly()
    .describe("the workloads, in the order of the file"),
});

/** The settings of a load run, as its scenario wrote them. */
export const recordedSettings = z
  .looseObject({
    scenario: z.string().describe("name or file of the scenario"),
    target: z.string(),
    duration: z.number(),
    warmup: z.number(),
    drain: optional,
    workload: recordedWorkloads
      .optional()
      .describe("the workloads; absent: the load has one, which the other settings describe"),
    rate: z
      .union([z.number(), z.string()])
      .optional()
      .describe("a steady rate as a number, one that changes as the text that was given, such as 10..100,100"),
    vus: optional.describe("virtual users of a closed loop"),
    shape: z.string().optional().describe("how the rate changes, by name"),
    rampUp: optional,
    arrival: z
      .object({
        process: z
          .string()
          .describe("how gaps between arrivals are drawn: constant, poisson, gamma, or taken from a trace"),
        cv: optional.describe("coefficient of variation of the gaps of gamma"),
        file: z.string().optional().describe("trace file"),
        speed: optional.describe("how many times as fast the trace is replayed; absent: as it was recorded"),
      })
      .optional()
      .describe("how arrivals follow each other"),
    startAt: optional.describe("milliseconds since 1970"),
    maxRequests: optional,
    maxInFlight: optional,
    stall: optional,
    timeout: optional,
    pollInterval: optional,
    taskTimeout: optional,
    seed: optional.describe("seed of all random choices"),
    slo: z.array(z.string()).readonly().optional(),
    noDefaultSlos: z.boolean().optional(),
    abortOn: z.array(z.string()).readonly().optional(),
    abortWhenGone: optional,
    chatModel: z.string().optional(),
    embeddingModel: z.string().optional(),
    videoModel: z.string().optional(),
    maxTokens: z
      .union([z.number(), z.string()])
      .optional()
      .describe("max_tokens of chats; one that is drawn as the text that was given"),
    noUsage: z.boolean().optional(),
    extraBody: z.record(z.string(), z.unknown()).optional().describe("further members of chat requests"),
    prompts: z.string().optional().describe("file of prompts; absent: the bundled set"),
    inputTokens: z.string().optional().describe("--input-tokens, as it was given"),
    sharedPrefixTokens: z.string().optional().describe("as it was given: tokens, and how many texts, such as 1000x4"),
    tokenizer: z
      .string()
      .optional()
      .describe("file of the tokenizer that counted the tokens of prompts that were made"),
    turns: z.string().optional().describe("turns of a conversation, as they were given"),
    thinkTime: z.string().optional().describe("time before each further turn, as it was given"),
    contextLimit: optional.describe("tokens of a conversation at most"),
    batchSizes: z
      .union([z.array(z.number()).readonly(), z.string()])
      .optional()
      .describe("inputs per embedding request, used in turn; by weight as the text that was given"),
    videoDurations: z.string().optional().describe("durations of videos, as they were given"),
    videoResolutions: z.string().optional(),
    videoAspectRatios: z.string().optional(),
    cancelShare: optional,
    cancelAt: z
      .array(z.string())
      .readonly()
      .optional()
      .describe("when video tasks are cancelled: at-once, processing, a progress or a time"),
    pollSchedule: z.string().optional().describe("when video tasks are polled: fixed, jitter or backoff"),
    mix: z
      .array(z.object({ part: z.string().describe("name of the part"), weight: z.number().describe("its weight") }))
      .readonly()
      .optional(),
    header: z
      .array(
        z.object({
          name: z.string().describe("name of the header"),
          variable: z.string().describe("environment variable of its value"),
        }),
      )
      .readonly()
      .optional()
      .describe("further request headers; each value came from an environment variable"),
    caFile: z.string().optional(),
    insecure: z.boolean().optional(),
    traceparent: z.boolean().optional(),
    records: z.enum(["full", "summary"]).optional(),
    memoryLimit: optional.describe("bytes"),
    name: z.string().optional().describe("what the run is called"),
    tag: z.record(z.string(), z.string()).optional().describe("tags of the run by their names"),
    check: optional.describe("share of the arrivals whose exchanges are checked against the specification"),
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
  id: z.string().describe("x-request-id that was sent"),
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
  task: z.string().optional().describe("id of the video task"),
  task_state: z.string().optional().describe("status of the video task in the response"),
  progress: optional.describe("progress of the video task in the response"),
  cost: optional.describe("usage.total_cost of the video task in the response"),
  cancel_reason: z.enum(CANCEL_REASONS).optional().describe("of a request that cancels a video task"),
  cancel_at: z
    .string()
    .optional()
    .describe("of a request that submits a video task which is to be cancelled: when, as --set cancel-at has it"),
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
  requested_input_tokens: counted.describe(
    "tokens that the inputs were made to have, with those of earlier responses of the conversation as they were counted",
  ),
  input_tokens: optional.describe("usage.prompt_tokens"),
  output_tokens: optional.describe("usage.completion_tokens, else the number of events with content"),
  reasoning_tokens: optional.describe("usage.completion_tokens_details.reasoning_tokens: of the output tokens"),
  token_source: z.enum(TOKEN_SOURCES).optional().describe("where output_tokens comes from"),
  bytes: counted.describe("size of the response body"),
  reused: z.boolean().optional().describe("whether the connection had been used before"),
  resent: z
    .union([z.number(), z.boolean()])
    .optional()
    .describe("how often it was sent again because a reused connection was closed"),
  proto: z.string().optional().describe("such as HTTP/1.1"),
  flags: z.array(z.enum(FLAGS)).optional().describe("what is unusual about a response that was measured all the same"),
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
