/**
 * What `assay report --as` says that a tool prints, set beside what the tool printed: for the very streams of its run, as the
 * tool read them where it writes that, else as the server's ground truth has them.
 */

import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Outcome } from "../formats/outcomes.ts";
import type { RequestRecord } from "../formats/records.ts";
import type { ToolFigure, ToolResult } from "../formats/run-tools.ts";
import { ToolPrediction } from "../reports/load/tools/predict-tools.ts";
import { formatInstant } from "../settings/instants.ts";
import { type StreamTruth, streamsOf } from "./peer-figures.ts";

/** A figure that a tool printed, in the unit of the prediction. */
export type Printed = Readonly<Partial<Record<"mean" | "p50" | "p95" | "p99" | "value", number>>>;

/** A figure that was predicted and printed. */
export interface Compared {
  /** Such as `Time to First Token p95`. */
  readonly figure: string;
  readonly predicted: number;
  readonly printed: number;
  /** Within 1 %, or within 1 ms. */
  readonly isAlike: boolean;
}

const OUTCOME_OF: Readonly<Record<string, Outcome>> = {
  http_500: "http_error",
  cut: "truncated",
  error_event: "error_frame",
  no_done: "no_done",
};

/** What a tool that writes its times read of a stream, in milliseconds from the start of its call. */
export interface ReadStream {
  readonly id: string;
  /** ISO 8601. */
  readonly sent: string;
  readonly ttft: number | undefined;
  readonly gaps: readonly number[];
  /** How it failed, as the ground truth names it. */
  readonly fault?: string | undefined;
  /** When `[DONE]` was read; absent: with the last chunk. */
  readonly done?: number;
}

/** The streams of the server's ground truth as a load generator without errors would have read them. */
const streamsAsServed = (streams: readonly StreamTruth[]): ReadStream[] =>
  streams.map(({ id, startedAt, actual_ms, fault }) => ({
    id,
    fault,
    sent: startedAt,
    ttft: actual_ms[0],
    gaps: actual_ms.slice(1).map((ms, gap) => ms - (actual_ms[gap] ?? 0)),
  }));

/** A record of such a stream. */
function recordOf({ id, sent, ttft, gaps, fault, done }: ReadStream): RequestRecord {
  const end = done ?? gaps.reduce((sum, gap) => sum + gap, ttft ?? 0);
  return {
    id,
    op: "chat.stream",
    phase: "measure",
    scheduled: sent,
    sent,
    outcome: fault === undefined ? "ok" : (OUTCOME_OF[fault] ?? "http_error"),
    e2e: end,
    ...(ttft !== undefined && {
      ttft,
      gaps_us: gaps.map((gap) => Math.round(gap * 1_000)),
      chunks: gaps.length + 1,
      output_tokens: gaps.length + 1,
      token_source: fault === undefined ? "usage" : "chunks",
    }),
    ...(fault === undefined && { done: end }),
  };
}

/**
 * @param streams of a run of this tool alone, as they were read; absent: as they were served
 * @param ledger the server's ground-truth file of the run
 */
export function predictionOf(tool: string, ledger: string, streams?: readonly ReadStream[]): ToolResult {
  const prediction = new ToolPrediction([tool]);
  const truth = streamsOf(readFileSync(ledger, "utf8").trimEnd().split("\n"));
  const faults = new Map(truth.map(({ id, fault }) => [id, fault]));
  const read = streams?.map((stream) => ({ fault: faults.get(stream.id), ...stream })) ?? streamsAsServed(truth);
  for (const stream of read) prediction.add(recordOf(stream));
  const [result] = prediction.results({ ops: {}, metrics: {}, durationS: 1 });
  if (result === undefined) throw new Error(`There is no tool ${tool} whose figures can be predicted.`);
  return result;
}

/** Sets each figure beside what was printed under its name; those that were not printed are left out. */
export function comparePrediction(result: ToolResult, printed: Readonly<Record<string, Printed>>): Compared[] {
  return result.figures.flatMap((figure) =>
    (["mean", "p50", "p95", "p99", "value"] as const).flatMap((statistic) => {
      const [predicted, other] = [figure[statistic], printed[figure.name]?.[statistic]];
      if (predicted === undefined || other === undefined) return [];
      return [
        {
          figure: `${figure.name} ${statistic}`,
          predicted,
          printed: other,
          isAlike: isAlike(figure, predicted, other),
        },
      ];
    }),
  );
}

