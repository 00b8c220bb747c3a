/**
 * Every metric of Assay once: its unit, its definition and how it is computed, be it from one request (`ofRequest`), from one
 * video task (`ofTask`) or all of them (`ofVideo`), from the gaps (`ofGaps`, and of `icl` all of them pooled) or from the
 * totals of the run (`total`). Reports print the definitions. No imports, so that this file also runs inside k6.
 *
 * Latencies are taken over requests of the phase `measure` whose outcome is `ok`; `over: "all"` marks the others.
 */

/** What the polls of one video task showed; milliseconds. */
export interface TaskFigures {
  readonly queue: number | undefined;
  readonly work: number | undefined;
  /** From the scheduled start; undefined in a closed loop. */
  readonly workScheduled: number | undefined;
  readonly polls: number | undefined;
  readonly detectionError: number | undefined;
  /** What it cost, as the target reports; of a completed task. */
  readonly cost: number | undefined;
  /** How long the request for its video took, and how many bytes that has; of one with the outcome ok. */
  readonly fetch: number | undefined;
  readonly bytes: number | undefined;
  /** Its video was requested, and could not be read. */
  readonly unfetched: boolean;
}

/** What a run, or a part of a mixed one, adds up to. Units of work are those that were due in the measured window, without those that were left. */
export interface Totals {
  readonly due: number;
  readonly ok: number;
  /** Another outcome, those that never started or whose scenario threw among them; unfinished ones and client errors are neither. */
  readonly failed: number;
  /** Ok, and within every bound that holds for each request; undefined without such a bound, NaN when records do not tell. */
  readonly good: number | undefined;
  /** Length of the measured window. */
  readonly seconds: number;
  /** What ended within the measured window, whenever it was due. */
  readonly delivered: {
    /** Ok units of work. */
    readonly units: number;
    /** Those of them that are good, as above. */
    readonly good: number | undefined;
    /** Video tasks that were completed; undefined when none was submitted. */
    readonly tasks: number | undefined;
    /** Of ok requests; of a stream that crosses an edge of the window, the share inside. */
    readonly tokens: number | undefined;
    readonly inputTokens: number | undefined;
    readonly items: number | undefined;
  };
}

/** What video tasks add up to. */
export interface VideoTotals {
  /** Polls that were sent within the measured window, and the most of them within one second of it. */
  readonly polls: number;
  readonly pollsInOneSecond: number;
  /** Tasks, and the most of them that were open at once: the mean over one second of the measured window. */
  readonly tasks: number;
  readonly open: number;
  /** Tasks whose cost is known, and the sum of their costs; of the whole run. */
  readonly priced: number;
  readonly cost: number;
  /** Videos that were requested, and those of them that could not be read; of the whole run. */
  readonly fetches: number;
  readonly unfetched: number;
  /** Length of the measured window. */
  readonly seconds: number;
}

/** What is counted of the gaps between chunks. */
export interface GapTotals {
  /** Undefined when a record does not contain it. */
  readonly stalls: number | undefined;
  readonly coalesced: number;
}

export type Unit = "ms" | "1/s" | "share" | "count" | "items" | "tokens" | "cost" | "bytes";

export interface Metric {
  readonly unit: Unit;
  readonly title: string;
  readonly definition: string;
  /** `distribution` has a mean and percentiles, `scalar` one value, `parts` a count per name. */
  readonly kind: "distribution" | "scalar" | "parts";
  /** Requests that it is taken over; absent: those with the outcome ok. */
  readonly over?: "all";
  /** Operations that can have it; absent: all. A report says "not measured" only where it could have been. */
  readonly ops?: readonly string[];
  /** Whether a load generator that is late or short of CPU measures it all the same. */
  readonly independentOfTiming?: true;
  /** Whether it counts from the scheduled start: an open loop has it, and arrivals that never started are samples of it. */
  readonly scheduled?: true;
  /** It is computed of the other objectives where one bounds it, and of no run without. */
  readonly ofObjectives?: true;
  /** What an objective must state for it to be defined. */
  readonly requires?: string;
  /** A metric that most targets share their values with; shown only where the two differ. */
  readonly sameAs?: string;
  /** Shown only where it is above zero in some request. */
  readonly hiddenAtZero?: true;
  /** Where `parts` come from: how many requests had their tokens counted in which way. */
  readonly countedTokens?: true;
  /** Each request has a value of its own: `reports/tables/metric-sql.ts` says which. */
  readonly ofRequest?: true;
  /** Its value for one video task. */
  readonly ofTask?: (task: TaskFigures) => number | undefined;
  /** Its value over all video tasks; `count` is the number of samples. Undefined: not measured. */
  readonly ofVideo?: (video: VideoTotals) => { readonly count: number; readonly value: number | undefined };
  /** Its value over all gaps of the run. */
  readonly ofGaps?: (gaps: GapTotals) => number | undefined;
  /** Its value for the run; `count` is the number of samples. Undefined or not finite: not measured. */
  readonly total?: (totals: Totals) => { readonly count: number; readonly value: number | undefined };
}

