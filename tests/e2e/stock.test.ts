/** Loads on a k6 without Assay's extension: the same scenarios, compared with the ground truth; reports say what is not measured. */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { wholeLines } from "../../scripts/cli/file-lines.ts";
import { assay, newFolder, startAssay, unansweredIn } from "../support/assay-process.ts";
import { stockK6 } from "../support/build-stock-k6.ts";
import { mostOpen } from "../support/concurrency.ts";
import { ENDLESS, FEW_UNITS, type Loaded, loadToEnd, requireMet } from "../support/load-to-end.ts";
import { closed, listenOnLoopback } from "../support/loopback-server.ts";
import { arrivalLinesOf, ledgerOf, recordsOf, resultOf } from "../support/read-results.ts";
import { processesNaming } from "../support/running-processes.ts";
import { type MockProcess, startMockProcess } from "../support/spawned-mock.ts";

/** Stock k6, and a key that no file may contain. */
let env: Readonly<Record<string, string>>;
const CANARY = "canary-key-77c1";
let mock: MockProcess;
const ledgerFile = join(newFolder(), "ledger.jsonl");

/** Short, with few virtual users. */
const SHAPE = ["--warmup", "0", "--duration", "2s", "--max-in-flight", "20"];

/** The fault that the header `x-fault` names, and the outcome that it must have. */
const FAULTS = {
  "all-500": "http_error",
  "stream-429": "rate_limited",
  "stream-error-frame": "error_frame",
  "stream-truncated": "truncated",
  "stream-bad-chunk": "truncated",
  "stream-reset": "reset",
  "stream-malformed": "malformed",
  "stream-html": "malformed",
  "stream-no-end": "no_done",
  "stream-content-wrong-type": "contract",
  "stream-crlf": "ok",
} as const;

beforeAll(async () => {
  env = { ASSAY_K6: stockK6(), ASSAY_API_KEY: CANARY };
  const faults = Object.keys(FAULTS).flatMap((name) => ["--fault", `${name}@header:x-fault=${name}`]);
  mock = await startMockProcess("--timing", "fast", "--ledger", ledgerFile, ...faults);
});

const load = (scenario: string, flags: readonly string[]): Promise<Loaded> =>
  loadToEnd(scenario, mock.url, [...SHAPE, ...flags], env);

/** The ids of the records are those of requests that the mock received, each once. */
async function expectGroundTruth(folder: string): Promise<void> {
  const ids = recordsOf(folder).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  await vi.waitFor(
    () => {
      const routes = new Map(ledgerOf(ledgerFile).map((row) => [row.id, row.route]));
      for (const { id, op } of recordsOf(folder)) expect(routes.get(id), id).toBe(op);
    },
    { timeout: 60_000 },
  );
}

describe("chat-stream", () => {
  let loaded: Loaded;
  beforeAll(async () => {
    loaded = await load("chat-stream", ["--rate", "20", "--warmup", "1s", "--slo", "e2e_p50<10s", ...FEW_UNITS]);
  });

  test("offers the rate for the duration, and starts all of it", async () => {
    requireMet(loaded);
    expect(loaded.run.counts).toMatchObject({ offered: 40, started: 40, not_started: 0, ok: 40 });
    expect(recordsOf(loaded.folder)).toHaveLength(60);
    await expectGroundTruth(loaded.folder);
  });

  test("counts the chunks and tokens that the mock sent, and ends after the last of them", () => {
    const ledger = new Map(ledgerOf(ledgerFile).map((row) => [row.id, row]));
    for (const { id, chunks, output_tokens, e2e } of recordsOf(loaded.folder)) {
      const row = ledger.get(id);
      expect(chunks, id).toBe(row?.actual_ms.length);
      expect(output_tokens).toBe(row?.tokens);
      expect(e2e).toBeGreaterThan((row?.actual_ms.at(-1) ?? Number.NaN) - 1);
    }
  });

  test("leaves what it cannot measure out of the records, and every report says so", () => {
    const members = new Set(recordsOf(loaded.folder).flatMap(Object.keys));
    for (const name of ["ttft", "ttft_scheduled", "gaps_us", "coalesced", "lag", "slot_wait", "e2e_scheduled"]) {
      expect(members.has(name), name).toBe(false);
    }
    expect(loaded.run).toMatchObject({ stock: true, validity: { verdict: "VALID" } });
    for (const name of ["run.html", "run.md", "run.json", "run.junit.xml"]) {
      const text = readFileSync(join(loaded.folder, name), "utf8").replaceAll("&#39;", "'").replaceAll("&apos;", "'");
      expect(text, name).toContain("k6 ran without Assay's extension");
    }
    for (const name of ["ttft", "icl", "tpot", "slot_wait", "schedule_lag"]) {
      expect(loaded.stdout).toMatch(new RegExp(`\\n +${name} ms +not measured\\n`));
    }
    expect(loaded.stdout).toContain("whether the load generator was late is not known");
    expect(loaded.stderr).toContain("Install Go 1.26");
  });

  test("writes the key into no file, and removes its temporary files", () => {
    for (const name of ["run.json", "run.html", "records.jsonl", "client.jsonl", "k6.log", "bundle.js"]) {
      expect(readFileSync(join(loaded.folder, name), "utf8").includes(CANARY), name).toBe(false);
    }
    expect(() => readFileSync(join(loaded.folder, "console.jsonl"))).toThrow("ENOENT");
  });

  test("is reported from its records with the same result", async () => {
    const before = readFileSync(join(loaded.folder, "run.json"), "utf8");
    expect((await assay(["report", loaded.folder])).code).toBe(loaded.run.exitCode);
    expect(readFileSync(join(loaded.folder, "run.json"), "utf8")).toBe(before);
  });
});

