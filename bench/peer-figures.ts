/** What a tool reports of a load of streams, and the same figures computed from the ground truth by the tool's definitions. Pure. */

import { z } from "zod";
import { quantile } from "../reports/load/stats/quantiles.ts";

/** Times in milliseconds; NaN: not reported. */
export interface Figures {
  readonly ttftP50: number;
  readonly ttftP95: number;
  /** Time between chunks, by the tool's definition. */
  readonly iclMean: number;
  readonly iclP95: number;
  readonly requestsPerS: number;
  readonly tokensPerS: number;
  readonly ok: number;
  readonly failed: number;
  /** Streams whose time to first token is in its percentiles. */
  readonly timed: number;
}

/** By what definitions a tool arrives at its figures. All times are those of streams that it takes for ok. */
export interface Definitions {
  /** What the mean and the percentiles of the time between chunks are of: single gaps, or the mean gap of each stream. */
  readonly icl: "gaps" | "means";
  /** Seconds from the first arrival for which throughput is counted; without: until the last response ended. */
  readonly windowS?: number;
}

const streamTruth = z.object({
  id: z.string(),
  startedAt: z.string(),
  actual_ms: z.array(z.number()),
  fault: z.string().optional(),
});
/** A line of the server's ground truth that is of a stream. */
export type StreamTruth = Readonly<z.infer<typeof streamTruth>>;

/** The streams of a ground-truth file; what it says of other requests is left out. @throws Error on a line of another form */
export const streamsOf = (lines: readonly string[]): StreamTruth[] =>
  lines
    .map((line) => streamTruth.parse(JSON.parse(line)))
    .filter(({ actual_ms, fault }) => actual_ms.length > 0 || fault !== undefined);

/** The figures that a tool without errors would report of these streams. */
export function trueFigures(streams: readonly StreamTruth[], { icl, windowS }: Definitions): Figures {
  const ok = streams.filter(({ fault }) => fault === undefined);
  const ttft = ascending(ok.map(({ actual_ms }) => actual_ms[0] ?? Number.NaN));
  const gaps = ok.map(({ actual_ms }) => actual_ms.slice(1).map((at, index) => at - (actual_ms[index] ?? Number.NaN)));
  const icls = ascending(icl === "gaps" ? gaps.flat() : gaps.map(mean));
  const ends = (of: readonly StreamTruth[]) => of.map((stream) => timesOf(stream).at(-1) ?? epochMs(stream));
  const first = smallest(streams.map(epochMs));
  const last = windowS === undefined ? largest(ends(streams)) : first + windowS * 1_000;
  const perS = (times: readonly number[]): number => (times.filter((at) => at <= last).length * 1_000) / (last - first);
  return {
    ttftP50: quantile(ttft, 500),
    ttftP95: quantile(ttft, 950),
    iclMean: mean(icls),
    iclP95: quantile(icls, 950),
    requestsPerS: perS(ends(ok)),
    tokensPerS: perS(ok.flatMap(timesOf)),
    ok: ok.length,
    failed: streams.length - ok.length,
    timed: ok.length,
  };
}

/** ISO 8601 with microseconds, as milliseconds since 1970. */
function epochMs({ startedAt }: StreamTruth): number {
  const micros = /\.\d{3}(\d{3})Z$/.exec(startedAt)?.[1] ?? "0";
  return Date.parse(startedAt) + Number(micros) / 1_000;
}

/** When the chunks of a stream were written, in milliseconds since 1970. */
function timesOf(stream: StreamTruth): number[] {
  const start = epochMs(stream);
  return stream.actual_ms.map((ms) => start + ms);
}

const ascending = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();
const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
const smallest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const largest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);

const average = z.object({ avg: z.number() });
const statistics = average.extend({ p50: z.number(), p95: z.number(), count: z.number() });
const aiperfExport = z.object({
  time_to_first_token: statistics,
  inter_chunk_latency: statistics,
  request_throughput: average,
  output_token_throughput: average,
  request_count: average,
  error_request_count: average.default({ avg: 0 }),
});

/** Of the single gaps; throughput from the first request to the end of the last response. */
export const AIPERF_DEFINITIONS: Definitions = { icl: "gaps" };

/** The figures in AIPerf's `profile_export_aiperf.json`. @throws Error when one is missing */
export function aiperfFigures(text: string): Figures {
  const report = aiperfExport.parse(JSON.parse(text));
  return {
    ttftP50: report.time_to_first_token.p50,
    ttftP95: report.time_to_first_token.p95,
    iclMean: report.inter_chunk_latency.avg,
    iclP95: report.inter_chunk_latency.p95,
    requestsPerS: report.request_throughput.avg,
    tokensPerS: report.output_token_throughput.avg,
    ok: report.request_count.avg,
    failed: report.error_request_count.avg,
    timed: report.time_to_first_token.count,
  };
}

const successful = z.object({
  successful: z.object({
    mean: z.number(),
    count: z.number(),
    percentiles: z.object({ p50: z.number(), p95: z.number() }),
  }),
});
const guidellmReport = z.object({
  benchmarks: z.tuple([
    z.object({
      metrics: z.object({
        request_totals: z.object({ successful: z.number(), errored: z.number() }),
        time_to_first_token_ms: successful,
        inter_token_latency_ms: successful,
        requests_per_second: successful,
        output_tokens_per_second: successful,
      }),
    }),
  ]),
});

/** Of the mean gap of each request; throughput from the first request to the end of the last response. */
export const GUIDELLM_DEFINITIONS: Definitions = { icl: "means" };

/** The figures of successful requests in GuideLLM's JSON report. @throws Error when one is missing */
export function guidellmFigures(text: string): Figures {
  const [{ metrics }] = guidellmReport.parse(JSON.parse(text)).benchmarks;
  const ttft = metrics.time_to_first_token_ms.successful;
  const itl = metrics.inter_token_latency_ms.successful;
  return {
    ttftP50: ttft.percentiles.p50,
    ttftP95: ttft.percentiles.p95,
    iclMean: itl.mean,
    iclP95: itl.percentiles.p95,
    requestsPerS: metrics.requests_per_second.successful.mean,
    tokensPerS: metrics.output_tokens_per_second.successful.mean,
    ok: metrics.request_totals.successful,
    failed: metrics.request_totals.errored,
    timed: ttft.count,
  };
}
