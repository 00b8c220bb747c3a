/**
 * Every metric of Assay once: its unit, what it means and, where one request decides it, how it is read from a record.
 * Reports print the definitions. No imports, so that this file also runs inside k6.
 *
 * Latencies are taken over requests of the phase `measure` whose outcome is `ok`; `over: "all"` marks the others.
 */

/** What the simple metrics need of one request; times in milliseconds, gaps in whole microseconds. */
export interface Figures {
  readonly op: string;
  readonly ttfb?: number | undefined;
  readonly ttft?: number | undefined;
  readonly ttft_any?: number | undefined;
  readonly ttft_scheduled?: number | undefined;
  readonly e2e?: number | undefined;
  readonly e2e_scheduled?: number | undefined;
  readonly slot_wait?: number | undefined;
  readonly lag?: number | undefined;
  readonly items?: number | undefined;
  readonly chunks?: number | undefined;
  /** When the last content came; of records that do not list their gaps. */
  readonly ttlt?: number | undefined;
  readonly gaps_us?: readonly number[] | undefined;
  readonly output_tokens?: number | undefined;
}

export type Unit = "ms" | "1/s" | "share" | "count" | "items";

export interface Metric {
  readonly unit: Unit;
  readonly title: string;
  readonly definition: string;
  /** `distribution` has a mean and percentiles, `scalar` one value, `parts` a count a name. */
  readonly kind: "distribution" | "scalar" | "parts";
  /** Requests that it is taken over, `ok` unless told. */
  readonly over?: "all";
  /** Requests that can have it; absent: all. A report says "not measured" only where it could have been. */
  readonly ops?: readonly string[];
  /** Its value in one request, for the metrics that one request decides. */
  readonly of?: (request: Figures) => number | undefined;
}

/** A gap between two chunks that is longer than this counts as a stall, in milliseconds. */
export const STALL_MS = 1_000;

const STREAMED = ["chat.stream"] as const;
const MODEL_CALLS = ["chat.stream", "chat", "embeddings"] as const;
const VIDEO = ["video.submit", "video.poll", "video.cancel"] as const;

/** Video calls have metrics of their own; a poll's duration says nothing about a model. */
const model = (of: (request: Figures) => number | undefined) => (request: Figures) =>
  request.op.startsWith("video.") ? undefined : of(request);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** From the first content to the last, in whole microseconds; undefined without two of them. */
export function contentUs({ gaps_us, chunks, ttft, ttlt }: Figures): number | undefined {
  if (gaps_us !== undefined) return gaps_us.length === 0 ? undefined : sum(gaps_us);
  if (chunks === undefined || chunks < 2 || ttft === undefined || ttlt === undefined) return undefined;
  return Math.round((ttlt - ttft) * 1_000);
}

function timePerOutputToken(request: Figures): number | undefined {
  const us = contentUs(request);
  const { output_tokens } = request;
  if (us === undefined || output_tokens === undefined || output_tokens < 2) return undefined;
  return us / 1_000 / (output_tokens - 1);
}

