/** What a run says about itself, brought about for real: when it is no result, and what must not be called so. */

import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunResult } from "../../formats/run.ts";
import { assay, type Ended, newFolder, startAssay } from "../support/assay-process.ts";
import { resultOf } from "../support/result-files.ts";
import { startMockProcess } from "../support/spawned-mock.ts";
import { throttledK6 } from "../support/throttled-k6.ts";

interface Loaded extends Ended {
  readonly run: RunResult;
}

const loadFlags = (target: string, folder: string, flags: readonly string[]): string[] => [
  ...["load", "chat-stream", "--target", target, "--out", folder, "--warmup", "0"],
  ...flags,
];
const load = (target: string, ...flags: string[]): Promise<Loaded> => loadWith({}, target, ...flags);

async function loadWith(env: Readonly<Record<string, string>>, target: string, ...flags: string[]): Promise<Loaded> {
  const folder = newFolder();
  const ended = await assay(loadFlags(target, folder, flags), env);
  return { ...ended, run: resultOf(folder) };
}

let silent: Server;
let silentUrl = "";
beforeAll(async () => {
  silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const address = silent.address();
  silentUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterAll(() => silent.close());

test("a target that never answers makes the run INVALID, whatever else was asked", async () => {
  const flags = ["--rate", "5", "--duration", "2s", "--stall", "1s", "--slo", "error_rate<=1"];
  const { code, run, stdout } = await load(silentUrl, ...flags);
  expect(run.validity).toMatchObject({
    verdict: "INVALID",
    reasons: [expect.stringContaining("no request was ever answered")],
  });
  expect(run.counts.outcomes).toEqual({ stalled: 10 });
  expect(stdout).toMatch(/^NO CONCLUSION/);
  expect(code).toBe(2);
});

test("a target that fills every slot is slow, and the client is not to blame", async () => {
  const { url } = await startMockProcess("--ttft", "300ms", "--itl", "1ms", "--output-tokens", "5");
  const { run } = await load(url, "--rate", "20", "--max-in-flight", "2", "--duration", "4s");
  expect(run.validity.verdict).toBe("VALID");
  expect(run.validity.reasons.join()).toContain("in-flight ceiling reached");
  expect(run.counts.not_started).toBeGreaterThan(0);
  expect(run.metrics["slot_wait"]?.max).toBeGreaterThan(run.metrics["schedule_lag"]?.max ?? 0);
  expect(run.exitCode).toBe(1);
});

test("a client that is kept off its CPU is CLIENT-LIMITED, and is told to get one", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const env = { ASSAY_K6: await throttledK6() };
  const { code, run, stdout } = await loadWith(env, url, "--vus", "4", "--duration", "3s");
  expect(run.validity, stdout).toMatchObject({
    verdict: "CLIENT-LIMITED",
    reasons: expect.arrayContaining([expect.stringMatching(/^the client woke late: .*stop what else runs/)]),
  });
  expect(run.client.wakeP99Ms).toBeGreaterThan(run.client.wakeP50Ms ?? 0);
  expect(code).toBe(2);
});

test("a client whose collector has too little memory is CLIENT-LIMITED, and is told to get more", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const env = { GOMEMLIMIT: "1MiB", GOMAXPROCS: "1" };
  const { code, run, stdout } = await loadWith(env, url, "--vus", "20", "--duration", "5s");
  expect(run.validity, stdout).toMatchObject({
    verdict: "CLIENT-LIMITED",
    reasons: expect.arrayContaining([
      expect.stringMatching(/memory was being collected.* give the client more memory/),
    ]),
  });
  expect(code).toBe(2);
});

// Again if need be: what else runs on the machine may be in its way.
test("a client with nothing in its way is VALID, and says how late it woke", { retry: 2 }, async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const { code, run, stdout } = await load(url, "--rate", "20", "--duration", "3s", "--memory-limit", "2GiB");
  expect(run.validity.verdict, stdout).toBe("VALID");
  expect(run.client).toMatchObject({ wakeP50Ms: expect.any(Number), wakeP99Ms: expect.any(Number) });
  expect(stdout).toMatch(/wake-ups late p99 [\d.]+ ms \(worst [\d.]+ ms\)/);
  expect(stdout).toMatch(/collector \d+ cycles?, [\d.]+ ms paused, held back up to 2,048 MB/);
  expect(code).toBe(0);
});

test("a target that dies in mid-run has fallen short, and the interval is named", async () => {
  const mock = await startMockProcess("--timing", "instant");
  const folder = newFolder();
  const running = startAssay(loadFlags(mock.url, folder, ["--rate", "20", "--duration", "6s"]));
  await running.until(/([1-9]\d*) ok/);
  await mock.stop();
  const { code, stdout } = await running.ended;
  const run = resultOf(folder);
  expect(run.outages).toMatchObject([{ recovered: false }]);
  expect(run.counts.outcomes["refused"]).toBeGreaterThan(0);
  expect(run.validity.verdict).not.toBe("INVALID");
  expect(stdout).toMatch(/no answer|answered nothing|gave no/i);
  expect(code).toBe(1);
});

test("too few requests for a p99 leave an objective on it undecided, and the run without a conclusion", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const { code, run, stdout } = await load(url, "--rate", "20", "--duration", "2s", "--slo", "ttft_p99<10s");
  expect(run.metrics["ttft"]?.p99).toBeUndefined();
  expect(run.slos).toMatchObject([{ expr: "ttft_p99<10s", ok: null, observed: null }]);
  expect(stdout).toContain("n too small");
  expect(code).toBe(2);
});

test("objectives decide: met is 0, missed is 1", async () => {
  const { url } = await startMockProcess("--ttft", "50ms", "--itl", "1ms", "--output-tokens", "5");
  const [met, missed] = [
    await load(url, "--rate", "20", "--duration", "2s", "--slo", "ttft_p50<10s"),
    await load(url, "--rate", "20", "--duration", "2s", "--slo", "ttft_p50<1ms"),
  ];
  expect([met.code, missed.code]).toEqual([0, 1]);
});
