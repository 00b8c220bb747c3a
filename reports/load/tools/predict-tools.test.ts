import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { ToolFigure, ToolResult } from "../../../formats/run-tools.ts";
import { ToolPrediction } from "./predict-tools.ts";
import { TOOLS } from "./tool-table.ts";

/**
 * A stream of a role after 50 ms, content after 100, 120 and 160 ms, a finish_reason after 170 ms, the usage after 200 ms,
 * [DONE] after 210 ms and its end after 230 ms: five tokens in three chunks.
 */
const STREAM: RequestRecord = {
  id: "a",
  op: "chat.stream",
  phase: "measure",
  scheduled: "2026-01-02T03:04:05.000000Z",
  sent: "2026-01-02T03:04:05.000000Z",
  outcome: "ok",
  status: 200,
  ttfb: 40,
  ttft: 100,
  gaps_us: [20_000, 40_000],
  chunks: 3,
  empties: [2, 50_000, 170_000],
  usage_at: 200,
  done: 210,
  e2e: 230,
  output_tokens: 5,
  token_source: "usage",
};

const predict = (records: readonly RequestRecord[]): Map<string, ToolResult> => {
  const prediction = new ToolPrediction(Object.keys(TOOLS));
  for (const record of records) prediction.add(record);
  return new Map(prediction.results({ ops: {}, metrics: {}, durationS: 1 }).map((result) => [result.tool, result]));
};

const figure = (results: Map<string, ToolResult>, tool: string, metric: string): ToolFigure | undefined =>
  results.get(tool)?.figures.find((each) => each.metric === metric);

const means = (records: readonly RequestRecord[], metric: string): Record<string, number | undefined> => {
  const results = predict(records);
  return Object.fromEntries(
    [...results.keys()].flatMap((tool) => {
      const { mean } = figure(results, tool, metric) ?? {};
      return mean === undefined ? [] : [[tool, Number(mean.toFixed(3))]];
    }),
  );
};

describe("what other tools would have printed", () => {
  test("a time to first token begins with the event that each tool looks for", () => {
    expect(means([STREAM], "ttft")).toEqual({
      "vllm-bench": 100,
      "vllm-bench-0.11": 50,
      aiperf: 100,
      guidellm: 100,
      "inference-perf": 100,
      "genai-bench": 100,
      k6: 40,
    });
  });

  test("reasoning, and an empty text without a role, are a first token for some", () => {
    const reasoning = { ...STREAM, ttft_any: 70, ttlt_any: 160 };
    expect(means([reasoning], "ttft")).toMatchObject({ "vllm-bench": 70, aiperf: 70, "inference-perf": 100 });
    expect(means([{ ...STREAM, blanks: [1, 90_000, 90_000] }], "ttft")).toMatchObject({
      "vllm-bench": 90,
      aiperf: 100,
    });
  });

  test("a latency ends where each tool stops to read, or with the last event that it looks for", () => {
    expect(means([STREAM], "e2e")).toEqual({
      "vllm-bench": 160,
      "vllm-bench-0.11": 200,
      aiperf: 160,
      guidellm: 210,
      "inference-perf": 230,
      "genai-bench": 200,
      k6: 230,
    });
  });

  test("a time per token is of the tokens of the usage, from the first event to the last", () => {
    expect(means([STREAM], "tpot")).toEqual({
      "vllm-bench": 15,
      "vllm-bench-0.11": (200 - 50) / 4,
      aiperf: 15,
      guidellm: 15,
      "inference-perf": 15,
      "genai-bench": (200 - 100) / 4,
    });
  });

  test("gaps are between chunks, events, or tokens", () => {
    expect(means([STREAM], "icl")).toEqual({
      "vllm-bench": 30,
      "vllm-bench-0.11": (50 + 20 + 40 + 10) / 4,
      aiperf: 30,
      "inference-perf": (20 + 40) / 4,
    });
  });

  test("what each tool takes for successful", () => {
    const failed = (outcome: RequestRecord["outcome"]): RequestRecord => ({ ...STREAM, outcome });
    const results = predict([STREAM, failed("error_frame"), failed("no_done"), failed("truncated"), failed("timeout")]);
    const counts = Object.fromEntries(
      [...results].map(([tool, { successful, failed }]) => [tool, [successful, failed]]),
    );
    expect(counts).toEqual({
      "vllm-bench": [3, 1],
      "vllm-bench-0.11": [3, 1],
      aiperf: [3, 1],
      guidellm: [2, 2],
      "inference-perf": [3, 1],
      "genai-bench": [2, 2],
      k6: [3, 1],
    });
    expect(results.get("aiperf")?.notes.at(-1)).toContain("timeout ×1");
  });

  test("the causes add up to the difference, and each says what it changes", () => {
    const slow = { ...STREAM, phase: "warmup" as const, ttft: 500, empties: undefined };
    const records = [STREAM, slow, { ...STREAM, ttft: 110, empties: [1, 60_000, 60_000] } as RequestRecord];
    const found = figure(predict(records), "vllm-bench-0.11", "ttft");
    expect(found?.causes).toEqual([
      { text: "counts 1 request outside the measured window", statistic: "p95", change: 390 },
      { text: expect.stringMatching(/^measures until the first event with choices/), statistic: "p50", change: -50 },
      { text: expect.stringMatching(/^interpolates/), statistic: "p95", change: expect.any(Number) },
      { text: "prints percentiles of any number of samples" },
    ]);
    // 50, 60 and 500 ms, the 95th percentile interpolated.
    expect(found?.p95).toBeCloseTo(60 + 440 * 0.9, 6);
  });

  test("GuideLLM's percentiles are by nearest rank, those of other tools interpolated", () => {
    const records = [100, 200, 300, 400].map((ttft) => ({ ...STREAM, ttft }));
    const results = predict(records);
    expect(figure(results, "guidellm", "ttft")?.p50).toBe(200);
    expect(figure(results, "aiperf", "ttft")?.p50).toBe(250);
  });

  test("rates are of the time from the first request to the end of the last", () => {
    const later = { ...STREAM, sent: "2026-01-02T03:04:07.000000Z" };
    const results = predict([STREAM, later]);
    expect(figure(results, "aiperf", "requests_per_s")?.value).toBeCloseTo(2 / (2 + 2.16), 6);
    expect(figure(results, "guidellm", "requests_per_s")?.value).toBeCloseTo(2 / 2.21, 6);
    expect(figure(results, "inference-perf", "output_tokens_per_s")?.value).toBeCloseTo(10 / 2.23, 6);
  });

  test("what the records do not hold is said, and not guessed", () => {
    const { gaps_us: _, ...summary } = { ...STREAM, ttlt: 160, gaps_over_us: { "1000000": 0 } };
    expect(figure(predict([summary]), "aiperf", "icl")).toMatchObject({
      count: 0,
      unknown: expect.stringContaining("--records summary"),
    });
    expect(figure(predict([summary]), "aiperf", "tpot")?.mean).toBe(15);
  });

  test("the first step is Assay's own figure", () => {
    const records = [STREAM, { ...STREAM, ttft: 140, gaps_us: [10_000, 10_000] }];
    for (const [name, own] of Object.entries({ ttft: 120, tpot: 10, e2e: 230 })) {
      const { mean = 0, causes = [] } = figure(predict(records), "genai-bench", name) ?? {};
      const changed = causes.reduce((sum, { change = 0, statistic }) => sum + (statistic === "mean" ? change : 0), 0);
      expect(mean - changed).toBeCloseTo(own, 3);
    }
  });
});
