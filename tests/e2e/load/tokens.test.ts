/** What chats ask for, as the target receives it, and the tokens that the records and reports of the run hold. */

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { byteLevel, ENDLESS, tokenizerFile } from "../../support/byte-level-tokenizer.ts";
import { newFile, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { type Loaded, loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { type MockProcess, mockOfTest, startMockProcess } from "../../support/targets/spawned-mock.ts";

/** Bodies of the requests that the target received, by tests that run one after another. */
let received: unknown[] = [];
let server: Server;
let url: string;

const event = (members: object): string => `data: ${JSON.stringify(members)}\n\n`;
const STREAM = `${event({ choices: [{ index: 0, delta: { content: "a" } }] })}${event({
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})}data: [DONE]\n\n`;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    if (text !== "" && text !== "{}") received.push(JSON.parse(text));
    response.writeHead(200, { "content-type": "text/event-stream" }).end(STREAM);
  });
  url = await listenOnLoopback(server);
});
beforeEach(() => {
  received = [];
});
afterAll(() => void server.close());

const SHAPE = ["--vus", "1", "--max-requests", "3", "--warmup", "0", "--duration", "20s", "--max-tokens", "77"];

test("streamed chats ask for usage, and have the further members of a file", async () => {
  const file = newFile("extra.json", '{\n  "ignore_eos": true\n}\n');
  const { run, folder } = await loadToEnd("chat-stream", url, [...SHAPE, "--set", `extra-body=${file}`]);
  const expected = { max_tokens: 77, stream: true, stream_options: { include_usage: true }, ignore_eos: true };
  expect(received).toEqual([expected, expected, expected].map((members) => expect.objectContaining(members)));
  expect(run.settings).toMatchObject({ extraBody: { ignore_eos: true } });
  for (const record of recordsOf(folder)) {
    expect(record).toMatchObject({ max_tokens: 77, output_tokens: 2, token_source: "usage" });
  }
});

test("streamed chats do not ask for usage with --set no-usage", async () => {
  const { run } = await loadToEnd("chat-stream", url, [
    ...SHAPE,
    "--set",
    "no-usage",
    "--set",
    'extra-body={"top_k":1}',
  ]);
  expect(received).toHaveLength(3);
  for (const body of received) {
    expect(body).not.toHaveProperty("stream_options");
    expect(body).toHaveProperty("top_k", 1);
  }
  expect(run.settings).toMatchObject({ noUsage: true, extraBody: { top_k: 1 } });
});

describe.concurrent.each(["reasoning", "hidden-reasoning"])("a target with %s", (behaviour) => {
  const shape = ["--rate", "20", "--warmup", "0", "--duration", "2s"];
  let mock: MockProcess;
  beforeAll(async () => {
    mock = await startMockProcess("--timing", "fast", "--output-tokens", "16", "--behaviour", behaviour);
  });

  test("has its tokens and times apart in the records and the result of streams", async () => {
    const { run, folder, stdout } = await loadToEnd("chat-stream", mock.url, shape);
    for (const record of recordsOf(folder)) {
      expect(record).toMatchObject({ output_tokens: 16, reasoning_tokens: 4, chunks: 12, token_source: "usage" });
      expect(record.input_tokens).toBeGreaterThan(0);
      const { ttft = 0, ttft_any, ttlt_any } = record;
      if (behaviour === "hidden-reasoning") expect([ttft_any, ttlt_any]).toEqual([undefined, undefined]);
      else {
        expect(ttft_any).toBeLessThanOrEqual(ttft);
        expect(ttlt_any).toBeGreaterThanOrEqual(ttft);
      }
    }
    expect(run.metrics).toMatchObject({
      reasoning_tokens: { count: 40, mean: 4 },
      content_tokens: { count: 40, mean: 12 },
      output_tokens: { count: 40, mean: 16, parts: { usage: 40 } },
      max_tokens: { count: 40, mean: 256 },
    });
    expect(run.metrics["input_tokens_per_s"]?.value).toBeGreaterThan(0);
    const paced = recordsOf(folder).filter(({ flags = [] }) => !flags.includes("buffered"));
    const tpots = paced.map(({ gaps_us = [], ttft_any = 0, ttlt_any = 0 }) =>
      behaviour === "reasoning"
        ? (ttlt_any - ttft_any) / 15
        : gaps_us.reduce((total, gap) => total + gap, 0) / 1_000 / 11,
    );
    expect(run.metrics["tpot"]?.max).toBeCloseTo(Math.max(...tpots), 6);
    expect(run.metrics["tpot"]?.min).toBeCloseTo(Math.min(...tpots), 6);
    expect(stdout).toContain("reasoning_tokens");
    expect(stdout).not.toContain("counted by chunks");
  });

  test("has them in chats that are not streamed", async () => {
    expectTokens(await loadToEnd("chat", mock.url, SHAPE));
  });
});

