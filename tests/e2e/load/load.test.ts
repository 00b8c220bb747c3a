/** Loads of the bundled mock, compared with its ground truth about every request and chunk. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { RunResult } from "../../../formats/run.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import {
  FEW_UNITS,
  type Loaded,
  loadToEnd,
  requireMet,
  requireUnhindered,
  unhindered,
} from "../../support/commands/load-to-end.ts";
import { conformanceResultOf, ledgerOf, recordsOf } from "../../support/results/read-results.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";
import { mostOpen } from "./concurrency.ts";

let mock: MockProcess;
const ledgerFile = join(newFolder(), "ledger.jsonl");

beforeAll(async () => {
  mock = await startMockProcess("--timing", "fast", "--ledger", ledgerFile);
});

async function load(scenario: string, ...flags: string[]): Promise<Loaded> {
  const loaded = await loadToEnd(scenario, mock.url, [...FEW_UNITS, ...flags], { ASSAY_API_KEY: CANARY });
  requireMet(loaded);
  return loaded;
}
const CANARY = "canary-key-5f2d";

describe("chat-stream at a constant rate", () => {
  let run: RunResult;
  let folder: string;
  let stdout: string;
  beforeAll(async () => {
    const shape = ["--rate", "20", "--duration", "5s", "--warmup", "1s"];
    ({ run, folder, stdout } = await unhindered(() => load("chat-stream", ...shape)));
    // The mock writes its ground truth once per second.
    const ids = recordsOf(folder).map(({ id }) => id);
    const isWritten = () => {
      const written = new Set(ledgerOf(ledgerFile).map(({ id }) => id));
      return ids.every((id) => written.has(id));
    };
    await vi.waitUntil(isWritten, { timeout: 60_000 });
  });

  test("offers the rate for the duration, and starts all of it", () => {
    expect(run.counts).toMatchObject({ offered: 100, started: 100, not_started: 0, ok: 100 });
    requireUnhindered({ run, stdout });
  });

  test("records each request that the mock received, with as many chunks as it sent", () => {
    const ledger = new Map(ledgerOf(ledgerFile).map((row) => [row.id, row]));
    const records = recordsOf(folder);
    expect(records).toHaveLength(120);
    for (const record of records) {
      const row = ledger.get(record.id);
      expect(row, record.id).toBeDefined();
      expect(record.chunks).toBe(row?.actual_ms.length);
      expect(record.gaps_us).toHaveLength((record.chunks ?? 0) - 1);
      expect(record.output_tokens).toBe(row?.tokens);
    }
  });

  test("receives no first token before the mock sent it", () => {
    const ledger = new Map(ledgerOf(ledgerFile).map((row) => [row.id, row]));
    for (const { id, ttft } of recordsOf(folder)) {
      expect(ttft).toBeGreaterThan((ledger.get(id)?.actual_ms[0] ?? Number.NaN) - 1);
    }
  });

  test("prints the verdict, the time to first token and the outcomes", () => {
    const { verdict } = run.validity;
    expect(stdout).toMatch(
      verdict === "VALID" ? /^PASSED .*\nrun is VALID/ : /^INCONCLUSIVE .*\nrun is CLIENT-LIMITED/,
    );
    expect(stdout).toMatch(/ttft ms +100 +\d/);
    // Content that a busy machine let arrive at once has no gaps.
    const paced = recordsOf(folder).filter(
      ({ phase, flags = [] }) => phase === "measure" && !flags.includes("buffered"),
    );
    expect(stdout).toMatch(new RegExp(`icl ms +${(39 * paced.length).toLocaleString("en")} +\\d`));
    expect(stdout).toMatch(/ok +100 +100%/);
    expect(stdout).toContain(join(folder, "run.html"));
  });

  test("writes every view, and writes the key into none of the files", () => {
    for (const name of [
      "run.json",
      "run.html",
      "run.md",
      "run.junit.xml",
      "records.jsonl",
      "client.jsonl",
      "k6.log",
      "bundle.js",
      "load.json",
    ]) {
      const text = readFileSync(join(folder, name), "utf8");
      expect(text.includes(CANARY), name).toBe(false);
    }
    expect(stdout).not.toContain(CANARY);
  });

  test("is reported from its records with the same result", async () => {
    const before = readFileSync(join(folder, "run.json"), "utf8");
    const { code, stderr } = await assay(["report", folder]);
    expect(code, stderr).toBe(run.exitCode);
    expect(readFileSync(join(folder, "run.json"), "utf8")).toBe(before);
  });
});

test("a fixed number of users keeps at most that many requests open, and they start one after another", async () => {
  const flags = ["--vus", "3", "--duration", "2s", "--warmup", "0", "--set", "ramp-up=1500ms"];
  const { run, folder } = await load("chat", ...flags);
  expect(run.client.openMax).toBeLessThanOrEqual(3);
  // They start after 0, 500 and 1,000 ms.
  const records = recordsOf(folder);
  expect([mostOpen(records, 0, 450), mostOpen(records, 500, 950), mostOpen(records, 1_000, 2_000)]).toEqual([1, 2, 3]);
  expect(run.counts.ok).toBeGreaterThan(3);
});

test("embeddings are sent in the given batch sizes, and checked", async () => {
  const shape = ["--rate", "10", "--duration", "3s", "--warmup", "0"];
  const { run, folder } = await load("embeddings", ...shape, "--set", "batch-sizes=1,5");
  expect(new Set(recordsOf(folder).map(({ items }) => items))).toEqual(new Set([1, 5]));
  expect(run.counts.ok).toBe(30);
});

test("video tasks complete or are cancelled, and none is left open", async () => {
  const shape = ["--rate", "5", "--duration", "4s", "--warmup", "0"];
  const { run } = await load("video", ...shape, "--poll-interval", "100ms", "--set", "cancel-share=0.5");
  const outcomes = run.metrics["video_outcome"]?.parts ?? {};
  expect(outcomes["completed"]).toBeGreaterThan(0);
  expect(outcomes["cancelled"]).toBeGreaterThan(0);
  expect(await mock.inspect("state")).toMatchObject({ tasks: { processing: 0 } });
});

test("a mixed load sends every kind of request of its mix, and a check of a sample finds nothing", async () => {
  const mix = "chat-stream=1,chat=1,embeddings=1,video=1";
  const shape = ["--rate", "20", "--duration", "3s", "--warmup", "0"];
  const { run, folder } = await load("mixed", ...shape, "--mix", mix, "--poll-interval", "100ms", "--check", "50%");
  expect(run.check).toMatchObject({ share: 0.5, findings: [], exchanges: { clientLeft: 0, unchecked: 0 } });
  expect(run.check?.exchanges.judged).toBeGreaterThan(20);
  expect(run.check?.verified).toBeGreaterThan(50);
  const ops = new Set(recordsOf(folder).map(({ op }) => op));
  expect([...ops]).toEqual(expect.arrayContaining(["chat.stream", "chat", "embeddings", "video.submit", "video.poll"]));
});

test("a check of a load finds what its measurements do not show, and names the exchanges", async () => {
  const faulty = await startMockProcess("--timing", "instant", "--fault", "created-at-offset@every:3");
  const shape = ["--rate", "10", "--duration", "2s", "--warmup", "0", "--poll-interval", "100ms"];
  const { run, folder, code, stdout } = await loadToEnd("video", faulty.url, [...FEW_UNITS, ...shape, "--check", "1"]);
  expect(run.slos.map(({ ok }) => ok)).toEqual([true]);
  expect(code).toBe(1);
  expect(run.conclusion).toMatch(/^violates the specification: video.submit.created_at.utc \([67] of 20 submissions\)/);
  expect(stdout).toMatch(/✗ FAIL +video.submit.created_at.utc +[67] of 20 submissions/);
  const { verdict, clauses } = conformanceResultOf(join(folder, "check"));
  expect(verdict).toMatch(/^DOES NOT CONFORM/);
  expect(clauses.filter((clause) => clause.verdict === "FAIL").map(({ id }) => id)).toEqual([
    "video.submit.created_at.utc",
  ]);
  expect((await assay(["replay", join(folder, "check")])).stdout).toContain("All verdicts are unchanged.");
  expect((await assay(["report", folder])).code).toBe(1);
});
