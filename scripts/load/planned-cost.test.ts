import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { loadPreview } from "./load-preview.ts";
import { planLoad } from "./plan-load.ts";

const PRICES = {
  ...{ currency: "EUR", input: 1, output: 2, request: 0.001 },
  "video-second": { "720p": 0.1, "1080p": 0.4 },
  models: { large: { output: 20 } },
};

/** What the plan states of a load of 100 arrivals. */
function costs(scenario: string, flags: Readonly<Record<string, unknown>>) {
  const given = { target: "http://127.0.0.1:9", rate: "10", duration: "10s", warmup: "0", ...flags };
  const sources = { env: { ASSAY_API_KEY: "key", ASSAY_PRICES: JSON.stringify(PRICES) } };
  const lines = loadPreview(planLoad(scenario, given, sources)).split("\n");
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
