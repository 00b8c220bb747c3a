/** A run that is stopped or runs out of time keeps what it knows. */

import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { startMock } from "../../mock-server/index.ts";
import { replay } from "../../runs/conformance/replay-run.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { badOnes, KEY, quickSettings } from "../../tests/support/targets/judge-target.ts";
import { serveInTest } from "../../tests/support/targets/serve-in-test.ts";
import { startRun } from "./conformance-run.ts";
import { loadClauses } from "./load-clauses.ts";
import { evaluateRecorded } from "./recorded-run.ts";
import { fileSink, type Sink } from "./run-files.ts";

function resultFolder(): string {
  const folder = newFolder();
  return folder;
}

/** Runs the suite into a folder and stops it once enough exchanges were seen. */
async function stoppedAfter(url: string, isEnough: (seen: readonly Exchange[]) => boolean, profile = "openai") {
  const folder = resultFolder();
  const stop = new AbortController();
  const seen: Exchange[] = [];
  const files = fileSink(folder, (error) => {
    throw error;
  });
  const written: string[] = [];
  const sink: Sink = {
    ...files,
    exchange: (exchange) => {
      files.exchange(exchange);
      seen.push(exchange);
      if (isEnough(seen)) stop.abort();
    },
    verdict: (clause, verdict) => {
      files.verdict(clause, verdict);
      written.push(verdict.verdict);
    },
  };
  const run = await startRun(quickSettings(url, { ASSAY_PROFILE: profile }), { sink, stop: stop.signal });
  const { verdicts } = await run.finished;
  return { folder, verdicts, written, result: (await replay(folder)).result, changes: (await replay(folder)).changes };
}

test.each([1, 5, 40, 120, 200])(
  "after %i exchanges of a conforming target, nothing is wrong, and what is known is kept",
  async (count) => {
    const mock = await startMock({ timing: "instant", workMs: 1_000, apiKeys: [KEY] });
    onTestFinished(() => mock.stop());
    const { verdicts, written, result, changes } = await stoppedAfter(mock.url, ({ length }) => length >= count);
    expect(badOnes(verdicts)).toEqual([]);
    expect(written).not.toContain("NOT-RUN");
    if (count >= 40) expect(written.filter((verdict) => verdict === "PASS").length).toBeGreaterThan(count / 4);
    expect(changes).toEqual([]);
    expect([result.exitCode, result.finishedAt]).toEqual([2, undefined]);
    expect(result.conclusion).toMatch(
      /^the run was interrupted: \d+ of \d+ clauses decided; --only \S+ checks the others$/,
    );
  },
);

/** A service without embeddings, whose chats never end. */
async function withoutEmbeddings(chat: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith("/chat/completions")) chat(response);
    else response.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Not Found"}');
  });
  return await serveInTest(server);
}
const CHUNK = { id: "c-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [] };

test("what was missing is a FAIL after a stop, and so is what the part of a stream shows that came", async () => {
  const url = await withoutEmbeddings((response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.write(`data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta: { role: "assistant" } }] })}\n\n`);
    response.write(`data: ${JSON.stringify({ ...CHUNK, object: "other" })}\n\n`);
  });
  const isEnough = (seen: readonly Exchange[]): boolean => seen.some(({ answer }) => answer?.status === 404);
  const { verdicts, result } = await stoppedAfter(url, isEnough);
  expect(verdicts.get("embeddings.minimal")).toMatchObject({
    verdict: "FAIL",
    reason: expect.stringContaining("the target returned 404"),
  });
  expect(verdicts.get("chat.minimal")?.verdict).toBe("NOT-RUN");
  expect(result.exitCode).toBe(1);
  expect(result.conclusion).toContain("the run was interrupted");
});

test.each(["timeout", "deadline"] as const)(
  "a chat that is open for long (%s) shows that the address is right, one that was just sent does not",
  async (kind) => {
    const clauses = await loadClauses();
    const probeOf = (id: string): string => clauses.find((one) => one.id === id)?.probes[0].name ?? "";
    const sent = (id: number, path: string, probe: string) => ({
      ...{ id, probe, startedAt: "2030-01-01T00:00:00Z" },
      request: { method: "POST", url: `http://h/v1/${path}`, headers: {}, body: "{}" },
    });
    const answer = {
      status: 404,
      headers: {},
      body: "Not Found",
      truncated: false,
      chunks: [],
      headersMs: 1,
      endMs: 2,
    };
    const verdictAfter = async (afterMs: number) => {
      const exchanges: Exchange[] = [
        { ...sent(1, "embeddings", probeOf("embeddings.minimal")), answer },
        { ...sent(2, "chat/completions", probeOf("chat.minimal")), failure: { kind, message: "m", afterMs } },
      ];
      const verdicts = await evaluateRecorded(clauses, exchanges, { keyGiven: true, failingPrompt: false });
      return verdicts.get("embeddings.minimal")?.verdict;
    };
    expect(await verdictAfter(60_000)).toBe("FAIL");
    expect(await verdictAfter(10)).not.toBe("FAIL");
  },
);
