import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { budgetsOf } from "./budgets.ts";
import { loadPreview } from "./load-preview.ts";
import { planLoad } from "./plan-load.ts";

const PRICES = {
  ...{ currency: "EUR", input: 1, output: 2, request: 0.001 },
  "video-second": { "720p": 0.1, "1080p": 0.4 },
  models: { large: { output: 20 } },
};

/** A load of 100 arrivals. */
function planned(scenario: string, flags: Readonly<Record<string, unknown>>) {
  const given = { target: "http://127.0.0.1:9", rate: "10", duration: "10s", warmup: "0", ...flags };
  return planLoad(scenario, given, { env: { ASSAY_API_KEY: "key", ASSAY_PRICES: JSON.stringify(PRICES) } });
}

/** What its plan states. */
function costs(scenario: string, flags: Readonly<Record<string, unknown>>) {
  const lines = loadPreview(planned(scenario, flags)).split("\n");
  return lines.flatMap((line) => /(?:cost, about|at most).*?([\d.]+) EUR$/.exec(line)?.[1] ?? []);
}

const trace = join(newFolder(), "trace.jsonl");
const lines = [0, 1_000].map((timestamp) => JSON.stringify({ timestamp, input_length: 1_000, output_length: 500 }));
writeFileSync(trace, lines.join("\n"));

test.each([
  // 100 requests, 10,000 input tokens.
  ["chat", { inputTokens: "100", maxTokens: "200" }, ["0.15", "0.15"]],
  ["chat", { inputTokens: "100", maxTokens: "uniform:100,300" }, ["0.15", "0.17"]],
  // The second turn sends the first prompt and response again.
  ["chat", { inputTokens: "100", maxTokens: "200", turns: "1..2" }, ["0.24", "0.33"]],
  ["chat-stream", { inputTokens: "100", maxTokens: "200", chatModel: "small=3,large=1" }, ["0.24", "0.51"]],
  ["embeddings", { inputTokens: "100", batchSizes: "1" }, ["0.11", "0.11"]],
  // 100 videos, of which a fifth is cancelled.
  ["video", {}, ["40.08", "50.10"]],
  ["video", { cancelShare: "0", videoDurations: "5,10", videoResolutions: "720p=3,1080p=1" }, ["131.35", "400.10"]],
  ["mixed", { inputTokens: "100", maxTokens: "200", batchSizes: "1", mix: "chat=1,embeddings=1" }, ["0.13", "0.13"]],
  // Two requests with the lengths that the trace states.
  ["chat", { arrival: `trace:${trace}`, rate: undefined, duration: undefined }, ["0.006", "0.006"]],
  // A closed loop: of each iteration.
  ["chat", { inputTokens: "100", maxTokens: "5000", rate: undefined, vus: "2" }, ["0.0111", "0.0111"]],
])("the plan of %s with %j states what it costs", (scenario, flags, expected) => {
  expect(costs(scenario, flags)).toEqual(expected);
});

test("a plan states which budget ends it, and when", () => {
  const ended = (budgets: Readonly<Record<string, string>>) =>
    loadPreview(planned("chat", { inputTokens: "100", maxTokens: "200", ...budgets })).match(/--max-.*of it/g);
  expect(ended({ maxCost: "0.06", maxTokensTotal: "15000" })).toEqual([
    expect.stringMatching(/^--max-cost 0\.06 +ends the load after about 40(\.0)?% of it$/),
    expect.stringMatching(/^--max-tokens-total 15000 +ends the load after about 50(\.0)?% of it$/),
  ]);
  expect(ended({ maxCost: "0.16", maxTokensTotal: "30000" })).toBeNull();
});

test.each([
  ["chat", { inputTokens: "100", maxTokens: "uniform:100,300", turns: "4" }, "0.0017 EUR"],
  ["chat-stream", { inputTokens: "100", maxTokens: "200", chatModel: "small=3,large=1" }, "0.0051 EUR"],
  ["embeddings", { inputTokens: "100", batchSizes: "1" }, "0.0011 EUR"],
  ["video", { videoDurations: "5,10", videoResolutions: "720p=3,1080p=1" }, "4.00 EUR"],
  ["mixed", { inputTokens: "100", maxTokens: "200", mix: "chat=1,video=1" }, "0.0015 EUR"],
])("before its first response, a request of %s with %j counts in a budget as %s", (scenario, flags, amount) => {
  const line = { t: 1, open: 1, completed: 0, offered: ARRIVALS, started: ARRIVALS };
  const [cost, tokens, ...others] = budgetsOf(planned(scenario, { ...flags, maxCost: "0.001", maxTokensTotal: "1" }));
  expect([cost?.expr, tokens?.expr, others]).toEqual(["--max-cost 0.001", "--max-tokens-total 1", []]);
  expect(cost?.look(line, 0)).toContain(`0.00 EUR spent, at most ${amount} in flight`);
  if (scenario === "chat") expect(tokens?.look(line, 0)).toContain("0 tokens used, at most 400 in flight");
});

test("a load without a limit has no budget", () => {
  expect(budgetsOf(planned("chat", {}))).toEqual([]);
});

const ARRIVALS = { warmup: 0, measure: 1 };
