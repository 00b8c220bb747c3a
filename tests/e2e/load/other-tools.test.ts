/** What other tools would have printed for a load of a target that sends a role early and the usage late. */

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ToolFigure } from "../../../formats/run-tools.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf, resultOf } from "../../support/results/read-results.ts";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";

const REQUESTS = 12;
const CHUNKS = 4;
const PAUSE_MS = 200;

const event = (members: object): string =>
  `data: ${JSON.stringify({ id: "c", created: 1, model: "m", ...members })}\n\n`;
const choice = (delta: object, finish_reason: string | null = null): string =>
  event({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (text: string): void => void response.write(text);
    send(choice({ role: "assistant", content: "" }));
    await setTimeout(PAUSE_MS);
    for (let index = 0; index < CHUNKS; index += 1) send(choice({ content: "word " }));
    send(choice({}, "stop"));
    await setTimeout(PAUSE_MS);
    send(event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: CHUNKS, total_tokens: CHUNKS + 1 } }));
    await setTimeout(PAUSE_MS);
    response.end("data: [DONE]\n\n");
  });
  url = await listenOnLoopback(server);
});
afterAll(() => {
  server.closeAllConnections();
  return closed(server);
});

test("each figure is the tool's for the exchanges of the load, with the cause of the difference", async () => {
  const { folder } = await loadToEnd("chat-stream", url, [
    ...["--vus", "1", "--max-requests", String(REQUESTS), "--warmup", "0", "--duration", "60s", ...FEW_UNITS],
  ]);
  const records = recordsOf(folder);
  expect(records.map(({ empties }) => empties?.[0])).toEqual(Array.from({ length: REQUESTS }, () => 2));
  expect(records.filter(({ usage_at = 0, done = 0 }) => usage_at > 0 && usage_at < done).length).toBeGreaterThan(0);

  const out = newFolder();
  const report = await assay(["report", folder, "--as", "vllm-bench,vllm-bench-0.11,genai-bench", "--out", out]);
  expect(report.stdout).toContain("As other tools print it");
  const { tools = [] } = resultOf(out);
  const of = (tool: string, metric: string): ToolFigure | undefined =>
    tools.find((each) => each.tool === tool)?.figures.find((figure) => figure.metric === metric);
  const meanOf = (tool: string, metric: string): number => of(tool, metric)?.mean ?? Number.NaN;

  // The target keeps each pause, and a load generator that is late makes half of it at most of few.
  expect(meanOf("vllm-bench", "ttft") - meanOf("vllm-bench-0.11", "ttft")).toBeGreaterThan(PAUSE_MS / 2);
  expect(meanOf("genai-bench", "e2e") - meanOf("vllm-bench", "e2e")).toBeGreaterThan(PAUSE_MS / 2);
  expect(of("vllm-bench-0.11", "ttft")?.causes).toContainEqual({
    text: expect.stringContaining("until the first event with choices, which may hold a role and no content"),
    statistic: expect.any(String),
    change: expect.any(Number),
  });
  expect(report.stdout).toMatch(/vllm-bench-0\.11 0\.11\.0: TTFT: measures until the first event with choices.*−/);

  const unknown = await assay(["report", folder, "--as", "vlm-bench"]);
  expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('Did you mean "vllm-bench"?')]);
});

test.each(["search.json", "repeat.json", "verdicts.jsonl"])("--as is refused for a folder with %s", async (file) => {
  const folder = newFolder();
  writeFileSync(join(folder, file), "{}\n");
  const { code, stderr } = await assay(["report", folder, "--as", "aiperf"]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("Cannot report as other tools (--as aiperf)")]);
});