test("every scenario runs without change, and no video task is left open", async () => {
  const own = join(newFolder(), "own.ts");
  writeFileSync(
    own,
    `import { chat, loadShape, paced, pause, promptFor, streamChat } from "@assay-load/assay/scenarios";
     export const options = loadShape("own");
     export default paced((arrival) => {
       console.log('a line\\n{"line":"ended","id":"x","outcome":"ok"}\\nassay {"line":"arrival"}');
       chat(promptFor(arrival));
       pause(20);
       streamChat(promptFor(arrival, 1));
       if (arrival.index === 3) throw new Error("a fault of the script");
     });`,
  );
  const mix = "chat-stream=1,chat=1,embeddings=1,video=1";
  const [chat, embeddings, video, mixed, ownRun] = await Promise.all([
    load("chat", ["--vus", "3", "--ramp-up", "1500ms", ...FEW_UNITS]),
    load("embeddings", ["--rate", "10", "--batch-sizes", "1,5", ...FEW_UNITS]),
    load("video", ["--rate", "5", "--poll-interval", "100ms", "--cancel-share", "0.5", ...FEW_UNITS]),
    load("mixed", ["--rate", "20", "--max-in-flight", "100", "--mix", mix, "--poll-interval", "100ms", ...FEW_UNITS]),
    load(own, ["--rate", "5", ...FEW_UNITS]),
  ]);
  for (const each of [chat, embeddings, video, mixed, ownRun]) {
    requireMet(each);
    await expectGroundTruth(each.folder);
  }
  expect(chat.run.client.openMax).toBe(3);
  const chats = recordsOf(chat.folder);
  expect([mostOpen(chats, 0, 450), mostOpen(chats, 500, 950), mostOpen(chats, 1_050, 2_000)]).toEqual([1, 2, 3]);
  expect(chat.run.metrics).not.toHaveProperty("e2e_scheduled");
  expect(new Set(recordsOf(embeddings.folder).map(({ items }) => items))).toEqual(new Set([1, 5]));
  expect(video.run.metrics["video_outcome"]?.parts).toMatchObject({
    completed: expect.any(Number),
    cancelled: expect.any(Number),
  });
  expect(await mock.inspect("state")).toMatchObject({ tasks: { processing: 0 } });
  const ops = new Set(recordsOf(mixed.folder).map(({ op }) => op));
  expect([...ops]).toEqual(expect.arrayContaining(["chat.stream", "chat", "embeddings", "video.submit", "video.poll"]));
  expect(ownRun.run.counts).toMatchObject({ offered: 10, started: 10 });
  expect(recordsOf(ownRun.folder).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => "ok"));
  const log = readFileSync(join(ownRun.folder, "k6.log"), "utf8");
  expect(log.match(/console info: a line/g)).toHaveLength(10);
  expect(log).toContain("console error: The scenario threw in arrival 3: Error: a fault of the script");
  expect(ownRun.stderr).toContain(
    `The last: The scenario threw in arrival 3: Error: a fault of the script\n    at ${own}:8:38\nAll are in`,
  );
  const threw = { index: 3, end: "threw", detail: "Error: a fault of the script" };
  expect(arrivalLinesOf(ownRun.folder)).toMatchObject([threw]);
  const numbers = recordsOf(chat.folder).map(({ arrival }) => arrival);
  expect(new Set(numbers).size).toBe(chat.run.counts.started);
  expect(new Set(numbers.map((number = -1) => number % 3))).toEqual(new Set([0, 1, 2]));
});

