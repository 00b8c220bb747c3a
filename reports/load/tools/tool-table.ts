/**
 * How other load tools measure streamed chats, by their code: a row per tool, and in it a row per figure. Read in the packages
 * of the versions that are named; `npm run bench:peers` compares what follows from the rows with what the tools print.
 */

import type { Outcome } from "../../../formats/outcomes.ts";
import type { MetricName } from "../../../load/objectives/metrics.ts";
import type { Quantity } from "./quantities.ts";

/** How a percentile is taken: the value of its rank, or interpolated between two. */
export type Ranks = "nearest" | "linear";

export interface ToolLatency {
  /** What the tool calls it. */
  readonly name: string;
  /** The metric of Assay that it is set beside. */
  readonly metric: Extract<MetricName, "ttft" | "tpot" | "icl" | "e2e">;
  readonly quantity: Quantity;
  /** Taken over failed requests too. */
  readonly ofAll?: true;
}

export interface ToolRate {
  readonly name: string;
  readonly metric: Extract<MetricName, "requests_per_s" | "output_tokens_per_s">;
  /** Counts failed requests too. */
  readonly ofAll?: true;
}

export interface Tool {
  readonly version: string;
  /** Outcomes that it takes for success, in addition to `ok`. */
  readonly successful: readonly Outcome[];
  /** Whether a stream without the first event that it looks for has failed, also one with the outcome `ok`. */
  readonly needsFirst?: Quantity;
  readonly ranks: Ranks;
  readonly latencies: readonly ToolLatency[];
  /** Rates are of the time from the first request to this end of the last. */
  readonly ends: Quantity;
  readonly rates: readonly ToolRate[];
  /** The time of its rates begins with its schedule, one interval between requests before the first of them. */
  readonly beginsBefore?: true;
  /** Counts no output tokens of requests without a usage. */
  readonly needsUsage?: true;
  /** What the figures assume. */
  readonly notes: readonly string[];
}

const NO_WARMUP = "It leaves out no warm-up by default, so all requests of the run count.";
const TOKENIZER = "Its tokenizer counts the output tokens; it is assumed to count as many as the usage says.";
const VLLM_RATES: readonly ToolRate[] = [
  { name: "Request throughput", metric: "requests_per_s" },
  { name: "Output token throughput", metric: "output_tokens_per_s" },
];

/** By the names that `--as` takes. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  "vllm-bench": {
    version: "0.33.0",
    successful: ["no_done", "error_frame"],
    needsFirst: "first-token",
    ranks: "linear",
    latencies: [
      { name: "TTFT", metric: "ttft", quantity: "first-token" },
      { name: "TPOT", metric: "tpot", quantity: "tpot-token" },
      { name: "ITL", metric: "icl", quantity: "gaps-token" },
      { name: "E2EL", metric: "e2e", quantity: "last-token" },
    ],
    ends: "e2e",
    rates: VLLM_RATES,
    notes: [NO_WARMUP],
  },
  "vllm-bench-0.11": {
    version: "0.11.0",
    successful: ["no_done", "error_frame"],
    ranks: "linear",
    latencies: [
      { name: "TTFT", metric: "ttft", quantity: "first-event" },
      { name: "TPOT", metric: "tpot", quantity: "tpot-event" },
      { name: "ITL", metric: "icl", quantity: "gaps-event" },
      { name: "E2EL", metric: "e2e", quantity: "last-event" },
    ],
    ends: "e2e",
    rates: VLLM_RATES,
    notes: [NO_WARMUP],
  },
  aiperf: {
    version: "0.13.0",
    successful: ["no_done", "error_frame"],
    needsFirst: "first-any",
    ranks: "linear",
    latencies: [
      { name: "Time to First Token", metric: "ttft", quantity: "first-any" },
      { name: "Inter Token Latency", metric: "tpot", quantity: "tpot-of-usage" },
      { name: "Inter Chunk Latency", metric: "icl", quantity: "gaps-content" },
      { name: "Request Latency", metric: "e2e", quantity: "last-any" },
    ],
    ends: "last-any",
    beginsBefore: true,
    needsUsage: true,
    rates: [
      { name: "Request Throughput", metric: "requests_per_s" },
      { name: "Output Token Throughput", metric: "output_tokens_per_s" },
    ],
    notes: [NO_WARMUP, "With --use-server-token-count; without it, its tokenizer counts the output tokens."],
  },
  guidellm: {
    version: "0.8.1",
    successful: ["no_done"],
    needsFirst: "first-any",
    ranks: "nearest",
    latencies: [
      { name: "time_to_first_token_ms", metric: "ttft", quantity: "first-any" },
      { name: "inter_token_latency_ms", metric: "tpot", quantity: "tpot-any" },
      { name: "request_latency", metric: "e2e", quantity: "done" },
    ],
    ends: "done",
    rates: [
      { name: "requests_per_second", metric: "requests_per_s" },
      { name: "output_tokens_per_second", metric: "output_tokens_per_s" },
    ],
    notes: [NO_WARMUP],
  },
  "inference-perf": {
    version: "0.7.0",
    successful: ["no_done", "error_frame", "malformed"],
    ranks: "linear",
    latencies: [
      { name: "time_to_first_token", metric: "ttft", quantity: "first-of-several" },
      { name: "time_per_output_token", metric: "tpot", quantity: "tpot-content" },
      { name: "inter_token_latency", metric: "icl", quantity: "gaps-of-tokens" },
      { name: "request_latency", metric: "e2e", quantity: "e2e" },
    ],
    ends: "e2e",
    rates: [
      { name: "requests_per_sec", metric: "requests_per_s" },
      { name: "output_tokens_per_sec", metric: "output_tokens_per_s" },
    ],
    notes: [NO_WARMUP, TOKENIZER, "It prints seconds."],
  },
  "genai-bench": {
    version: "0.0.5",
    successful: ["no_done"],
    needsFirst: "first-any",
    ranks: "linear",
    latencies: [
      { name: "ttft", metric: "ttft", quantity: "first-any" },
      { name: "tpot", metric: "tpot", quantity: "tpot-usage" },
      { name: "e2e_latency", metric: "e2e", quantity: "usage" },
    ],
    ends: "usage",
    rates: [
      { name: "requests_per_second", metric: "requests_per_s" },
      { name: "mean_output_throughput_tokens_per_s", metric: "output_tokens_per_s" },
    ],
    notes: [NO_WARMUP, "It prints seconds, and its rates include the time in which it starts and stops its users."],
  },
  k6: {
    version: "2.2.0",
    successful: ["no_done", "error_frame", "malformed", "contract"],
    ranks: "linear",
    latencies: [
      { name: "http_req_waiting", metric: "ttft", quantity: "headers", ofAll: true },
      { name: "http_req_duration", metric: "e2e", quantity: "e2e", ofAll: true },
    ],
    ends: "e2e",
    rates: [{ name: "http_reqs", metric: "requests_per_s", ofAll: true }],
    notes: [
      NO_WARMUP,
      "Its own HTTP module reads a stream as one body. It counts a request from a connection that is open, Assay from before that: its times of requests that opened one are shorter.",
    ],
  },
};
