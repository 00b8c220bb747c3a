/** The validity of load runs, each case produced with a real target and load generator. */

import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newFolder, startAssay } from "../../support/commands/assay-process.ts";
import {
  FEW_UNITS,
  type Loaded,
  loadToEnd,
  requireUnhindered,
  unhindered,
} from "../../support/commands/load-to-end.ts";
import { resultOf } from "../../support/results/read-results.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";
import { throttledK6 } from "./throttled-k6.ts";

const NO_WARMUP = ["--warmup", "0"];
const load = (target: string, ...flags: string[]): Promise<Loaded> => loadWith({}, target, ...flags);

const loadWith = (env: Readonly<Record<string, string>>, target: string, ...flags: string[]): Promise<Loaded> =>
  loadToEnd("chat-stream", target, [...NO_WARMUP, ...flags], env);

let silent: Server;
let silentUrl = "";
beforeAll(async () => {
  silent = createServer(() => undefined);
  silentUrl = await listenOnLoopback(silent);
});
const servers: Server[] = [];
afterAll(() => {
  for (const server of [silent, ...servers]) server.close();
});

test.concurrent("a target that accepts connections and never responds has failed, whatever the objectives", async () => {
  const limits = ["--set", "timeout=1s", "--set", "drain=60s"];
  const flags = ["--rate", "5", "--duration", "2s", ...limits, "--set", "no-default-slos", "--slo", "error_rate<=1"];
  const { code, run, stdout } = await unhindered(() => load(silentUrl, ...flags));
  expect(run.validity.verdict).toBe("VALID");
  expect(run.counts.outcomes).toEqual({ timeout: 10 });
  expect(stdout).toMatch(/^FAILED .*accepted connections and responded to none of 10 requests/);
  expect(code).toBe(1);
});

test.concurrent.each<[string, RegExp, object, readonly string[], () => Promise<Readonly<Record<string, string>>>]>([
  [
    "without enough CPU time",
    /^the load generator did not get enough CPU time: .*stop other processes/,
    { wakeP99Ms: expect.any(Number) },
    ["--vus", "4", "--duration", "3s"],
    async () => ({ ASSAY_K6: await throttledK6() }),
  ],
  [
    "whose garbage collector has too little memory",
    /collecting garbage.* give it more memory/,
    {},
    ["--vus", "20", "--duration", "5s"],
    async () => ({ GOMEMLIMIT: "1MiB", GOMAXPROCS: "1" }),
  ],
  [
    "that needs more memory than --set memory-limit",
    /reached its memory limit of 16 MB.*; raise --set memory-limit, lower --max-in-flight/,
    { memoryLimitMb: 16, memoryLimitDropped: 1 },
    ["--rate", "100", "--duration", "3s", "--set", "memory-limit=16MiB"],
    async () => ({}),
  ],
])("a load generator %s is CLIENT-LIMITED, and the reason says what to do", async (_, reason, client, flags, env) => {
  const { url } = await startMockProcess("--timing", "instant");
  const { code, run, stdout } = await loadWith(await env(), url, ...flags);
  expect(run.validity, stdout).toMatchObject({
    verdict: "CLIENT-LIMITED",
    reasons: expect.arrayContaining([expect.stringMatching(reason)]),
  });
  expect(run.client).toMatchObject(client);
  expect(code).toBe(2);
});

test.concurrent("a target that stops during the run has failed, and the report names the interval", async () => {
  const mock = await startMockProcess("--timing", "instant");
  const folder = newFolder();
  const running = startAssay([
    ...["load", "chat-stream", "--target", mock.url, "--out", folder],
    ...[...NO_WARMUP, "--rate", "20", "--duration", "6s"],
  ]);
  await running.until(/p50 (\d+)/);
  await mock.stop();
  const { code, stdout } = await running.ended;
  const run = resultOf(folder);
  // A busy machine may have made others before.
  expect(run.outages.at(-1)).toMatchObject({ recovered: false });
  expect(run.counts.outcomes["refused"]).toBeGreaterThan(0);
  expect(run.validity.verdict).not.toBe("INVALID");
  expect(stdout).toContain("no response from");
  expect(code).toBe(1);
});

