import { expect, test } from "vitest";
import { aiperfFigures, guidellmFigures, streamsOf, trueFigures } from "../../bench/peer-figures.ts";

/** Of what AIPerf 0.13.0 wrote about 130 streams, 13 of which failed: 7 of them count, and 6 others are among the latencies. */
const AIPERF_EXPORT = {
  schema_version: "1.4",
  request_throughput: { unit: "requests/sec", avg: 17.44 },
  request_count: { unit: "requests", avg: 123 },
  time_to_first_token: { unit: "ms", avg: 107.97, p50: 101.75, p95: 119.12, p99: 202.36, count: 123 },
  inter_chunk_latency: { unit: "ms", avg: 20.49, p50: 20, p95: 27.1, p99: 40.08, count: 17_877 },
  output_token_throughput: { unit: "tokens/sec", avg: 2488.6 },
  error_request_count: { unit: "requests", avg: 7 },
};

/** Of what GuideLLM 0.8.1 wrote about as many. */
const distribution = (mean: number, count: number, p50: number, p95: number) => ({
  successful: { mean, count, percentiles: { p50, p95 } },
  errored: { mean: 2 * mean, count: 6, percentiles: { p50: 2 * p50, p95: 2 * p95 } },
});
const GUIDELLM_REPORT = {
  benchmarks: [
    {
      metrics: {
        request_totals: { successful: 120, errored: 10, incomplete: 0, total: 130 },
        time_to_first_token_ms: distribution(104.49, 120, 101.03, 106.63),
        inter_token_latency_ms: distribution(20.0, 17_880, 20.01, 20.05),
        requests_per_second: distribution(17.1, 120, 20.53, 40.37),
        output_tokens_per_second: distribution(2564.3, 18_000, 1995.4, 6887.2),
      },
    },
  ],
};

test("AIPerf's export is read", () => {
  expect(aiperfFigures(JSON.stringify(AIPERF_EXPORT))).toEqual({
    ttftP50: 101.75,
    ttftP95: 119.12,
    iclMean: 20.49,
    iclP95: 27.1,
    requestsPerS: 17.44,
    tokensPerS: 2488.6,
    ok: 123,
    failed: 7,
    timed: 123,
  });
});

test("an AIPerf export without errors has no count of them", () => {
  const { error_request_count: _, ...without } = AIPERF_EXPORT;
  expect(aiperfFigures(JSON.stringify(without)).failed).toBe(0);
});

test("of GuideLLM's report the figures of successful requests are read", () => {
  expect(guidellmFigures(JSON.stringify(GUIDELLM_REPORT))).toEqual({
    ttftP50: 101.03,
    ttftP95: 106.63,
    iclMean: 20.0,
    iclP95: 20.05,
    requestsPerS: 17.1,
    tokensPerS: 2564.3,
    ok: 120,
    failed: 10,
    timed: 120,
  });
});

test("a report of another form is an error", () => {
  expect(() => guidellmFigures('{"benchmarks":[]}')).toThrow();
  expect(() => aiperfFigures("{}")).toThrow();
});

const STREAMS = streamsOf(
  [
    { id: "", startedAt: "2026-11-22T12:00:00.000500Z", planned_ms: [], actual_ms: [] },
    { id: "a", startedAt: "2026-11-22T12:00:01.000500Z", planned_ms: [], actual_ms: [100, 110, 140] },
    { id: "b", startedAt: "2026-11-22T12:00:01.500500Z", planned_ms: [], actual_ms: [200, 220, 500] },
    { id: "c", startedAt: "2026-11-22T12:00:01.600500Z", planned_ms: [], actual_ms: [], fault: "http_500" },
    { id: "d", startedAt: "2026-11-22T12:00:01.700500Z", planned_ms: [], actual_ms: [900], fault: "cut" },
  ].map((line) => JSON.stringify(line)),
);

test("the truth counts failures of every kind and leaves other requests than streams out", () => {
  expect(trueFigures(STREAMS, { icl: "gaps" })).toMatchObject({ ok: 2, failed: 2, timed: 2 });
});

test("the times of failed streams are not in the truth", () => {
  expect(trueFigures(STREAMS, { icl: "gaps" })).toMatchObject({ ttftP50: 100, ttftP95: 200, iclMean: 85, iclP95: 280 });
});

test("the time between chunks is that of gaps or of the mean of each stream", () => {
  expect(trueFigures(STREAMS, { icl: "means" })).toMatchObject({ iclMean: 85, iclP95: 150 });
});

test("throughput counts to the end of the last response, or within a window", () => {
  const whole = trueFigures(STREAMS, { icl: "gaps" });
  expect(whole.requestsPerS).toBeCloseTo(2 / 1.6, 6);
  expect(whole.tokensPerS).toBeCloseTo(6 / 1.6, 6);
  const window = trueFigures(STREAMS, { icl: "gaps", windowS: 0.8 });
  expect(window.requestsPerS).toBeCloseTo(1 / 0.8, 6);
  expect(window.tokensPerS).toBeCloseTo(5 / 0.8, 6);
});
