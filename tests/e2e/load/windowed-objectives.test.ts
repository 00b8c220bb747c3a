/** Objectives in windows of a load, of a service with planted times: which windows miss one is known. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadToEnd, unhindered } from "../../support/commands/load-to-end.ts";
import { startPlanted } from "./planted-streams.ts";

/** Requests per second in each stage: a spike, and idle time. */
const RATES = [20, 60, 20, 0, 20];
const STAGE_S = 4;
/** Slow in the spike and for 2 s after it, and cold for 1 s after the idle time. */
const isSlow = (before: number): boolean => (before >= 80 && before < 360) || (before >= 400 && before < 420);

test("windows that are slow miss an objective that is to hold in every one; a recovery lasts until the planted slowness is over", async () => {
  const slos = [
    "ttft_p90<300ms",
    "ttft_p90<300ms in every 4s",
    "ttft_p90<300ms in 20% of 4s",
    "error_rate<20% in every 4s",
    "ttft_p95<1s in every 1s",
    "recovery<3500ms",
    "recovery<1500ms",
  ];
  const { run, stdout, code, folder } = await unhindered(async () => {
    const { url, stop } = await startPlanted({ ttftMs: (before) => (isSlow(before) ? 500 : 60) });
    onTestFinished(stop);
    const shape = ["--rate", RATES.join(), "--duration", `${RATES.length * STAGE_S}s`, "--warmup", "0"];
    const more = ["--set", "no-usage", "--set", "no-default-slos", ...slos.flatMap((slo) => ["--slo", slo])];
    return loadToEnd("chat-stream", url, [...shape, ...more]);
  });
  const [, every, most, errors, short, met, missed] = run.slos;
  const origin = run.windows.find(({ phase }) => phase === "measure")?.t ?? 0;
  expect(every, stdout).toMatchObject({ ok: false, observed: 1 / 4 });
  const missedAt = every?.missedAt?.map(({ fromS, toS }) => [fromS - origin, toS - origin].map(Math.round));
  expect(missedAt, stdout).toEqual([
    [4, 8],
    [8, 12],
    [16, 20],
  ]);
  expect(most, stdout).toMatchObject({ ok: true, observed: 1 / 4 });
  expect(errors, stdout).toMatchObject({ ok: true, observed: 1 });
  expect(short, stdout).toMatchObject({
    ok: null,
    note: expect.stringMatching(/\d+ undecided \(.*exceed the bound, 5% may: /),
  });
  expect(stdout).toMatch(/✗ ttft_p90<300ms in every 4s +25% of windows of 4s \(1 of 4\); worst 5\d\d\.\d ms from \d/);
  expect(run.conclusion).toContain("ttft_p90<300ms in every 4s");

  expect(run.steps?.map(({ rate, due }) => [rate, due])).toEqual(RATES.map((rate) => [`${rate}/s`, rate * STAGE_S]));
  expect(met, stdout).toMatchObject({ ok: true, recoveries: [{ after: "fall" }, { after: "idle" }] });
  const [fall, idle] = met?.recoveries ?? [];
  expect(
    [fall?.tookS, idle?.tookS].map((tookS = Number.NaN) => Math.round(tookS)),
    stdout,
  ).toEqual([2, 1]);
  expect((idle?.atS ?? 0) - (fall?.atS ?? 0)).toBeCloseTo(2 * STAGE_S, 1);
  expect(missed, stdout).toMatchObject({ ok: false });
  expect(stdout).toMatch(/✓ recovery<3500ms +\S+ ms after the fall of the rate at \d/);
  expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("recovery");
  expect(run.outages).toEqual([]);
  expect(code).toBe(1);
});