test.concurrent("too few requests for a p99 leave an objective on it undecided, and the run inconclusive", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const { code, run, stdout } = await load(
    url,
    "--rate",
    "20",
    "--duration",
    "2s",
    "--set",
    "no-default-slos",
    "--slo",
    "ttft_p99<10s",
  );
  expect(run.metrics["ttft"]?.p99).toBeUndefined();
  expect(run.slos).toMatchObject([{ expr: "ttft_p99<10s", ok: null, observed: null }]);
  // Requests of a busy machine may be alike in time: then fewer of them count, and more are needed.
  expect(stdout).toMatch(/0% of 40 requests.* exceed the bound, 1% may: [\d,]+ more needed/);
  expect(code).toBe(2);
});

/** A target that refuses what a load sends, and not the empty object that is tried before. */
async function refusing(status: number, message: string): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(body === "{}" ? 400 : status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: body === "{}" ? "no model" : message } }));
  });
  servers.push(server);
  return listenOnLoopback(server);
}

test.concurrent("a target that refuses every request leaves the run inconclusive, and every view says why and what to do", async () => {
  const flags = ["--rate", "20", "--duration", "1s"];
  const [refused, absent] = await Promise.all([refusing(401, "wrong API key"), refusing(404, "nothing here")]);
  const [key, address] = [await load(refused, ...flags), await load(absent, ...flags)];
  expect([key.code, address.code]).toEqual([2, 2]);
  expect(key.run.failures).toMatchObject([
    { op: "chat.stream", status: 401, count: 20, share: 1, reason: expect.stringContaining("wrong API key") },
  ]);
  expect(key.stdout).toMatch(/^INCONCLUSIVE .*401 unauthorized ×20\): check the API key/);
  expect(address.stdout).toMatch(/^INCONCLUSIVE .*404 not found ×20\): check the base address/);
  for (const view of ["run.html", "run.md", "run.junit.xml"]) {
    const shown = readFileSync(join(key.folder, view), "utf8");
    for (const part of ["401 unauthorized", "wrong API key", "ASSAY_API_KEY"]) expect(shown, view).toContain(part);
  }
});

// With the machine to themselves.

test("a target that keeps every slot busy is slow, and the run stays VALID", async () => {
  const { url } = await startMockProcess("--ttft", "300ms", "--itl", "1ms", "--output-tokens", "5");
  const flags = ["--rate", "20", "--max-in-flight", "2", "--duration", "4s"];
  const loaded = await unhindered(() => load(url, ...flags));
  const { run } = loaded;
  requireUnhindered(loaded);
  if (run.validity.verdict === "VALID") expect(run.validity.reasons.join()).toContain("in-flight limit reached");
  expect(run.counts.not_started).toBeGreaterThan(0);
  expect(run.metrics["slot_wait"]?.max).toBeGreaterThan(run.metrics["schedule_lag"]?.max ?? 0);
  expect([run.exitCode, loaded.code]).toEqual([1, 1]);
});

test("an unhindered load generator is VALID, and reports its wake-up latency", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const flags = ["--rate", "20", "--duration", "3s", "--set", "memory-limit=2GiB", ...FEW_UNITS];
  const loaded = await unhindered(() => load(url, ...flags));
  const { code, run, stdout } = loaded;
  requireUnhindered(loaded);
  expect(run.client).toMatchObject({ wakeP50Ms: expect.any(Number), wakeP99Ms: expect.any(Number) });
  expect(stdout).toMatch(/wake-up latency p90 [\d.]+ ms of \d+, limit 10 ms \(p99 [\d.]+ ms, max [\d.]+ ms/);
  expect(stdout).toMatch(/garbage collector \d+ cycles?, paused [\d.]+ ms, memory limit 2,048 MB/);
  expect(code).toBe(run.validity.verdict === "VALID" ? 0 : 2);
});
