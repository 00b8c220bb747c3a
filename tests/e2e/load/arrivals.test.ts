/** Arrivals from a trace, in segments and at a changing rate, compared with the ground truth of the mock. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readInstant } from "../../../settings/instants.ts";
import { k6ForLoads } from "../../../toolchain/k6.ts";
import { assay, newFile, newFolder } from "../../support/commands/assay-process.ts";
import { type Loaded, load, loadToEnd } from "../../support/commands/load-to-end.ts";
import { clientLinesOf, ledgerOf, recordsOf, resultOf } from "../../support/results/read-results.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";

let mock: MockProcess;
const ledgerFile = join(newFolder(), "ledger.jsonl");

beforeAll(async () => {
  await k6ForLoads(); // built before a start time is set
  mock = await startMockProcess("--timing", "instant", "--output-tokens", "1000", "--ledger", ledgerFile);
});

/** The ground truth of the requests of some loads; the mock writes it once per second. */
async function groundTruthOf(...loads: readonly Loaded[]) {
  const ids = new Set(loads.flatMap(({ folder }) => recordsOf(folder).map(({ id }) => id)));
  const rows = () => ledgerOf(ledgerFile).filter(({ id }) => ids.has(id));
  await vi.waitFor(() => expect(rows()).toHaveLength(ids.size), { timeout: 60_000 });
  return rows();
}

/** Milliseconds from the first scheduled arrival to each, ascending. */
function offsetsOf(...loads: readonly Loaded[]): number[] {
  const due = loads.flatMap(({ folder }) => recordsOf(folder).map(({ scheduled }) => readInstant(scheduled)));
  due.sort((a, b) => a - b);
  return due.map((at) => at - (due[0] ?? 0));
}

