/** What a run says of its steadiness, and which runs say nothing. */

import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import { chatRecord, httpError, makeRun } from "../../../tests/support/results/load-run.ts";
import { summarize, summarizeRun } from "../../../tests/support/results/summarize-run.ts";
import { analyzeLoad } from "../../../tests/support/results/summarize-shards.ts";
import { loadTerminal } from "../views/terminal.ts";
import { steadyPartOf, unsteadyInWords } from "./run-steadiness.ts";

/** Three times as slow for ten seconds after the warm-up of 2 s, at 20 requests/s. */
const cold = (record: RequestRecord, index: number): RequestRecord =>
  index < 240 ? { ...record, ttft: (record.ttft ?? 0) * 3, e2e: (record.e2e ?? 0) + 2 * (record.ttft ?? 0) } : record;

describe("a run that is cold for ten of 30 seconds", () => {
  test("says so in its verdict sentence, with since when it is steady", async () => {
    const run = await summarizeRun({ change: cold });
    expect(run.steadiness).toMatchObject({ steady: false, metric: "ttft", form: "step", sinceS: 10 });
    expect(run.conclusion).toMatch(
      /^all objectives met: .*; not steady: median ttft from 3\d\d ms to 1\d\d ms; steady since 10 s$/,
    );
    expect(run.exitCode).toBe(0);
    expect(loadTerminal(run, { colour: false }).split("\n")[0]).toContain("steady since 10 s");
  });

  test.each([
    ["a ramp", '"rate":"10..30"'],
    ["steps", '"rate":"10,20,40"'],
    ["a trace", '"rate":20,"arrival":{"process":"trace","file":"t"}'],
  ])("is not looked at where the load is %s", async (_, rate) => {
    const { records, client } = makeRun({ change: cold });
    const [header = "", ...lines] = records;
    const run = await summarize([{ records: [header.replace('"rate":20', rate), ...lines], client }]);
    expect(run.steadiness).toBeUndefined();
    expect(run.conclusion).not.toContain("steady");
  });

  test("is not looked at when the load generator was late", async () => {
    const { records, client } = makeRun({ change: (record, index) => ({ ...cold(record, index), lag: 500 }) });
    const run = await summarize([{ records, client }]);
    expect(run.validity.verdict).toBe("CLIENT-LIMITED");
    expect(run.steadiness).toBeUndefined();
  });
});

describe("steady-only", () => {
  const options = { change: cold, durationS: 30 };
  const SETTING = '"rate":20,"steadyOnly":true';

  /** Analyzes a run once, then its steady part, as a result folder is. */
  async function steadyPart(
    change: (record: RequestRecord, index: number) => RequestRecord | undefined,
    more: string[] = [],
  ) {
    const { records, client } = makeRun({ ...options, change });
    const [header = "", ...lines] = records;
    const counted = client.map((line) => line.replace(/"records":\d+/, `"records":${lines.length + more.length}`));
    const shards = [{ records: [header.replace('"rate":20', SETTING), ...lines, ...more], client: counted }];
    const input = {
      target: "http://t",
      shape: "20/s",
      tool: "assay",
      scenario: "chat-stream",
      slos: ["ok>=1"],
      shards,
    };
    const { run, span } = await analyzeLoad(input);
    return analyzeLoad({ ...input, steady: steadyPartOf(run, span) });
  }

  test("leaves out failures by address, too", async () => {
    const early = (record: RequestRecord, index: number) => ({
      ...(index < 200 && index % 2 === 0 ? httpError(cold(record, index)) : cold(record, index)),
      address: `10.0.0.${1 + (index % 2)}:80`,
    });
    const { run } = await steadyPart(early);
    expect([run.leftOut?.sinceS, run.addresses]).toEqual([10, undefined]);
  });

  test("leaves out what came before the run was steady: of its counts, latencies, charts, failures and the load generator's health", async () => {
    const { run, span } = await steadyPart((record, index) =>
      index === 100 || index === 300 ? httpError(cold(record, index)) : cold(record, index),
    );
    expect(run.leftOut).toMatchObject({ steady: false, metric: "ttft", sinceS: 10 });
    expect(run.steadiness).toEqual({ steady: true });
    expect(run).toMatchObject({ durationS: 20, counts: { offered: 400, started: 400, ok: 399, failed: 1 } });
    expect(span).toMatchObject({ seconds: 20, from: span.origin + 12_000, to: span.origin + 32_000 });
    expect(run.metrics["ttft"]?.max).toBeLessThan(200);
    expect(run.failures?.map(({ count }) => count)).toEqual([1]);
    expect(run.windows.find(({ t }) => t === 11)?.phase).toBe("warmup");
    expect(run.windows.find(({ t }) => t === 12)?.phase).toBe("measure");
    expect(run.validity).toMatchObject({ verdict: "VALID" });
    expect(run.conclusion).toMatch(/; first 10 s left out: median ttft from 3\d\d ms to 1\d\d ms$/);
    expect(run.conclusion).not.toContain("not steady");
  });

  test("takes an arrival as a whole: the second turn of an early conversation is early, too", async () => {
    const turn = JSON.stringify({ ...chatRecord(2_000, 12_500, "measure"), arrival: 239, turn: 2, turns: 2 });
    const { run } = await steadyPart((record, index) => ({ ...cold(record, index), arrival: index }), [turn]);
    expect(run.counts.offered).toBe(400);
    expect(run.ops["chat.stream"]?.calls.total).toBe(400);
  });

  test("leaves out half of the measured time at most, and says so", async () => {
    const late = (record: RequestRecord, index: number) => cold(record, index < 440 ? 0 : 1_000);
    const { run } = await steadyPart(late);
    expect(run.leftOut).toBeUndefined();
    expect(run.counts.offered).toBe(600);
    expect(run.conclusion).toMatch(
      /; not steady: [^;]*; (never steady|steady since [^;]*); nothing was left out: the target was not steady for the second half of the run$/,
    );
  });

  test("leaves nothing out of a steady run, and says where nothing is known", async () => {
    const { run } = await steadyPart((record) => record);
    expect(run).toMatchObject({ counts: { offered: 600 }, steadiness: { steady: true } });
    expect(run.conclusion).not.toContain("steady");
    const { run: few } = await steadyPart((record, index) => (index % 10 === 0 ? record : undefined));
    expect(few.conclusion).toMatch(/; nothing was left out: it is not known whether the run was steady$/);
  });
});