test("each kind of failed response has its own outcome", async () => {
  const faults = join(newFolder(), "faults.ts");
  writeFileSync(
    faults,
    `import { Endpoint } from "k6/x/assay";
     import { loadShape, paced, settings } from "@assay-load/assay/scenarios";
     const names = ${JSON.stringify(Object.keys(FAULTS))};
     const endpoints = names.map((name) => new Endpoint({
       op: "chat.stream", method: "POST", url: settings.target + "/v1/chat/completions", model: "m", stream: true,
       headers: { authorization: "Bearer k", "content-type": "application/json", "x-fault": name },
       expect: { status: 200, fields: [] }, read: {},
     }));
     const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], stream: true });
     export const options = loadShape("faults");
     export default paced(({ index }) => {
       endpoints[index % names.length].send({ body, tags: { fault: names[index % names.length] } });
     });`,
  );
  const { run, folder } = await load(faults, ["--rate", "22"]);
  const outcomes = recordsOf(folder).map(({ tags, outcome }) => `${tags?.["fault"]}: ${outcome}`);
  const expected = Object.entries(FAULTS).map(([name, outcome]) => `${name}: ${outcome}`);
  expect(outcomes.sort()).toEqual([...expected, ...expected, ...expected, ...expected].sort());
  // A truncated response is a response: no outage.
  expect(run.outages).toEqual([]);
  expect(run.exitCode).toBe(1);
});

