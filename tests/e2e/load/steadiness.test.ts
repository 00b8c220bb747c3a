/** A load of a service that is cold at first, and of one that stalls at equal distances: both are found with the planted times. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunResult } from "../../../formats/run.ts";
import { loadResultOf } from "../../../runs/views/load-views.ts";
import { newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, loadToEnd, unhindered } from "../../support/commands/load-to-end.ts";
import { type Planted, startPlanted } from "./planted-streams.ts";

const DURATION_S = 15;
const RATE = 30;
/** Requests of the first third. */
const COLD = (RATE * DURATION_S) / 3;
const SHAPE = ["--rate", `${RATE}`, "--duration", `${DURATION_S}s`, "--set", "no-usage", ...FEW_UNITS];

async function loadOf(planted: Planted, more: readonly string[]) {
  return unhindered(async () => {
    const { url, stop } = await startPlanted(planted);
    onTestFinished(stop);
    return loadToEnd("chat-stream", url, [...SHAPE, ...more]);
  });
}

/** The result of the same records, had the load not been told to leave out what was not steady. */
function withAllOf(folder: string): Promise<RunResult> {
  const whole = newFolder();
  cpSync(folder, whole, { recursive: true });
  const records = join(whole, "records.jsonl");
  const text = readFileSync(records, "utf8");
  expect(text).toContain('"steadyOnly":true');
  writeFileSync(records, text.replace('"steadyOnly":true', '"steadyOnly":false'));
  return loadResultOf([whole]);
}

test("a cold first third is said with since when the run is steady, and left out with --warmup auto", async () => {
  const { run, stdout, folder } = await loadOf({ ttftMs: (before) => (before < COLD ? 300 : 60) }, [
    "--warmup",
    "auto",
  ]);
  const { steadiness, conclusion } = await withAllOf(folder);
  expect(steadiness).toMatchObject({ steady: false, metric: "ttft", form: "step" });
  expect(Math.abs((steadiness?.sinceS ?? 0) - 5), conclusion).toBeLessThanOrEqual(DURATION_S / 24 + 0.1);
  expect(conclusion).toMatch(/not steady: median ttft from \d+ ms to [\d.]+ ms; steady since \d/);

  expect(run.leftOut?.sinceS, stdout).toBe(steadiness?.sinceS);
  expect(run.settings).toMatchObject({ warmup: 0, steadyOnly: true });
  expect(run.counts.offered, stdout).toBeLessThanOrEqual(RATE * 11);
  expect(run.durationS, stdout).toBeCloseTo(DURATION_S - (run.leftOut?.sinceS ?? 0), 3);
  expect(run.metrics["ttft"]?.p50, stdout).toBeLessThan(200);
  expect(run.conclusion).toMatch(/first \d.* left out: median ttft from/);
});

test("stalls that come back are named with their period, and the run is steady otherwise", async () => {
  const { run, stdout } = await loadOf({ ttftMs: () => 60, pause: { everyMs: 2_000, forMs: 400 } }, ["--warmup", "0"]);
  expect(run.periodicStalls?.periodS, stdout).toBeCloseTo(2, 0);
  expect(run.periodicStalls?.count, stdout).toBeGreaterThanOrEqual(5);
  expect(run.steadiness, stdout).toEqual({ steady: true });
});