function expectTokens({ folder }: Loaded): void {
  const expected = { output_tokens: 16, reasoning_tokens: 4, input_tokens: expect.any(Number) };
  expect(recordsOf(folder)).toEqual(Array.from({ length: 3 }, () => expect.objectContaining(expected)));
}

test.concurrent("tokens that a stream does not state are counted by its events, and the report says so", async (context) => {
  const { url: target } = await mockOfTest(context, "--timing", "fast");
  const shape = ["--rate", "20", "--warmup", "0", "--duration", "1s", "--set", "no-usage"];
  const { run, stdout } = await loadToEnd("chat-stream", target, shape);
  expect(run.metrics["output_tokens"]).toMatchObject({ count: 20, parts: { chunks: 20 } });
  expect(run.metrics["input_tokens"]).toBeUndefined();
  expect(stdout).toContain("output tokens are counted by chunks (events with content) in all 20 requests");
});

test.concurrent.each(["stream-at-once", "stream-one-event"])(
  "streams of %s have no gaps, and the report says why",
  async (fault) => {
    const { url: target } = await startMockProcess("--timing", "fast", "--fault", fault);
    const { run, folder, stdout } = await loadToEnd("chat-stream", target, SHAPE);
    for (const record of recordsOf(folder)) expect(record).toMatchObject({ outcome: "ok", flags: ["buffered"] });
    expect(run.metrics).not.toHaveProperty("icl");
    expect(run.metrics).not.toHaveProperty("tpot");
    expect(stdout).toContain(
      "flag buffered in 3 ok responses: arrived in one piece; excluded from inter-chunk latency",
    );
  },
);

test.concurrent("a target that refuses to report usage is explained, and works with --set no-usage", async (context) => {
  const { url: target } = await mockOfTest(context, "--timing", "instant", "--behaviour", "no-stream-options");
  const refused = await loadToEnd("chat-stream", target, SHAPE);
  expect(refused.code).not.toBe(0);
  expect(refused.stdout).toContain("repeat with --set no-usage");
  const { run } = await loadToEnd("chat-stream", target, [...SHAPE, "--set", "no-usage"]);
  expect(run.counts).toMatchObject({ ok: 3, failed: 0 });
});

test.concurrent("a trace states max_tokens of its own", async (context) => {
  const { url: target } = await mockOfTest(context, "--timing", "instant");
  const file = join(newFolder(), "trace.jsonl");
  const lines = [{ timestamp: 0, output_length: 7 }, { timestamp: 400, output_length: 9 }, { timestamp: 800 }];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { folder } = await loadToEnd("chat-stream", target, ["--arrival", `trace:${file}`, "--max-tokens", "77"]);
  const asked = recordsOf(folder).map(({ arrival, max_tokens }) => [arrival, max_tokens]);
  expect(asked.sort()).toEqual([
    [0, 7],
    [1, 9],
    [2, 77],
  ]);
});

test("a tokenizer that takes for ever does not keep a load from being ended", async () => {
  const file = tokenizerFile({ ...byteLevel([]), pre_tokenizer: ENDLESS });
  const shape = ["--target", "http://127.0.0.1:9", "--input-tokens", "20", "--set", `tokenizer=${file}`];
  const { child, ended, until } = startAssay(["load", "chat", ...shape], { ASSAY_API_KEY: "k" });
  await until(/Counting the tokens/);
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining("Interrupted before the end.")]);
});