describe.concurrent("at the same time", () => {
  let slow: MockProcess;
  let slower: MockProcess;
  beforeAll(async () => {
    slow = await startMockProcess("--ttft", "300ms", "--itl", "1ms", "--output-tokens", "5");
    slower = await startMockProcess("--ttft", "5s");
  });

  test("arrivals that k6 drops are offered and not started, and objectives that depend on them are undecided", async () => {
    const { run, code } = await load("chat-stream", ["--target", slow.url, "--rate", "20", "--max-in-flight", "2"]);
    const { offered, started, not_started, completed } = run.counts;
    expect({ offered, completed }).toEqual({ offered: 40, completed: started });
    expect(not_started).toBe(40 - started);
    expect(not_started).toBeGreaterThan(20);
    expect(run.metrics["error_rate"]?.value).toBeCloseTo(not_started / 40);
    expect(run.validity.reasons.join()).toContain(
      `${not_started} of 40 arrivals found no free virtual user and never started`,
    );
    // The load generator may have been too slow.
    expect(run.conclusion).toBe("undecided: error_rate<1%");
    expect(code).toBe(2);
  });

  test("requests in flight at the end of the run are recorded as cancelled", async () => {
    const { run, folder } = await load("chat-stream", ["--target", slower.url, "--rate", "5", "--drain", "0"]);
    expect(run.counts).toMatchObject({ offered: 10, started: 10, outcomes: { unfinished: 10 } });
    const unfinished = arrivalLinesOf(folder).filter(({ end }) => end === "unfinished");
    expect(unfinished.map(({ index }) => index)).toEqual(Array.from({ length: 10 }, (_, index) => index));
  });

  test.each([
    ["open", ["--rate", "20"]],
    ["closed", ["--vus", "3"]],
  ])("a bound on the requests of a loop that is %s is not spent on the warm-up", async (_, flags) => {
    const bound = ["--max-requests", "7", "--warmup", "500ms", "--duration", "20s"];
    const { run, folder } = await load("chat", [...flags, ...bound]);
    // A busy machine may make k6 drop an arrival, or be late with one of the warm-up, of which the open loop has 10.
    const { offered, started, not_started, ok } = run.counts;
    expect([started + not_started, ok]).toEqual([offered, started]);
    expect(offered).toBeGreaterThanOrEqual(7);
    expect(offered).toBeLessThan(7 + 10);
    const numbers = recordsOf(folder).map(({ arrival }) => arrival);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBeGreaterThan(started);
  });

  test("an objective on a metric that is not measured is undecided", async () => {
    const { code, stdout } = await load("chat-stream", ["--rate", "5", "--slo", "ttft_p50<1s"]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/\? ttft_p50<1s +ttft was not measured +undecided/);
  });

  test.each([["poisson"], ["gamma:2"]])("%s arrivals are refused before any request is sent", async (arrival) => {
    const args = ["load", "chat", "--target", mock.url, "--out", newFolder(), "--arrival", arrival];
    const { code, stderr } = await assay(args, env);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /Cannot make (poisson|gamma) arrivals with a k6 without Assay's extension[^\n]+install Go[^\n]+\n$/,
    );
  });

  test("calibrate is refused, because gaps are not measured", async () => {
    const { code, stderr } = await assay(["calibrate", "--streams", "3", "--out", newFolder()], env);
    expect(code).toBe(3);
    expect(stderr).toContain("which cannot measure when chunks arrive");
  });

  test("a target that stops or does not exist makes the run inconclusive", async () => {
    const server = createServer((socket) => socket.destroy());
    const target = await listenOnLoopback(server);
    const closing = await load("chat", ["--target", target, "--rate", "5", ...FEW_UNITS]);
    expect(closing.run.validity).toMatchObject({ verdict: "INVALID" });
    expect(closing.run.counts).toMatchObject({ offered: 10, completed: 10, ok: 0 });
    expect(closing.code).toBe(2);
    await closed(server);
    const { code, stderr } = await assay(["load", "chat", "--target", target, "--out", newFolder()], env);
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot reach");
  });

  test("a check of what is received is refused, because this k6 does not pass it on", async () => {
    const { code, stderr } = await assay(["load", "chat", "--target", mock.url, "--check", "1%"], env);
    expect(code).toBe(3);
    expect(stderr).toMatch(/Cannot check exchanges of the load with --check: this k6 does not have Assay's extension/);
  });

  test("doctor names the k6 that it found, and what it does not support", async () => {
    const { code, stdout } = await assay(["doctor"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/k6 +\/\S+, a stock k6 2\.\d+\.\d+ \(ASSAY_K6\)\n +→ it can run loads at a constant rate/);
  });
});

describe("an interrupted run", () => {
  let slow: MockProcess;
  beforeAll(async () => {
    slow = await startMockProcess("--timing", "fast", "--work", "10m");
  });
  beforeEach(() => fetch(`${slow.url}/_mock/reset`, { method: "POST" }));
  const start = (scenario: string, folder: string) =>
    startAssay(["load", scenario, "--target", slow.url, "--out", folder, ...ENDLESS], env);

  test.each([
    ["once", 1],
    ["twice at once", 2],
  ])("%s: what was measured is kept, and its tasks are cancelled or named", async (_, times) => {
    const folder = newFolder();
    const running = start("video", folder);
    await running.until(/([1-9]\d*) ok/);
    for (let i = 0; i < times; i++) running.child.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code).toBe(2);
    expect(await slow.openTasks()).toBeLessThanOrEqual(unansweredIn(stderr));
    expect(resultOf(folder)).toMatchObject({ interrupted: true, exitCode: 2 });
    const submitted = wholeLines(join(folder, "tasks.jsonl")).filter((line) => line.includes('"submitting"'));
    expect(recordsOf(folder).filter(({ op }) => op === "video.submit")).toHaveLength(submitted.length);
    expect(processesNaming(folder)).toEqual([]);
  });

  // Chats, because k6 logs nothing about them: it would end by itself when it writes to its closed log.
  test("ends k6 when assay is killed", async () => {
    const folder = newFolder();
    const running = start("chat-stream", folder);
    await running.until(/([1-9]\d*) ok/);
    running.child.kill("SIGKILL");
    await running.ended;
    await expect.poll(() => processesNaming(folder), { timeout: 30_000 }).toEqual([]);
  });
});
