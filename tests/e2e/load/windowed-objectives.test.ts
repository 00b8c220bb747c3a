/** Objectives in windows of a load, of a service with planted times: which windows miss one is known. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assay } from "../../support/commands/assay-process.ts";
import { loadToEnd, unhindered } from "../../support/commands/load-to-end.ts";
import { startPlanted } from "./planted-streams.ts";

const [RATE, DURATION_S] = [30, 15];
/** Slow in the second of three windows. */
const isSlow = (before: number): boolean => before >= 5 * RATE && before < 10 * RATE;

test.concurrent("a window that is slow misses an objective that is to hold in every one, and is named", async ({
  onTestFinished,
}) => {
  const { run, stdout, code } = await unhindered(async () => {
    const { url, stop } = await startPlanted({ ttftMs: (before) => (isSlow(before) ? 500 : 60) });
    onTestFinished(stop);
    const slos = [
      "ttft_p90<300ms in every 5s",
      "ttft_p90<300ms in 60% of 5s",
      "error_rate<5% in every 5s",
      "ttft_p95<1s in every 1s",
    ];
    const shape = ["--rate", `${RATE}`, "--duration", `${DURATION_S}s`, "--warmup", "0", "--set", "no-usage"];
    return loadToEnd("chat-stream", url, [
      ...shape,
      "--set",
      "no-default-slos",
      ...slos.flatMap((slo) => ["--slo", slo]),
    ]);
  });
  const [every, most, errors, short] = run.slos;
  expect(every, stdout).toMatchObject({ ok: false, observed: 2 / 3 });
  expect(every?.missedAt, stdout).toHaveLength(1);
  const [at] = every?.missedAt ?? [];
  const origin = run.windows.find(({ phase }) => phase === "measure")?.t ?? 0;
  expect(Math.abs((at?.fromS ?? 0) - origin - 5), stdout).toBeLessThan(1);
  expect((at?.toS ?? 0) - (at?.fromS ?? 0)).toBeCloseTo(5, 5);
  expect(most, stdout).toMatchObject({ ok: true, observed: 2 / 3 });
  expect(errors, stdout).toMatchObject({ ok: true, observed: 1 });
  expect(short, stdout).toMatchObject({
    ok: null,
    note: expect.stringMatching(/15 undecided \(.*exceed the bound, 5% may: /),
  });
  expect(stdout).toMatch(
    /✗ ttft_p90<300ms in every 5s +66\.7% of windows of 5s \(2 of 3\); worst 5\d\d\.\d ms from \d/,
  );
  expect(run.conclusion).toContain("missed: ttft_p90<300ms in every 5s; undecided: ttft_p95<1s in every 1s");
  expect(code).toBe(1);
});

test.concurrent("a recovery is measured from the end of a spike until the planted slowness is over", async ({
  onTestFinished,
}) => {
  const [before, spike, slowAfter] = [80, 320, 20];
  const { run, stdout, code, folder } = await unhindered(async () => {
    const planted = (number: number): number => (number >= before && number < before + spike + slowAfter ? 500 : 60);
    const { url, stop } = await startPlanted({ ttftMs: planted });
    onTestFinished(stop);
    const slos = ["ttft_p90<300ms", "error_rate<5%", "recovery<6s", "recovery<1s"];
    const shape = ["--rate", "10,40,10", "--duration", "24s", "--warmup", "0", "--set", "no-usage"];
    return loadToEnd("chat-stream", url, [
      ...shape,
      "--set",
      "no-default-slos",
      ...slos.flatMap((slo) => ["--slo", slo]),
    ]);
  });
  const [met, missed] = run.slos.filter(({ expr }) => expr.startsWith("recovery"));
  expect(met, stdout).toMatchObject({ ok: true, recoveries: [{ after: "fall" }] });
  // The rate is 10 per second again: so many of its requests are slow.
  expect(met?.recoveries?.[0]?.tookS, stdout).toBeCloseTo(slowAfter / 10, 0);
  expect(missed, stdout).toMatchObject({ ok: false });
  expect(stdout).toMatch(/✓ recovery<6s +\S+ ms after the fall of the rate at 1[67]\.\d s/);
  expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("recovery");
  expect(code).toBe(1);
});

test.concurrent("a recovery after idle time is measured from the first arrival after it", async ({
  onTestFinished,
}) => {
  const [rate, stageS] = [20, 4];
  const ofStage = rate * stageS;
  /** Cold for a second after the first idle time, for two after the second. */
  const isCold = (number: number): boolean =>
    (number >= ofStage && number < ofStage + rate) || (number >= 2 * ofStage && number < 2 * ofStage + 2 * rate);
  const { run, stdout, code } = await unhindered(async () => {
    const { url, stop } = await startPlanted({ ttftMs: (before) => (isCold(before) ? 500 : 60) });
    onTestFinished(stop);
    const slos = ["ttft_p90<300ms", "recovery<3500ms", "recovery<1500ms"];
    const shape = ["--shape", "idle", "--rate", `${rate}`, "--duration", `${9 * stageS}s`, "--warmup", "0"];
    const more = ["--set", "no-usage", "--set", "no-default-slos", ...slos.flatMap((slo) => ["--slo", slo])];
    return loadToEnd("chat-stream", url, [...shape, ...more]);
  });
  expect(run.steps?.map(({ rate: of, due }) => [of, due])).toEqual(
    [1, 0, 0, 0, 1, 0, 0, 0, 1].map((share) => [`${share * rate}/s`, share * ofStage]),
  );
  const [met, missed] = run.slos.filter(({ expr }) => expr.startsWith("recovery"));
  const recoveries = [expect.objectContaining({ after: "idle" }), expect.objectContaining({ after: "idle" })];
  expect(met, stdout).toMatchObject({ ok: true, recoveries });
  expect(met?.recoveries?.map(({ tookS = Number.NaN }) => Math.round(tookS))).toEqual([1, 2]);
  const [first, second] = met?.recoveries ?? [];
  expect((second?.atS ?? 0) - (first?.atS ?? 0)).toBeCloseTo(4 * stageS, 5);
  expect(missed, stdout).toMatchObject({ ok: false });
  expect(stdout).toMatch(/✓ recovery<3500ms +[12],\d{3} ms after the idle time at 3[23]\.\d s/);
  expect(run.outages).toEqual([]);
  expect(code).toBe(1);
});

test.each([
  ["recovery>3s", "asks for a slow recovery"],
  ["ttft_p90<300ms in every 1m", "the run measures for 10s only, which is less than one window"],
  ["requests_per_s>5 in every 2s", "bounds requests_per_s, which is measured of the whole run only"],
])("%s is refused before the load starts", async (slo, reason) => {
  const { code, stderr } = await assay([
    "load",
    "chat-stream",
    "--target",
    "http://127.0.0.1:9",
    "--duration",
    "10s",
    "--slo",
    slo,
  ]);
  expect(stderr).toContain(reason);
  expect(code).toBe(3);
});
