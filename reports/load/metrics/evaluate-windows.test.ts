import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { SloResult } from "../../../formats/run.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { httpError, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { summarizeLoad } from "../../../tests/support/results/summarize-shards.ts";
import { evaluateSlo } from "./evaluate-slo.ts";
import { evaluateInWindows, isWindowed, type MeasuredWindow } from "./evaluate-windows.ts";

const BASE = { target: "http://t", scenario: "chat-stream", shape: "40/s for 60s", tool: "assay 0.1.0" };

/** Objectives of a made-up run of a minute at 40/s, after two seconds of warm-up. */
async function decide(
  slos: readonly string[],
  change: (record: RequestRecord, second: number, index: number) => RequestRecord | undefined = (record) => record,
): Promise<SloResult[]> {
  const made = makeRun({
    rate: 40,
    durationS: 60,
    change: (record, index) => change(record, Math.floor(index / 40) - 2, index),
  });
  return (await summarizeLoad({ ...BASE, slos, shards: [made] })).slos;
}
const one = async (...args: Parameters<typeof decide>): Promise<SloResult> => {
  const [result] = await decide(...args);
  if (result === undefined) throw new Error("nothing was decided");
  return result;
};

const slow = (record: RequestRecord): RequestRecord => ({ ...record, ttft: 900, e2e: 1_200 });

group("a latency that is slow in one of six windows", () => {
  const change = (record: RequestRecord, second: number) => (second >= 20 && second < 30 ? slow(record) : record);
  test.each([
    ["ttft_p95<500ms in every 10s", false],
    ["ttft_p95<500ms in 90% of 10s", false],
    ["ttft_p95<500ms in 80% of 10s", true],
    ["ttft_p95<500ms in every 60s", false],
    ["ttft_p50<500ms in every 60s", true],
    ["ttft_p95<1s in every 10s", true],
    ["ttft_p95>200ms in 90% of 10s", false],
  ])("%s is %s", async (expr, ok) => {
    expect((await one([expr], change)).ok).toBe(ok);
  });

  test("is named with its time, and the share of windows is what was observed", async () => {
    expect(await one(["ttft_p95<500ms in every 10s"], change)).toEqual({
      expr: "ttft_p95<500ms in every 10s",
      observed: 5 / 6,
      ok: false,
      note: "of windows of 10s (5 of 6); worst 900.0 ms from 22.0 s",
      missedAt: [{ fromS: 22, toS: 32 }],
      cause: expect.stringContaining("of 448 requests from 21 to 33 s 400 exceed 500.0 ms, of 1,952 others none"),
    });
  });
});

group("a window", () => {
  test("that has too few requests is undecided, and so is the objective", async () => {
    expect(await one(["ttft_p95<500ms in every 1s"])).toMatchObject({
      ok: null,
      observed: 0,
      note: "of windows of 1s (0 of 60); 60 undecided (0% of 40 requests exceed the bound, 5% may: 19 more needed)",
    });
    expect(await one(["ttft_p95<500ms in every 2s"])).toMatchObject({ ok: true, observed: 1 });
  });

  test("in which nothing was due says nothing", async () => {
    const half = (record: RequestRecord, second: number) => (second < 30 ? undefined : record);
    expect(await one(["ttft_p95<500ms in every 10s"], half)).toMatchObject({
      ok: true,
      note: "of windows of 10s (3 of 3)",
    });
  });

  test("that the run does not complete is not looked at", async () => {
    const end = (record: RequestRecord, second: number) => (second >= 50 ? slow(record) : record);
    expect(await one(["ttft_p95<500ms in every 25s"], end)).toMatchObject({
      ok: true,
      note: "of windows of 25s (2 of 2)",
    });
  });
});

group("failures", () => {
  const failing = (record: RequestRecord, second: number, index: number) =>
    second >= 40 && second < 50 && index % 4 === 0 ? httpError(record) : record;
  test.each([
    ["error_rate<5% in every 10s", false],
    ["error_rate<5% in 80% of 10s", true],
    ["ok>=350 in every 10s", false],
    ["ok>=300 in every 10s", true],
  ])("of a quarter of one window: %s is %s", async (expr, ok) => {
    expect(await one([expr], failing)).toMatchObject({ ok, ...(!ok && { missedAt: [{ fromS: 42, toS: 52 }] }) });
  });

  test("of a quarter of one window miss the goodput of that window", async () => {
    const [, good] = await decide(["ttft<500ms", "goodput>=90% in every 10s"], failing);
    expect(good).toMatchObject({ ok: false, missedAt: [{ fromS: 42, toS: 52 }] });
  });

  test("that an outage makes are of the window in which they were due", async () => {
    const out = (record: RequestRecord, second: number) => (second >= 5 && second < 8 ? unanswered(record) : record);
    expect(await one(["error_rate<5% in every 10s"], out)).toMatchObject({ missedAt: [{ fromS: 2, toS: 12 }] });
  });
});

group("of 60 windows, none is missed by chance", () => {
  const { uniform } = randomFrom(7);
  const [WINDOWS, EACH] = [60, 300];
  const badOf = (share: number): number => Array.from({ length: EACH }, uniform).filter((each) => each < share).length;
  const ENDED = { offered: EACH, started: EACH, not_started: 0, completed: EACH, unfinished: 0 };
  const windowOf = (index: number, bad: number, isPercentile: boolean): MeasuredWindow => ({
    fromS: 10 * index,
    counts: { ...ENDED, ok: EACH - bad, failed: bad, outcomes: {} },
    possiblyOurs: 0,
    metrics: {
      error_rate: { unit: "share", count: EACH, value: bad / EACH },
      ttft: { unit: "ms", count: EACH, p95: bad > EACH / 20 ? 501 : 499 },
    },
    withUnfinished: {},
    ...(isPercentile && {
      beyond: { certain: bad, possible: bad, count: EACH, allowed: 0.05, of: "request", open: 0 },
    }),
  });
  const missed = (expr: string, share: number): number => {
    const slo = parseSlo(expr);
    if (!isWindowed(slo)) throw new Error(`${expr} names no windows`);
    const runs = Array.from({ length: 30 }, () => {
      const windows = Array.from({ length: WINDOWS }, (_, index) =>
        windowOf(index, badOf(share), slo.statistic !== undefined),
      );
      return evaluateInWindows(slo, { windows, offered: WINDOWS * EACH }, { offered: WINDOWS * EACH }, evaluateSlo);
    });
    return runs.filter(({ ok }) => ok === false).length;
  };

  test.each([
    ["error_rate<1% in every 10s", 0.005, 0, 0],
    ["error_rate<1% in every 10s", 0.01, 0, 5],
    ["ttft_p95<500ms in every 10s", 0.05, 0, 5],
    ["error_rate<1% in every 10s", 0.03, 28, 30],
    ["ttft_p95<500ms in every 10s", 0.1, 28, 30],
  ])("%s, of a target that exceeds it with probability %d: %d to %d of 30 runs", (expr, share, least, most) => {
    const found = missed(expr, share);
    expect(found).toBeGreaterThanOrEqual(least);
    expect(found).toBeLessThanOrEqual(most);
  });
});