const isAlike = ({ unit }: ToolFigure, predicted: number, printed: number): boolean => {
  const off = Math.abs(predicted - printed);
  return off <= Math.abs(printed) * 0.01 || (unit === "ms" && off <= 1);
};

const statistics = z.object({ avg: z.number(), p50: z.number(), p95: z.number(), p99: z.number() });
const average = z.object({ avg: z.number() });
const aiperf = z.object({
  time_to_first_token: statistics,
  inter_token_latency: statistics,
  inter_chunk_latency: statistics,
  request_latency: statistics,
  request_throughput: average,
  output_token_throughput: average,
});

/** The figures of AIPerf's `profile_export_aiperf.json`, by the names that it prints. @throws Error when one is missing */
export function aiperfPrinted(text: string): Record<string, Printed> {
  const report = aiperf.parse(JSON.parse(text));
  const of = ({ avg: mean, p50, p95, p99 }: z.infer<typeof statistics>): Printed => ({ mean, p50, p95, p99 });
  return {
    "Time to First Token": of(report.time_to_first_token),
    "Inter Token Latency": of(report.inter_token_latency),
    "Inter Chunk Latency": of(report.inter_chunk_latency),
    "Request Latency": of(report.request_latency),
    "Request Throughput": { value: report.request_throughput.avg },
    "Output Token Throughput": { value: report.output_token_throughput.avg },
  };
}

const successful = z.object({
  successful: z.object({
    mean: z.number(),
    percentiles: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }),
  }),
});
const guidellm = z.object({
  benchmarks: z.tuple([
    z.object({
      metrics: z.object({
        time_to_first_token_ms: successful,
        inter_token_latency_ms: successful,
        request_latency: successful,
        requests_per_second: successful,
        output_tokens_per_second: successful,
      }),
    }),
  ]),
});

const timings = z.object({
  request_id: z.string(),
  info: z.object({
    timings: z.object({
      request_start: z.number(),
      first_token_iteration: z.number().nullable(),
      last_token_iteration: z.number().nullable(),
      token_iterations: z.number(),
      request_end: z.number(),
    }),
  }),
});
const guidellmRequests = z.object({
  benchmarks: z.tuple([z.object({ requests: z.object({ successful: z.array(timings) }) })]),
});

/** The streams that GuideLLM took for successful, as it read them; it writes no single gaps, and its figures need none. */
export function guidellmStreams(text: string): ReadStream[] {
  const [{ requests }] = guidellmRequests.parse(JSON.parse(text)).benchmarks;
  return requests.successful.map(({ request_id: id, info: { timings: at } }) => {
    const since = (seconds: number | null): number => ((seconds ?? at.request_start) - at.request_start) * 1_000;
    const [first, last] = [since(at.first_token_iteration), since(at.last_token_iteration)];
    const gaps = Array.from({ length: Math.max(0, at.token_iterations - 1) }, (_, gap) =>
      gap === 0 ? last - first : 0,
    );
    return { id, sent: formatInstant(at.request_start * 1_000), ttft: first, gaps, done: since(at.request_end) };
  });
}

/** The figures of GuideLLM's JSON report, by the names in it; its latency of requests is in seconds. @throws Error when one is missing */
export function guidellmPrinted(text: string): Record<string, Printed> {
  const [{ metrics }] = guidellm.parse(JSON.parse(text)).benchmarks;
  const of = ({ successful: { mean, percentiles } }: z.infer<typeof successful>, scale = 1): Printed => ({
    mean: mean * scale,
    p50: percentiles.p50 * scale,
    p95: percentiles.p95 * scale,
    p99: percentiles.p99 * scale,
  });
  const rate = ({ successful: { mean } }: z.infer<typeof successful>): Printed => ({ value: mean });
  return {
    time_to_first_token_ms: of(metrics.time_to_first_token_ms),
    inter_token_latency_ms: of(metrics.inter_token_latency_ms),
    request_latency: of(metrics.request_latency, 1_000),
    requests_per_second: rate(metrics.requests_per_second),
    output_tokens_per_second: rate(metrics.output_tokens_per_second),
  };
}