/** A gap between two chunks that is longer than this counts as a stall, in milliseconds. */
export const STALL_MS = 1_000;

const STREAMED = ["chat.stream", "custom.stream"] as const;
const CHATS = ["chat.stream", "chat"] as const;
const MODEL_CALLS = ["chat.stream", "chat", "embeddings"] as const;
const TIMED_CALLS = [...MODEL_CALLS, "custom", "custom.stream"] as const;
const VIDEO = ["video.submit", "video.poll", "video.cancel"] as const;

/** Flags of streams that have no time per output token. */
export const UNPACED: readonly string[] = ["buffered", "large-first-event"];

/** What was delivered within the measured window, per second. */
const deliveredPerSecond =
  (amount: (delivered: Totals["delivered"]) => number | undefined) =>
  ({ delivered, seconds }: Totals) => ({
    count: delivered.units,
    value: seconds > 0 ? (amount(delivered) ?? Number.NaN) / seconds : undefined,
  });

/** A share of all units of work that were due; undefined without any. */
const shareOfDue = (part: (totals: Totals) => number | undefined) => (totals: Totals) => {
  const value = part(totals);
  return { count: totals.due, value: totals.due === 0 || value === undefined ? undefined : value / totals.due };
};

const BOUND_FOR_EACH = "a per-request objective such as --slo 'ttft<800ms'";