const traceFile = (lines: readonly object[]): string => {
  const file = newFile("trace.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
};

test.concurrent("traffic of several tenants arrives as it came, in one run: times, models, lengths and turns", async () => {
  const at = (ms: number, more: object) => ({ timestamp: new Date(1_764_000_000_000 + ms).toISOString(), ...more });
  const chat = { operation: "chat-stream", tenant: "agents", duration_ms: 5, session_id: 1 };
  const trace = traceFile([
    at(0, { ...chat, input_length: 64, output_length: 8, hash_ids: [1, 2, 3, 4] }),
    at(200, { operation: "embeddings", tenant: "batch", input_length: 30 }),
    at(450, { ...chat, input_length: 82, output_length: 9, hash_ids: [1, 2, 3, 4, 5, 6] }),
    at(700, { ...chat, session_id: 2, input_length: 64, output_length: 7, hash_ids: [1, 2, 3, 9] }),
  ]);
  const file = join(newFolder(), "day.yaml");
  const workload = (name: string, operation: string, model: string): string =>
    `  - { name: ${name}, operation: ${operation}, tenant: ${name}, model: ${model}, arrival: "trace:${trace},tenant=${name}", batch-sizes: [1] }\n`;
  writeFileSync(
    file,
    `workloads:\n${workload("agents", "chat-stream", "large").replace(", batch-sizes: [1]", "")}${workload("batch", "embeddings", "small")}`,
  );
  const { folder } = await loadToEnd(undefined, mock.url, ["--workload", file, "--seed", "3"]);
  const records = recordsOf(folder).sort(
    (a, b) => (a.arrival ?? 0) - (b.arrival ?? 0) || (a.turn ?? 0) - (b.turn ?? 0),
  );
  const rows = records.map((of) => [of.workload, of.model, of.turn, of.requested_input_tokens, of.max_tokens]);
  expect(rows).toEqual([
    ["agents", "large", 1, 64, 8],
    ["agents", "large", 2, 82, 9],
    ["batch", "small", undefined, 30, undefined],
    ["agents", "large", undefined, 64, 7],
  ]);
  const [first, second, ...others] = records.map(({ scheduled }) => readInstant(scheduled));
  const sinceFirst = others.map((at) => Math.round(at - (first ?? 0)));
  expect(sinceFirst).toEqual([200, 700]);
  // It waits for the response before, and thinks for the 445 ms that were recorded.
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(445);
});

describe.concurrent("a trace", () => {
  const arrivals = [0, 40, 40, 700, 1_000, 1_500, 2_300].map((timestamp, index) => ({
    timestamp: timestamp + 5_000,
    input_length: 10 * (index + 1),
    output_length: index + 3,
  }));

  test("is replayed at its times, with its lengths, for its duration", async () => {
    const loaded = await load("chat-stream", mock.url, "--arrival", `trace:${traceFile(arrivals)}`);
    expect(loaded.run).toMatchObject({
      shape: "trace of trace.jsonl for 3s",
      durationS: 3,
      counts: { offered: 7, started: 7, ok: 7 },
    });
    expect(offsetsOf(loaded)).toEqual([0, 40, 40, 700, 1_000, 1_500, 2_300]);
    const tokens = (await groundTruthOf(loaded)).map(({ tokens }) => tokens ?? 0);
    expect(tokens.sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });

  test("can be replayed faster and in part, with its beginning as the warm-up", async () => {
    const flags = ["--arrival", `trace:${traceFile(arrivals)}@2`];
    const loaded = await load("chat-stream", mock.url, ...flags, "--warmup", "300ms", "--duration", "500ms");
    expect(loaded.run).toMatchObject({ durationS: 0.5, counts: { offered: 3, started: 3, ok: 3 } });
    expect(loaded.run.shape).toBe("trace of trace.jsonl at 2 times its speed for 500ms (warm-up 300ms)");
    expect(offsetsOf(loaded)).toEqual([0, 20, 20, 350, 500, 750]);
  });

  test("is counted by --plan, which sends nothing", async () => {
    const { stdout } = await assay([
      ...["load", "chat", "--target", "http://127.0.0.1:9", "--plan"],
      ...["--arrival", `trace:${traceFile(arrivals)}`, "--duration", "1s"],
    ]);
    expect(stdout).toMatch(/arrivals +4\n +input tokens, about +100\n +max_tokens in all +18\n/);
  });
});

describe.concurrent("two segments of a load that run at the same time", () => {
  /** Late enough for two k6 to be ready on a busy machine. */
  const startTime = (): string => new Date(Date.now() + 20_000).toISOString();

  /** Rounded to milliseconds: the clocks of two processes differ by some microseconds. */
  const together = (...shards: readonly Loaded[]): number[] => offsetsOf(...shards).map(Math.round);

  async function halves(...flags: readonly string[]) {
    const shared = [...flags, "--start-at", startTime()];
    const shards = await Promise.all(
      ["1/2", "2/2"].map((segment) => load("chat-stream", mock.url, ...shared, "--segment", segment)),
    );
    const merged = newFolder();
    const { code, stderr } = await assay(["report", ...shards.map(({ folder }) => folder), "--out", merged]);
    expect(code, stderr).toBe(resultOf(merged).exitCode);
    return { shards, merged: resultOf(merged), truth: await groundTruthOf(...shards) };
  }

  test("share a constant schedule, each arrival once, and their reports add up", async () => {
    const flags = ["--rate", "20", "--warmup", "500ms", "--duration", "3s", "--max-in-flight", "10"];
    const { shards, merged, truth } = await halves(...flags);
    expect(together(...shards)).toEqual(Array.from({ length: 70 }, (_, k) => 50 * k));
    expect(truth).toHaveLength(70);
    expect(merged).toMatchObject({
      shape: "20/s constant for 3s (warm-up 500ms)",
      durationS: expect.closeTo(3, 1), // the two do not start at exactly the same time
      segments: 2,
      counts: { offered: 60, started: 60, not_started: 0, completed: 60, ok: 60 },
      shards: [
        { segment: "1/2", offered: 30 },
        { segment: "2/2", offered: 30 },
      ],
    });
    for (const { run } of shards) expect(run.client.inFlightLimit).toBe(5);
    expect(shards[1]?.run.shape).toBe("segment 2/2 of 20/s constant for 3s (warm-up 500ms)");
  });

  test("share a trace, each arrival once and in order, up to the maximum of the whole load", async () => {
    const lines = Array.from({ length: 61 }, (_, k) => ({ timestamp: k * k, output_length: k + 1 }));
    const { shards, merged, truth } = await halves(
      "--arrival",
      `trace:${traceFile(lines)},unit=ms`,
      "--max-requests",
      "51",
    );
    const tokens = new Map(truth.map((row) => [row.id, row.tokens]));
    const records = shards.flatMap(({ folder }) => recordsOf(folder));
    records.sort((a, b) => readInstant(a.scheduled) - readInstant(b.scheduled));
    expect(records.map(({ id }) => tokens.get(id))).toEqual(Array.from({ length: 51 }, (_, k) => k + 1));
    expect(together(...shards)).toEqual(Array.from({ length: 51 }, (_, k) => k * k));
    expect(shards.map(({ run }) => run.counts.offered)).toEqual([26, 25]);
    expect(merged.counts).toMatchObject({ offered: 51, started: 51, ok: 51 });
    expect(merged.metrics["ttft"]?.count).toBe(51);
  });
});

describe.concurrent("a rate that changes", () => {
  test("sends nothing while it is 0, in the warm-up and in its first step", async () => {
    const flags = ["--rate", "0,20", "--warmup", "500ms", "--duration", "2s"];
    const { folder, run } = await loadToEnd("chat-stream", mock.url, flags);
    expect(run.counts).toMatchObject({ offered: 20, started: 20, ok: 20 });
    const start = readInstant(clientLinesOf(folder).at(-1)?.schedule_started_at ?? "");
    const due = recordsOf(folder).map(({ scheduled }) => Math.round(readInstant(scheduled) - start));
    expect(due.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, k) => 1_500 + 50 * k));
  });

  test("schedules each constant arrival when its integral reaches the number of the arrival", async () => {
    const loaded = await load("chat-stream", mock.url, "--rate", "10..30,5", "--warmup", "500ms", "--duration", "2s");
    expect(loaded.run).toMatchObject({
      shape: "10..30,5/s constant for 2s (warm-up 500ms)",
      counts: { offered: 25, started: 25, ok: 25 },
    });
    // 5 in the warm-up, 20 on a ramp from 10/s to 30/s, 5 in the last second.
    const ramp = Array.from({ length: 21 }, (_, k) => 500 + 1_000 * ((-10 + Math.sqrt(100 + 40 * k)) / 20));
    const expected = [0, 100, 200, 300, 400, ...ramp, 1_700, 1_900, 2_100, 2_300];
    const offsets = offsetsOf(loaded);
    expect(offsets).toHaveLength(expected.length);
    for (const [index, offset] of offsets.entries()) expect(offset).toBeCloseTo(expected[index] ?? Number.NaN, 2);
  });
});

describe.concurrent("a bound on requests", () => {
  test.each([
    ["open", ["--rate", "20"]],
    ["closed", ["--vus", "2"]],
  ])("of a loop that is %s is not spent on the warm-up, and the run ends with the last of them", async (_, flags) => {
    const shape = ["--warmup", "1s", "--duration", "10m", "--max-requests", "7"];
    const { folder, run } = await loadToEnd("chat-stream", mock.url, [...flags, ...shape]);
    expect(run.counts).toMatchObject({ offered: 7, started: 7, not_started: 0, ok: 7 });
    expect(recordsOf(folder).filter(({ phase }) => phase === "warmup").length).toBeGreaterThan(7);
    expect(run.interrupted).toBe(false);
  });
});