test("a median of seconds is written as a plain number", () => {
  const form = { steady: false, metric: "ttft", form: "step", fromMs: 4_834, toMs: 61.23, sinceS: 5 } as const;
  expect(unsteadyInWords(form)).toBe("not steady: median ttft from 4,830 ms to 61.2 ms; steady since 5 s");
});

test("a run that is equally fast is steady, and its sentence does not mention it", async () => {
  const run = await summarizeRun();
  expect(run.steadiness).toEqual({ steady: true });
  expect(run.conclusion).not.toContain("steady");
});

describe("stalls", () => {
  /** Every stream that is open at one of these times is silent until 300 ms later. Milliseconds of the run. */
  const stalledAt =
    (times: readonly number[]) =>
    (record: RequestRecord): RequestRecord => {
      let at = readInstant(record.sent) - readInstant("2026-01-02T03:04:05Z") + (record.ttft ?? 0);
      let more = 0;
      const gaps_us = record.gaps_us?.map((gap) => {
        const from = at;
        at += gap / 1_000;
        const begin = times.find((time) => time >= from && time < at);
        if (begin === undefined) return gap;
        const added = begin + 300 - at;
        at += added;
        more += added;
        return gap + Math.round(added * 1_000);
      });
      return { ...record, ...(gaps_us && { gaps_us }), e2e: (record.e2e ?? 0) + more };
    };

  test("at equal distances are named with their period", async () => {
    const times = Array.from({ length: 10 }, (_, index) => 3_500 + 3_000 * index);
    const run = await summarizeRun({ change: stalledAt(times) });
    expect(run.periodicStalls?.periodS).toBeCloseTo(3, 1);
    expect(run.periodicStalls?.count).toBe(10);
    // They ended 300 ms after they began, 2 s of which are warm-up.
    expect(run.periodicStalls?.endedS).toHaveLength(10);
    expect(run.periodicStalls?.endedS?.[3]).toBeCloseTo(10.8, 0);
    expect(loadTerminal(run, { colour: false })).toMatch(/streams stalled every 3 s for about 3\d\d ms \(10 times\)/);
  });

  test("at any times are not", async () => {
    const times = [3_100, 5_900, 7_000, 13_300, 15_000, 21_700, 22_900, 30_100];
    expect((await summarizeRun({ change: stalledAt(times) })).periodicStalls).toBeUndefined();
  });
});