export const METRICS = {
  ttft: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Time to first token",
    definition: "from the start of the call until the first event with non-empty content was read",
    ofRequest: true,
  },
  ttft_scheduled: {
    unit: "ms",
    kind: "distribution",
    scheduled: true,
    ops: STREAMED,
    title: "Time to first token, from scheduled start",
    definition:
      "from the scheduled start until the first event with non-empty content was read: what a user would experience",
    ofRequest: true,
  },
  ttft_any: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    sameAs: "ttft",
    title: "Time to first token of any kind",
    definition: "like ttft, but reasoning counts as content too; only streams with reasoning",
    ofRequest: true,
  },
  icl: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    title: "Inter-chunk latency",
    definition:
      "time between one content event and the next: every gap of every request. Events of the same read have gap 0. Streams whose content came at once (buffered) are left out",
  },
  tpot: {
    unit: "ms",
    kind: "distribution",
    ops: STREAMED,
    countedTokens: true,
    title: "Time per output token",
    definition:
      "time from the first to the last content event, divided by (output tokens - 1). Tokens are those of usage, without reasoning that was not streamed, else the number of content events. If reasoning was streamed and usage counts it, events and tokens of both count. Streams marked buffered or large-first-event are left out",
    ofRequest: true,
  },
  ttfb: {
    unit: "ms",
    kind: "distribution",
    ops: TIMED_CALLS,
    title: "Time to first byte",
    definition:
      "from the start of the call, which begins before the connection, until the status line and headers were read",
    ofRequest: true,
  },
  e2e: {
    unit: "ms",
    kind: "distribution",
    ops: TIMED_CALLS,
    title: "End-to-end latency",
    definition: "from the start of the call until the last byte of the response was read; not of video requests",
    ofRequest: true,
  },
  e2e_scheduled: {
    unit: "ms",
    kind: "distribution",
    scheduled: true,
    ops: TIMED_CALLS,
    title: "End-to-end latency, from scheduled start",
    definition: "from the scheduled start until the last byte of the response was read; not of video requests",
    ofRequest: true,
  },
  slot_wait: {
    unit: "ms",
    kind: "distribution",
    over: "all",
    title: "Wait for a free slot",
    definition:
      "how long an arrival waited because the maximum number of requests was in flight: the target was slow, not the load generator. Every outcome",
    ofRequest: true,
  },
  schedule_lag: {
    unit: "ms",
    kind: "distribution",
    over: "all",
    title: "Schedule lag",
    definition:
      "start of the call, minus the scheduled time or the time at which a slot was free, whichever is later. Every outcome",
    ofRequest: true,
  },
  requests_per_s: {
    unit: "1/s",
    kind: "scalar",
    title: "Throughput",
    definition:
      "requests (tasks for videos) with the outcome ok that ended within the measured window, divided by its length",
    total: deliveredPerSecond(({ units }) => units),
  },
  output_tokens_per_s: {
    unit: "1/s",
    kind: "scalar",
    ops: CHATS,
    countedTokens: true,
    title: "Output tokens/s",
    definition:
      "output tokens of ok requests within the measured window, divided by its length. A stream that crosses the edge counts with its share inside",
    total: deliveredPerSecond(({ tokens }) => tokens),
  },
  input_tokens_per_s: {
    unit: "1/s",
    kind: "scalar",
    ops: MODEL_CALLS,
    title: "Input tokens/s",
    definition:
      "input tokens (usage.prompt_tokens) of ok requests that ended within the measured window, divided by its length",
    total: deliveredPerSecond(({ inputTokens }) => inputTokens),
  },
  requested_input_tokens: {
    unit: "tokens",
    kind: "distribution",
    ops: MODEL_CALLS,
    hiddenAtZero: true,
    title: "Input tokens, as made",
    definition:
      "tokens that the prompts of one request were made to have, by the tokenizer or the ratio of the load. Earlier turns and responses of its conversation count, the template of the service does not",
    ofRequest: true,
  },
  input_tokens: {
    unit: "tokens",
    kind: "distribution",
    ops: MODEL_CALLS,
    title: "Input tokens",
    definition: "usage.prompt_tokens of one request",
    ofRequest: true,
  },
  max_tokens: {
    unit: "tokens",
    kind: "distribution",
    ops: CHATS,
    title: "max_tokens",
    definition: "max_tokens that one request asked for",
    ofRequest: true,
  },
  output_tokens: {
    unit: "tokens",
    kind: "distribution",
    ops: CHATS,
    countedTokens: true,
    title: "Output tokens",
    definition: "output tokens of one request: usage.completion_tokens, else the number of content events",
    ofRequest: true,
  },
  reasoning_tokens: {
    unit: "tokens",
    kind: "distribution",
    ops: CHATS,
    hiddenAtZero: true,
    title: "Reasoning tokens",
    definition: "output tokens of one request that are reasoning: usage.completion_tokens_details.reasoning_tokens",
    ofRequest: true,
  },
  content_tokens: {
    unit: "tokens",
    kind: "distribution",
    ops: CHATS,
    sameAs: "output_tokens",
    title: "Content tokens",
    definition: "output tokens of one request without the reasoning tokens, if usage states these",
    ofRequest: true,
  },
  error_rate: {
    unit: "share",
    kind: "scalar",
    over: "all",
    independentOfTiming: true,
    title: "Error rate",
    definition:
      "requests (tasks for videos) that failed, never started or whose scenario threw, divided by all that were scheduled in the measured window. Requests that were cut off (unfinished) or failed on the load generator's machine (client_error) are no failures. Those whose client left (--leave) count in neither number",
    total: shareOfDue(({ failed }) => failed),
  },
  ok: {
    unit: "count",
    kind: "scalar",
    independentOfTiming: true,
    title: "Requests with the outcome ok",
    definition: "requests (tasks for videos) that were scheduled in the measured window and ended with the outcome ok",
    total: ({ due, ok }) => ({ count: due, value: ok }),
  },
  goodput: {
    unit: "1/s",
    kind: "scalar",
    over: "all",
    requires: BOUND_FOR_EACH,
    title: "Goodput",
    definition:
      "requests (tasks for videos) that ended ok within the measured window and met every per-request bound, divided by the length of the window. A request without the metric is not good",
    total: ({ due, delivered, seconds }) => ({
      count: due,
      value: seconds > 0 && delivered.good !== undefined ? delivered.good / seconds : undefined,
    }),
  },
  goodput_share: {
    unit: "share",
    kind: "scalar",
    over: "all",
    requires: BOUND_FOR_EACH,
    title: "Goodput, share",
    definition:
      "requests (tasks for videos) with the outcome ok that met every per-request bound, divided by all that were scheduled in the measured window",
    total: shareOfDue(({ good }) => good),
  },
  canary_changed: {
    unit: "share",
    kind: "scalar",
    over: "all",
    independentOfTiming: true,
    title: "Canary responses that changed",
    definition:
      "responses to canary prompts during the load that differ from the one before the load, divided by all that were compared. Prompts without two equal responses before the load are not compared",
  },
  stall: {
    unit: "count",
    kind: "scalar",
    ops: STREAMED,
    title: "Stalls",
    definition: `gaps between two content events longer than ${STALL_MS} ms`,
    ofGaps: ({ stalls }) => stalls,
  },
  coalesced: {
    unit: "count",
    kind: "scalar",
    ops: STREAMED,
    title: "Coalesced chunks",
    definition:
      "content events that came in the same read as the previous one (gap 0). Streams whose content came at once (buffered), or during an interruption of the load generator, are left out",
    ofGaps: ({ coalesced }) => coalesced,
  },
  embedding_items_per_s: {
    unit: "1/s",
    kind: "scalar",
    ops: ["embeddings"],
    title: "Embedding inputs/s",
    definition:
      "inputs of embedding requests with the outcome ok that ended within the measured window, divided by its length",
    total: deliveredPerSecond(({ items }) => items),
  },
  batch_size: {
    unit: "items",
    kind: "distribution",
    ops: ["embeddings"],
    title: "Batch size",
    definition: "inputs of one embedding request",
    ofRequest: true,
  },
  video_submit: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: submit",
    definition: "duration of the call that submits a task",
    ofRequest: true,
  },
  video_queue: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: queue",
    definition:
      "from the start of the submission to the end of the first poll that shows progress above zero. Its resolution is that of the polling",
    ofTask: ({ queue }) => queue,
  },
  video_work: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: work",
    definition:
      "from the start of the submission to the end of the poll that shows the task completed; completed tasks only",
    ofTask: ({ work }) => work,
  },
  video_work_scheduled: {
    unit: "ms",
    kind: "distribution",
    scheduled: true,
    ops: VIDEO,
    title: "Video: work, from scheduled start",
    definition: "from the scheduled start to the end of the poll that shows the task completed; completed tasks only",
    ofTask: ({ workScheduled }) => workScheduled,
  },
  tasks_per_s: {
    unit: "1/s",
    kind: "scalar",
    ops: VIDEO,
    title: "Video: tasks/s",
    definition: "video tasks that were seen to be completed within the measured window, divided by its length",
    total: deliveredPerSecond(({ tasks }) => tasks),
  },
  video_cancel: {
    unit: "ms",
    kind: "distribution",
    ops: ["video.cancel"],
    title: "Video: cancel",
    definition: "duration of the call that cancels a task",
    ofRequest: true,
  },
  video_polls: {
    unit: "count",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: polls per task",
    definition: "polls of one task, over tasks that were seen to end",
    ofTask: ({ polls }) => polls,
  },
  video_polls_per_s: {
    unit: "1/s",
    kind: "scalar",
    over: "all",
    ops: VIDEO,
    title: "Video: polls/s",
    definition: "polls that were sent within the measured window, whatever their outcome, divided by its length",
    ofVideo: ({ polls, seconds }) => ({ count: polls, value: seconds > 0 ? polls / seconds : undefined }),
  },
  video_polls_peak: {
    unit: "1/s",
    kind: "scalar",
    over: "all",
    ops: VIDEO,
    title: "Video: polls/s, peak",
    definition: "the largest number of polls that were sent within one second of the measured window",
    ofVideo: ({ polls, pollsInOneSecond }) => ({ count: polls, value: pollsInOneSecond }),
  },
  video_open: {
    unit: "count",
    kind: "scalar",
    over: "all",
    ops: VIDEO,
    title: "Video: tasks open at once, peak",
    definition:
      "accepted tasks that have not been seen to end: the largest mean over one second of the measured window",
    ofVideo: ({ tasks, open }) => ({ count: tasks, value: open }),
  },
  video_cost: {
    unit: "cost",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: cost per task",
    definition: "usage.total_cost of one task, in the unit of the target; completed tasks only",
    ofTask: ({ cost }) => cost,
  },
  video_cost_sum: {
    unit: "cost",
    kind: "scalar",
    over: "all",
    ops: VIDEO,
    independentOfTiming: true,
    title: "Video: cost of all tasks",
    definition:
      "the sum of usage.total_cost of all completed tasks, in the unit of the target; whole run, warm-up and drain included",
    ofVideo: ({ priced, cost }) => ({ count: priced, value: priced > 0 ? cost : undefined }),
  },
  video_fetch: {
    unit: "ms",
    kind: "distribution",
    ops: ["video.fetch"],
    title: "Video: fetch",
    definition:
      "duration of the request for a completed video, redirects included, until its headers (fetch-video=head) or its last byte (full) were read",
    ofTask: ({ fetch }) => fetch,
  },
  video_bytes: {
    unit: "bytes",
    kind: "distribution",
    ops: ["video.fetch"],
    title: "Video: size",
    definition: "size of a requested video, as its headers state it (head) or as it was read (full)",
    ofTask: ({ bytes }) => bytes,
  },
  video_fetch_failed: {
    unit: "share",
    kind: "scalar",
    over: "all",
    ops: ["video.fetch"],
    independentOfTiming: true,
    title: "Video: fetches that failed",
    definition:
      "videos that could not be read, divided by all that were requested. Causes: a status other than 200, an empty response, a page, an address that is not fetched, or no response. Whole run, warm-up and drain included",
    ofVideo: ({ fetches, unfetched }) => ({ count: fetches, value: fetches > 0 ? unfetched / fetches : undefined }),
  },
  video_detection_error: {
    unit: "ms",
    kind: "distribution",
    ops: VIDEO,
    title: "Video: detection error",
    definition:
      "the largest possible delay of detecting the end of a task. It lasts from the start of the previous poll to the end of the poll that shows it",
    ofTask: ({ detectionError }) => detectionError,
  },
  recovery: {
    unit: "ms",
    kind: "scalar",
    ofObjectives: true,
    title: "Recovery",
    definition:
      "from the end of a spike (the fall of the rate), a rise of the rate that no fall follows, idle time, or an outage, until the upper bounds on percentiles and on the error rate hold for good",
  },
  video_outcome: {
    unit: "count",
    kind: "parts",
    ops: VIDEO,
    over: "all",
    title: "Video: task outcomes",
    definition:
      "accepted tasks by end: completed; cancelled (as asked); cancel_lost_race (completed before the cancel); failed; cancelled_by_target (nobody asked); uncancelled (it went on after the cancel); timed_out (cancelled by Assay); contract (its end is told in another form than the contract has); orphaned (never seen to end, may still run); unfinished (cut off by the end of the run)",
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
/** Those of which each request has a value of its own. */
export type RequestMetricName = {
  [Name in MetricName]: (typeof METRICS)[Name] extends { readonly ofRequest: true } ? Name : never;
}[MetricName];

/** A metric by name, with all its optional members visible. */
export const metric = (name: MetricName): Metric => METRICS[name];

/** Names of the metrics that are measured, in the order in which reports show them. */
export const METRIC_NAMES = Object.keys(METRICS).filter(
  (name): name is MetricName => name in METRICS && metric(name as MetricName).ofObjectives !== true,
);

/**
 * Percentiles that are given, with the smallest sample size for each: ten samples beyond it. `name` is that of
 * `run.json`, `label` the one that reports print and that objectives are written with.
 */
export const QUANTILES = [
  { name: "p50", label: "p50", perMille: 500, minSamples: 20 },
  { name: "p90", label: "p90", perMille: 900, minSamples: 100 },
  { name: "p95", label: "p95", perMille: 950, minSamples: 200 },
  { name: "p99", label: "p99", perMille: 990, minSamples: 1_000 },
  { name: "p999", label: "p99.9", perMille: 999, minSamples: 10_000 },
] as const;
export type QuantileName = (typeof QUANTILES)[number]["name"];