export const METRICS = {
  ttft: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Time to first token",
    definition: "read time of the first event with non-empty content, minus the start of the call",
    of: (request) => request.ttft,
  },
  ttft_scheduled: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Time to first token, as scheduled",
    definition:
      "read time of the first event with non-empty content, minus the time at which the arrival was due: what a user would feel, free of coordinated omission",
    of: (request) => request.ttft_scheduled,
  },
  ttft_any: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Time to first token of any kind",
    definition: "like ttft, but reasoning fields count as content too",
    of: (request) => request.ttft_any,
  },
  icl: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Inter-chunk latency",
    definition:
      "time between one content event and the next, every gap of every request, pooled; events that one read brought have gap 0",
  },
  tpot: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Time per output token",
    definition:
      "time from the first to the last content event, divided by (output tokens - 1); tokens from usage, else the number of content events",
    of: timePerOutputToken,
  },
  ttfb: {
    unit: "ms",
    kind: "distribution",
    ops: MODEL_CALLS,
    title: "Time to headers",
    definition: "status line and headers are in, minus the start of the call, which begins before the connection",
    of: model((request) => request.ttfb),
  },
  e2e: {
    unit: "ms",
    kind: "distribution",
    ops: MODEL_CALLS,
    title: "Whole request",
    definition: "last byte of the answer, minus the start of the call; chat and embeddings",
    of: model((request) => request.e2e),
  },
  e2e_scheduled: {
    unit: "ms",
    kind: "distribution",
    ops: MODEL_CALLS,
    title: "Whole request, as scheduled",
    definition: "last byte of the answer, minus the time at which the arrival was due; chat and embeddings",
    of: model((request) => request.e2e_scheduled),
  },
  slot_wait: {
    unit: "ms",
    kind: "distribution",
    over: "all",
    title: "Wait for a slot",
    definition:
      "how long an arrival waited because as many requests as allowed were already open (the target is slow, not the client); every outcome",
    of: (request) => request.slot_wait,
  },
  schedule_lag: {
    unit: "ms",
    kind: "distribution",
    over: "all",
    title: "Lateness of the client",
    definition: "start of the call, minus the later of the time it was due and the time a slot was free; every outcome",
    of: (request) => request.lag,
  },
  requests_per_s: {
    unit: "1/s",
    kind: "scalar",
    title: "Requests a second",
    definition: "requests that ended ok within the measured window, divided by its length",
  },
  output_tokens_per_s: {
    unit: "1/s",
    kind: "scalar",
    ops: ["chat.stream", "chat"],
    title: "Output tokens a second",
    definition:
      "output tokens of ok requests within the measured window (a stream that crosses its edge counts by the share inside), divided by its length",
  },
  error_rate: {
    unit: "share",
    kind: "scalar",
    over: "all",
    title: "Error rate",
    definition:
      "requests that did not end ok, and arrivals that never started, divided by all of both; a cancel refused because its task had already ended is no error, and requests cut off by an interrupt do not count",
  },
  ok: {
    unit: "count",
    kind: "scalar",
    title: "Requests that ended ok",
    definition: "requests of the measured phase with the outcome ok",
  },
  goodput: {
    unit: "1/s",
    kind: "scalar",
    over: "all",
    title: "Goodput",
    definition: "requests that ended ok and met the bound of every latency SLO, divided by the measured time",
  },
  goodput_share: {
    unit: "share",
    kind: "scalar",
    over: "all",
    title: "Goodput, share",
    definition:
      "requests that ended ok and met the bound of every latency SLO, divided by all requests, but for those cut off by an interrupt, and the arrivals that never started",
  },
  stall: {
    unit: "count",
    kind: "scalar",
    ops: STREAMED,
    title: "Stalls",
    definition: `gaps between two content events longer than ${STALL_MS} ms`,
  },
  coalesced: {
    unit: "count",
    kind: "scalar",
    ops: STREAMED,
    title: "Coalesced chunks",
    definition: "content events that came in the same read as the one before, so that their gap is 0",
  },
  embedding_items_per_s: {
    unit: "1/s",
    kind: "scalar",
    ops: ["embeddings"],
    title: "Embedded items a second",
    definition: "inputs of embedding requests that ended ok within the measured window, divided by its length",
  },
  batch_size: {
    unit: "items",
    kind: "distribution",
    ops: ["embeddings"],
    title: "Batch size",
    definition: "inputs of one embedding request",
    of: (request) => (request.op === "embeddings" ? request.items : undefined),
  },
  video_submit: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: submit",
    definition: "duration of the call that submits a task",
    of: (request) => (request.op === "video.submit" ? request.e2e : undefined),
  },
  video_queue: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: queue",
    definition:
      "start of the submission to the end of the first poll that shows progress above zero, where progress is shown; as fine as the polling",
  },
  video_work: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: work",
    definition: "start of the submission to the end of the poll that shows the task completed; completed tasks only",
  },
  video_cancel: {
    unit: "ms",
    kind: "distribution",
    ops: ["video.cancel"],
    title: "Video: cancel",
    definition: "duration of the call that cancels a task",
    of: (request) => (request.op === "video.cancel" ? request.e2e : undefined),
  },
  video_polls: {
    unit: "count",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: polls a task",
    definition: "polls of one task, over tasks that were seen to end",
  },
  video_detection_error: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: lateness of detection",
    definition:
      "the most by which polling can have seen the end late: from the start of the look before it to the end of the poll that shows it",
  },
  video_outcome: {
    unit: "count",
    kind: "parts",
    ops: VIDEO,
    over: "all",
    title: "Video: how tasks ended",
    definition:
      "tasks by end: completed, failed, cancelled, cancel_lost_race (it ended before the cancel), timed_out (given up, then cancelled), orphaned (never seen to end, may still run)",
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** Names of all metrics, in the order in which reports show them. */
export const METRIC_NAMES = Object.keys(METRICS).filter((name): name is MetricName => name in METRICS);

/** A metric by name, with all its optional members visible. */
export const metric = (name: MetricName): Metric => METRICS[name];
