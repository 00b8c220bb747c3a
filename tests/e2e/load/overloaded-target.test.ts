/**
 * A load of more than one and a half times the capacity of the target: a simulation of its queue, the ground truth of the target and the result
 * agree on what never started, on latencies that can be measured in part only, and on goodput.
 */

import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import type { RunResult } from "../../../formats/run.ts";
import { quantile } from "../../../reports/load/stats/quantiles.ts";
import { newFile, newFolder } from "../../support/commands/assay-process.ts";
import { type Loaded, loadToEnd } from "../../support/commands/load-to-end.ts";
import { simulateQueue } from "../../support/results/queue-simulation.ts";
import { arrivalLinesOf, ledgerOf, recordsOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const STATIONS = { inFlight: 8, servers: 4 };
/** One token of a prompt takes no time, and each of ten steps 40 ms, however many chats run. */
const SERVICE_MS = 10 * 40;
const CAPACITY = ["--slots", "4,queue=64,prefill=0s,step=40ms,growth=0s"];
const REPLY = ["--output-tokens", "11"];
/** More than the capacity of 10/s: more than half of the arrivals start, also where the service is slow. */
const RATE = 16;
const WINDOW_MS = 8_000;
const DUE = (RATE * WINDOW_MS) / 1_000;
/** The bound that says which units are good. */
const GOOD_MS = 2_000;
/** By how much a real service may be longer than the nominal one. */
const LONGER = 1.15;

/** What a queue with this service time makes of the load. */
function predict(serviceMs: number) {
  const jobs = Array.from({ length: DUE }, (_, index) => ({ due: (index * 1_000) / RATE, service: serviceMs }));
  const course = simulateQueue(jobs, STATIONS);
  const latencies = course.map(({ due, end }) => end - due).sort((a, b) => a - b);
  return {
    started: course.filter(({ sent }) => sent < WINDOW_MS).length,
    good: course.filter(({ due, end }) => end - due <= GOOD_MS).length,
    /** Of all arrivals, those that never started in the run included. */
    p50: quantile(latencies, 500),
    p90: quantile(latencies, 900),
  };
}

const fast = predict(SERVICE_MS);
/** The service as it was on the machine of the tests, which may do other work, and the prediction for it. */
let slowest = LONGER;
let slow = predict(SERVICE_MS * slowest);

let loaded: Loaded;
let run: RunResult;
const ledgerFile = join(newFolder(), "ledger.jsonl");

beforeAll(async () => {
  const prompts = newFile("prompts.jsonl", `${JSON.stringify({ prompt: "word" })}\n`);
  const mock = await startMockProcess(...CAPACITY, ...REPLY, "--ledger", ledgerFile);
  const shape = ["--rate", `${RATE}`, "--duration", `${WINDOW_MS}ms`, "--warmup", "0", "--max-in-flight", "8"];
  const slos = [
    `e2e_scheduled<=${GOOD_MS}ms`,
    "goodput>=95%",
    "goodput>=5%",
    `e2e_scheduled_p50<${2 * slow.p50}ms`,
    `e2e_scheduled_p50<${fast.p50 / 4}ms`,
    `e2e_scheduled_p90<${2 * slow.p90}ms`,
    `e2e_scheduled_p90<${fast.p90 / 8}ms`,
  ].flatMap((slo) => ["--slo", slo]);
  loaded = await loadToEnd("chat-stream", mock.url, [
    ...shape,
    "--prompts",
    prompts,
    "--set",
    "no-default-slos",
    ...slos,
  ]);
  run = loaded.run;
  await vi.waitFor(() => expect(received()).toHaveLength(run.counts.started), { timeout: 60_000 });
  const tookMs = received().map(({ planned_ms, endMs }) => endMs - (planned_ms[0] ?? 0));
  slowest = Math.max(LONGER, (LONGER * (tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length)) / SERVICE_MS);
  slow = predict(SERVICE_MS * slowest);
});

const received = () => ledgerOf(ledgerFile).filter(({ route }) => route === "chat.stream");

/** Whether a figure lies between those of the nominal service time and of the slowest, give or take one round of the slots. */
function expectBetween(observed: number, a: number, b: number, tolerance: number): void {
  expect(observed).toBeGreaterThanOrEqual(Math.min(a, b) - tolerance);
  expect(observed).toBeLessThanOrEqual(Math.max(a, b) + tolerance);
}

test("what started is what the target received, and what never started is the rest of the schedule", async () => {
  const { counts } = run;
  expect(counts).toMatchObject({ offered: DUE, unfinished: 0, ok: counts.started, failed: counts.not_started });
  expectBetween(counts.started, fast.started, slow.started, STATIONS.inFlight);
  const ids = recordsOf(loaded.folder).map(({ id }) => id);
  expect(
    received()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids.sort());
  // First come, first served: those that never started are the last that were due.
  expect(arrivalLinesOf(loaded.folder).map(({ index, end }) => ({ index, end }))).toEqual(
    Array.from({ length: counts.not_started }, (_, k) => ({ index: counts.started + k, end: "not_started" })),
  );
  expect(run.metrics["error_rate"]?.value).toBe(counts.not_started / DUE);
});

test("latencies from the schedule are those of the simulation as far as they can be measured, and bounds of them beyond", () => {
  const { count, notStarted, p50, p90, atLeast } = run.metrics["e2e_scheduled"] ?? { count: 0 };
  expect({ count, notStarted }).toEqual({ count: DUE, notStarted: run.counts.not_started });
  // More than half of the arrivals started, and less than nine out of ten.
  expectBetween(p50 ?? Number.NaN, fast.p50, slow.p50, SERVICE_MS);
  expect(atLeast?.p50).toBeLessThanOrEqual(slow.p50);
  expect(p90).toBeUndefined();
  expect(atLeast?.p90).toBeLessThanOrEqual(slow.p90);
});

test("goodput is that of the simulation", () => {
  const share = run.metrics["goodput_share"]?.value ?? Number.NaN;
  expectBetween(share * DUE, fast.good, slow.good, STATIONS.inFlight);
  // Good units end within the window, all of them at its beginning.
  expect((run.metrics["goodput"]?.value ?? Number.NaN) * (WINDOW_MS / 1_000)).toBeCloseTo(share * DUE, 9);
});

test("the target sent nothing later than the client saw it, and served as many requests per second as it can", () => {
  const truth = new Map(ledgerOf(ledgerFile).map((row) => [row.id, row]));
  for (const { id, e2e = 0 } of recordsOf(loaded.folder)) {
    const { planned_ms, actual_ms } = truth.get(id) ?? {};
    expect(actual_ms).toHaveLength(11);
    expect(planned_ms?.at(-1)).toBeGreaterThanOrEqual(SERVICE_MS - 1);
    expect(actual_ms?.at(-1)).toBeLessThanOrEqual(e2e);
  }
  expectBetween(run.metrics["requests_per_s"]?.value ?? Number.NaN, 10, 10 / slowest, STATIONS.servers / 2);
});

test("objectives are decided as the simulation would decide them, or not at all", () => {
  const decided = run.slos.map(({ ok }) => ok);
  // Latencies that grow are alike in time, so that few of these requests are independent: too few, maybe, to meet a median.
  expect([true, null]).toContain(decided[3]);
  expect(decided.toSpliced(3, 1)).toEqual([null, false, true, false, null, false]);
});
