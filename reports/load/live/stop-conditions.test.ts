/** When a running load ends before its time: conditions of `--abort-on`, and a target that is gone. */

import { expect, describe as group, test } from "vitest";
import type { ClientLine } from "../../../formats/client.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import { parseAbortRule } from "../../../load/objectives/abort-rule.ts";
import { evaluateLines } from "../../../runs/views/run-database.ts";
import { chatRecord, httpError, instant, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { Budget } from "./budget.ts";
import { GoneTarget } from "./gone-target.ts";
import { RecentRecords } from "./recent-records.ts";
import { StopConditions, type StopSettings } from "./stop-conditions.ts";

const WARMUP_S = 2;

/** Follows a run of 20 requests per second second by second; returns when it is ended and why. */
async function follow(
  settings: Partial<StopSettings>,
  change: (record: RequestRecord, index: number) => RequestRecord | undefined,
  durationS = 30,
) {
  const conditions = new StopConditions({
    abortWhenGone: 0,
    warmup: WARMUP_S * 1_000,
    objectives: ["error_rate<1%"],
    evaluate: evaluateLines,
    ...settings,
  });
  const { records, client } = makeRun({ warmupS: WARMUP_S, durationS, change });
  for (const line of records) conditions.addRecord(line);
  for (const line of client) {
    const stop = await conditions.look(JSON.parse(line));
    if (stop !== undefined) return stop;
  }
  return undefined;
}

test("what may end a run is told, with what was last observed of it", async () => {
  const budget = new Budget({
    ...{
      expr: "--max-tokens-total 90000",
      prices: { input: 1_000_000, output: 1_000_000 },
      most: 90_000,
      takesStated: false,
    },
    ...{ chat: 1, video: 0, inputTokens: 10, inWords: (used, inFlight) => `${used} used, ${inFlight} in flight` },
  });
  const conditions = new StopConditions({
    ...{ abortOn: ["error_rate>90% over 5s"], abortWhenGone: 30_000, warmup: WARMUP_S * 1_000, objectives: [] },
    ...{ evaluate: evaluateLines, budgets: [budget] },
  });
  expect(conditions.states()).toEqual(["error_rate>90% over 5s", "--max-tokens-total 90000", "no response for 30s"]);
  const { records, client } = makeRun({
    warmupS: WARMUP_S,
    change: (record, index) => (index % 2 === 0 ? httpError(record, 503) : record),
  });
  for (const line of records) conditions.addRecord(line);
  for (const line of client) await conditions.look(JSON.parse(line));
  expect(conditions.states()).toEqual([
    "error_rate>90% over 5s: 50% over the last 5s (100 requests)",
    expect.stringMatching(/^--max-tokens-total 90000: [1-9][\d.]* used, \d+ in flight$/),
    "no response for 30s",
  ]);
});

/** Follows the load generators of one load second by second, which number their arrivals alike. */
async function followAll(settings: Partial<StopSettings>, runs: readonly ReturnType<typeof makeRun>[]) {
  const conditions = new StopConditions({
    abortWhenGone: 0,
    warmup: WARMUP_S * 1_000,
    objectives: ["error_rate<1%"],
    evaluate: evaluateLines,
    ...settings,
  });
  for (const [number, { records }] of runs.entries()) for (const line of records) conditions.addRecord(line, number);
  for (let second = 0; second < Math.max(...runs.map(({ client }) => client.length)); second += 1) {
    for (const [number, { client }] of runs.entries()) {
      const line = client[second];
      const stop = line === undefined ? undefined : await conditions.look(JSON.parse(line), number);
      if (stop !== undefined) return stop;
    }
  }
  return undefined;
}

group("load generators that share a load", () => {
  const half = (segment: string, fails: boolean) =>
    makeRun({
      segment,
      warmupS: WARMUP_S,
      change: (record, index) => (fails && index >= at(12) ? httpError(record) : record),
    });

  test("are judged together: a condition is on the requests of all", async () => {
    const [good, bad] = [half("0:1/2", false), half("1/2:1", true)];
    expect(await followAll({ abortOn: ["error_rate>60% over 5s"] }, [good, bad])).toBeUndefined();
    const stop = await followAll({ abortOn: ["error_rate>40% over 5s"] }, [good, bad]);
    expect(stop).toMatchObject({ cause: "rule" });
    const [, units = ""] = /\((\d+) requests\)$/.exec(stop?.reason ?? "") ?? [];
    expect(Number(units)).toBeGreaterThan(150);
  });

  test("go on without one that says nothing more", async () => {
    const [good, bad] = [half("0:1/2", false), half("1/2:1", true)];
    const ended = { records: good.records.slice(0, at(8)), client: good.client.slice(0, 8) };
    expect(await followAll({ abortOn: ["error_rate>90% over 3s"] }, [ended, bad])).toMatchObject({ cause: "rule" });
  });

  test("take a target for gone that responds to none of them, and not one that responds to some", async () => {
    const silent = makeRun({ warmupS: WARMUP_S, segment: "1/2:1", change: (record) => unanswered(record) });
    const alsoSilent = makeRun({ warmupS: WARMUP_S, segment: "0:1/2", change: (record) => unanswered(record) });
    expect(await followAll({ abortWhenGone: 5_000 }, [silent, alsoSilent])).toMatchObject({ cause: "gone" });
    expect(await followAll({ abortWhenGone: 5_000 }, [silent, half("0:1/2", false)])).toBeUndefined();
  });
});

/** The request that is sent at a second of the run. */
const at = (second: number): number => second * 20;

group("a condition", () => {
  test("holds over its time, and says when and what was observed", async () => {
    const stop = await follow({ abortOn: ["error_rate>20% over 10s"] }, (record, index) =>
      index >= at(12) ? httpError(record) : record,
    );
    // From second 12 on all fail: 20% of the last 10 s are reached 2 s later, and known a second after that.
    expect(stop).toMatchObject({ cause: "rule", expr: "error_rate>20% over 10s" });
    expect(stop?.t).toBeGreaterThan(14);
    expect(stop?.t).toBeLessThanOrEqual(17);
    expect(stop?.reason).toMatch(/^2\d(\.\d)?% over the last 10s \(\d+ requests\)$/);
  });

  test("is not looked at before its time of measured requests has passed, and not in the warm-up", async () => {
    const fails = (record: RequestRecord) => httpError(record);
    // What ended in a second is known a second later.
    expect((await follow({ abortOn: ["error_rate>20% over 5s"] }, fails))?.t).toBe(WARMUP_S + 6);
    const inWarmUp = (record: RequestRecord, index: number) => (index < at(WARMUP_S) ? httpError(record) : record);
    expect(await follow({ abortOn: ["error_rate>20% over 5s"] }, inWarmUp)).toBeUndefined();
  });

  test("may be on a latency, with as many requests beyond it as are no chance", async () => {
    const slow = (record: RequestRecord, index: number) =>
      index >= at(8) && record.ttft !== undefined ? { ...record, ttft: 6_000, e2e: 6_200 } : record;
    expect(await follow({ abortOn: ["ttft_p50>5s over 5s"] }, slow)).toMatchObject({ cause: "rule" });
    expect(await follow({ abortOn: ["ttft_p99>5s over 5s"] }, slow)).toMatchObject({ cause: "rule" });
    // Of 100 requests in 5 s, two in a hundred are no evidence.
    const few = (record: RequestRecord, index: number) => (index % 50 === 0 ? slow(record, index) : record);
    expect(await follow({ abortOn: ["ttft_p99>5s over 5s"] }, few, 14)).toBeUndefined();
  });

  test("that is one of several ends the run", async () => {
    const broken = (record: RequestRecord, index: number) => (index >= at(10) ? httpError(record) : record);
    const stop = await follow({ abortOn: ["ttft_p50>5s over 5s", "ok<1 over 4s"] }, broken);
    expect(stop).toMatchObject({ expr: "ok<1 over 4s" });
  });

  test("needs five units of work", async () => {
    const few = (record: RequestRecord, index: number) =>
      index < at(WARMUP_S) ? record : index % 50 === 0 ? httpError(record) : undefined;
    expect(await follow({ abortOn: ["error_rate>20% over 5s"] }, few)).toBeUndefined();
  });

  test.each([
    ["error_rate>20%", "does not name a time"],
    ["error_rate>20% over soon", '"soon" is not a duration'],
    ["error_rate>20% over 10ms", "shorter than 1s"],
    ["ttft<5s over 10s", "name a statistic"],
    ["wobble>1 over 10s", "wobble"],
  ])("%s is refused", (text, reason) => {
    expect(() => parseAbortRule(text)).toThrow(reason);
    expect(() => parseAbortRule(text)).toThrow(/; write [^;]*\.$/);
  });
});

group("units of work that ended", () => {
  const everything = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  const task = videoRecords("t", ["submit@0", "poll@1000:processing", "poll@2000:completed"]);

  test("are those whose arrival ended, whatever their requests were", () => {
    const records = new RecentRecords(60_000);
    for (const record of task) records.add(JSON.stringify({ ...record, arrival: 1 }));
    expect(records.endedWithin(...everything).units).toBe(0);
    records.end([0, 1, 2], 0);
    expect(records.endedWithin(...everything)).toMatchObject({ units: 1, lines: { length: task.length } });
  });

  test("are requests of no arrival at once", () => {
    const records = new RecentRecords(60_000);
    records.add(JSON.stringify(chatRecord(1, 0, "measure")));
    expect(records.endedWithin(...everything).units).toBe(1);
  });

  test("are arrivals that threw too, with or without a request", () => {
    const records = new RecentRecords(60_000);
    const threw = { index: 3, phase: "measure", scheduled: instant(0), end: "threw" };
    records.add(JSON.stringify({ arrival: threw }));
    records.end([3], 5_000);
    expect(records.endedWithin(1_000, 5_500)).toMatchObject({ units: 1, lines: { length: 1 } });
    expect(records.endedWithin(1_000, 7_000)).toEqual({ units: 0, lines: [] });
  });

  test("damaged lines, lines of gaps and of the warm-up are left out", () => {
    const records = new RecentRecords(60_000);
    const warmup = JSON.stringify({ ...chatRecord(1, 0, "warmup"), arrival: 1 });
    for (const line of ["{", '{"arrival":{"index":1}}', '{"gaps":{}}', "null", warmup]) records.add(line);
    records.end([1], 0);
    expect(records.endedWithin(1e6, 0)).toEqual({ lines: [], units: 0 });
  });
});

/** Follows a load second by second: the records that were written and the arrivals that ended in each. */
async function followSeconds(
  abortOn: string,
  settings: object,
  secondOf: (second: number) => { readonly records: readonly object[]; readonly ended: readonly number[] },
) {
  const conditions = new StopConditions({
    abortOn: [abortOn],
    abortWhenGone: 0,
    warmup: 0,
    objectives: [],
    evaluate: evaluateLines,
  });
  const header = { schema: "assay.records/1", startedAt: instant(0), seed: 1 };
  const base = { scenario: "chat-stream", target: "http://t", duration: 60_000, warmup: 0 };
  conditions.addRecord(JSON.stringify({ ...header, settings: { ...base, ...settings } }));
  for (let second = 1; second <= 60; second += 1) {
    const { records, ended } = secondOf(second);
    for (const record of records) conditions.addRecord(JSON.stringify(record));
    const counts = { warmup: 0, measure: 0 };
    const line = { t: second, offered: counts, started: counts, schedule_started_at: instant(0), ended: [...ended] };
    const stop = await conditions.look(line);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

group("a condition on units of several requests", () => {
  /** Ten conversations begin per second; each has a turn per second, and the last of eight fails. */
  const TURNS = 8;
  const turn = (arrival: number, second: number, turn: number) => {
    const record = {
      ...chatRecord(arrival * TURNS + turn, second * 1_000 - 900, "measure"),
      arrival,
      turn,
      turns: TURNS,
    };
    return turn < TURNS ? record : { ...httpError(record), arrival, turn, turns: TURNS };
  };
  const conversations = (second: number) => {
    const arrivals = Array.from({ length: TURNS }, (_, nth) => nth + 1).flatMap((nth) => {
      const begun = second - nth;
      return begun < 0 ? [] : Array.from({ length: 10 }, (_, at) => ({ arrival: begun * 10 + at, nth }));
    });
    return {
      records: arrivals.map(({ arrival, nth }) => turn(arrival, second, nth)),
      ended: arrivals.filter(({ nth }) => nth === TURNS).map(({ arrival }) => arrival),
    };
  };

  test("sees conversations that fail in their last turn, and not those under way as ok", async () => {
    const stop = await followSeconds("error_rate>90% over 3s", { turns: "8" }, conversations);
    expect(stop).toMatchObject({ cause: "rule", reason: expect.stringMatching(/^100% over the last 3s/) });
  });

  test("sees a scenario of the user's own that throws after requests that were ok", async () => {
    const stop = await followSeconds("error_rate>50% over 3s", { scenario: "own.ts" }, (second) => {
      const arrivals = Array.from({ length: 5 }, (_, at) => second * 5 + at);
      return {
        records: arrivals.flatMap((arrival) => [
          { ...chatRecord(arrival, second * 1_000 - 900, "measure"), arrival },
          { arrival: { index: arrival, phase: "measure", scheduled: instant(second * 1_000 - 900), end: "threw" } },
        ]),
        ended: arrivals,
      };
    });
    expect(stop).toMatchObject({ reason: expect.stringMatching(/^100% over the last 3s/) });
  });

  test("on one workload names the units of that workload", async () => {
    const workloads = ["good", "bad"].map((name) => ({ name, operation: "chat-stream", weight: 1, settings: {} }));
    const stop = await followSeconds(
      "bad.error_rate>50% over 4s",
      { workload: { title: "two", workloads } },
      (second) => {
        const arrivals = Array.from({ length: 10 }, (_, at) => second * 10 + at);
        return {
          records: arrivals.map((arrival) => {
            const record = chatRecord(arrival, second * 1_000 - 900, "measure");
            return arrival % 5 === 0
              ? { ...httpError(record), arrival, workload: "bad" }
              : { ...record, arrival, workload: "good" };
          }),
          ended: arrivals,
        };
      },
    );
    expect(stop?.reason).toBe("100% over the last 4s (8 requests of bad)");
  });
});

group("a target that is gone", () => {
  const line = (t: number, completed: number, answered: number, more: Partial<ClientLine> = {}): ClientLine => ({
    t,
    completed,
    answered,
    offered: { warmup: 0, measure: completed },
    started: { warmup: 0, measure: completed },
    ...more,
  });
  /** The second at which a run is ended, whose counts are given per second as [completed, answered]. */
  const goneAt = (limitMs: number, counts: readonly (readonly [number, number])[]) => {
    const gone = new GoneTarget(limitMs);
    const at = counts.findIndex(
      ([completed, answered], t) => gone.look(line(t + 1, completed, answered)) !== undefined,
    );
    return at < 0 ? undefined : at + 1;
  };
  const steady = (seconds: number, from: number, upTo: number) =>
    Array.from({ length: seconds }, (_, t) => [(t + 1) * 10, Math.min((t + 1) * 10, Math.max(upTo, from))] as const);

  test("ends the run after its time without a response", () => {
    expect(goneAt(3_000, steady(20, 0, 50))).toBe(8);
    expect(goneAt(3_000, steady(20, 0, 0))).toBe(3);
    expect(goneAt(0, steady(20, 0, 0))).toBeUndefined();
  });

  test("is not one that responds once in a while, nor one of which few requests ended", () => {
    expect(
      goneAt(
        3_000,
        Array.from({ length: 20 }, (_, t) => [(t + 1) * 10, Math.floor(t / 2)] as const),
      ),
    ).toBeUndefined();
    expect(
      goneAt(
        3_000,
        Array.from({ length: 20 }, (_, t) => [Math.min(t, 4), 0] as const),
      ),
    ).toBeUndefined();
  });

  test("what failed on the load generator's machine says nothing about it", () => {
    const gone = new GoneTarget(1_000);
    const ours = { outcomes: { client_error: 50, cancelled_by_us: 50 } };
    expect([1, 2, 3, 4].map((t) => gone.look(line(t, 100, 0, ours)))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is said with the time", async () => {
    const stop = await follow({ abortWhenGone: 4_000 }, (record, index) =>
      index >= at(10) ? unanswered(record) : record,
    );
    expect(stop).toMatchObject({
      cause: "gone",
      reason: expect.stringMatching(/^no response to \d+ requests for [45]s$/),
    });
  });
});
