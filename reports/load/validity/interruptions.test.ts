/** What happens while the process of the load generator does not run is never the target's fault, and never hidden. */

import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import {
  httpError,
  instant,
  makeRun,
  type RunOptions,
  unanswered,
  withDrain,
  withInterruption,
  withLateWakes,
} from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { interruptionsOf } from "../read/interruptions.ts";
import { runPlots } from "../views/run-plots.ts";

const NOT_RUNNING =
  /^the load generator did not run for 3\.0 s \(between \d+\.\d and \d+\.\d s\): its process was stopped, or got no CPU; /;

/** A run of 20 arrivals per second for 30 s after 2 s of warm-up, whose process was stopped once. */
const stopped = (fromS: number, lastsS: number, options: RunOptions = {}) => {
  const { records, client } = makeRun(options);
  return { records, client: withInterruption(client, fromS, lastsS) };
};

group("one interruption of our own process", () => {
  test("is said, and does not let the target fail", async () => {
    const held = (record: RequestRecord, index: number): RequestRecord =>
      index >= 204 && index < 210 ? { ...record, gaps_us: [2_900_000, ...(record.gaps_us ?? []).slice(1)] } : record;
    const { validity, exitCode } = await summarize([stopped(10.3, 3, { change: held })], { slos: ["icl<1s"] });
    expect(validity.reasons).toContainEqual(expect.stringMatching(NOT_RUNNING));
    expect(exitCode).toBe(2);
  });

  test.each([
    ["of 1 s", 1],
    ["of 0.2 s", 0.2],
  ])("%s is never hidden, in a run of any length", async (_, lastsS) => {
    const { validity } = await summarize([stopped(10.3, lastsS)]);
    expect(validity.reasons.join()).toContain(`did not run for ${lastsS.toFixed(1)} s`);
  });

  test("is marked in the plots, for as long as it can have been", async () => {
    const run = await summarize([stopped(10.3, 3)]);
    expect(run.interruptions).toHaveLength(1);
    const [{ fromS = 0, toS = 0 } = {}] = run.interruptions ?? [];
    expect(fromS).toBeLessThanOrEqual(10.3);
    expect(toS).toBeGreaterThanOrEqual(13.3);
    const mark = { kind: "span", tone: "stopped", label: "load generator stopped", from: fromS, to: toS };
    for (const { name, marks } of runPlots(run)) expect([name, marks]).toEqual([name, expect.arrayContaining([mark])]);
    expect((await summarize([makeRun()])).interruptions).toBeUndefined();
  });

  test("is not that of the run when it was over before the first measured arrival", async () => {
    const { records, client } = makeRun({ warmupS: 10 });
    const { validity } = await summarize([{ records, client: withInterruption(client, 4.3, 3) }]);
    expect(validity).toMatchObject({ verdict: "VALID", reasons: [] });
  });

  test("in the drain is said too, as long as a request is open", async () => {
    const { records, client } = makeRun();
    const drain = withDrain(client, [20, 12, 0, 0]);
    const stop = (second: number) => drain.map((line, index) => (index === second ? withLateWakes(line, 640) : line));
    const reasonsOf = async (second: number) =>
      (await summarize([{ records, client: stop(second) }])).validity.reasons.join();
    expect(await reasonsOf(33)).toContain("did not run for 0.6 s");
    expect((await summarize([{ records, client: stop(33) }])).client.wakeMaxMs).toBe(640);
  });

  test("lies between the line before it, less what it lasted, and the end of its own line", () => {
    const lines = [1, 2, 5.25, 6].map((t) => ({ t, wakes_us: t === 5.25 ? [40, 3_100_000] : [40] }));
    const measured = lines.map((line) => ({ ...line, offered: PHASES, started: PHASES }));
    expect(interruptionsOf(measured, 1_000)).toEqual([{ from: 1_000 + 2_000 - 3_100 - 11, to: 6_250, ms: 3_100 }]);
  });
});

const PHASES = { warmup: 0, measure: 0 };

group("failures", () => {
  /** What is not ok of the arrivals from one number on, up to another. */
  const failing =
    (from: number, to: number, outcome: RequestRecord["outcome"]) =>
    (record: RequestRecord, index: number): RequestRecord =>
      index >= from && index < to ? { ...unanswered(record, outcome), status: 200, ttfb: 40, e2e: 900 } : record;

  test.each(["stalled", "timeout"] as const)(
    "of requests that were open while the process was stopped, %s, are set apart",
    async (outcome) => {
      const { slos, exitCode, metrics } = await summarize([stopped(10.3, 3, { change: failing(200, 260, outcome) })]);
      expect(metrics["error_rate"]?.value).toBe(0.1);
      expect(slos[0]).toMatchObject({
        ok: null,
        observed: 0.1,
        note: "or 0% without what the load generator itself may have caused",
      });
      expect(exitCode).toBe(2);
    },
  );

  test.each(["contract", "malformed", "too_large"] as const)(
    "by what a response said, %s, are the target's, whenever the process was stopped",
    async (outcome) => {
      const { slos, exitCode } = await summarize([stopped(10.3, 3, { change: failing(200, 260, outcome) })]);
      expect([slos[0]?.ok, exitCode]).toEqual([false, 1]);
    },
  );

  test.each([
    ["400 for all", 400, false],
    ["404 for all", 404, false],
    ["503 for all, which can follow from many requests at once", 503, null],
    ["429 for all", 429, null],
    ["408 for all, which a late request gets", 408, null],
  ])("of a status that refuses what was asked are the target's: ok>=1 of %s", async (_, status, ok) => {
    const change = (record: RequestRecord) => httpError(record, status);
    const { slos } = await summarize([stopped(10.3, 0.1, { change })], { slos: ["ok>=1"] });
    expect(slos.find(({ expr }) => expr === "ok>=1")?.ok).toBe(ok);
  });

  test("the same in a process that ran all the time are the target's", async () => {
    const { slos, exitCode } = await summarize([makeRun({ change: failing(200, 260, "stalled") })]);
    expect([slos[0]?.ok, exitCode]).toEqual([false, 1]);
  });

  test("at another time are the target's, whatever else happened, also in a run that is CLIENT-LIMITED", async () => {
    const run = stopped(10.3, 3, { change: failing(400, 460, "stalled") });
    const busy = run.client.map((line) => JSON.stringify({ ...JSON.parse(line), cpu: 1.9 }));
    const { slos, exitCode, validity, conclusion } = await summarize([{ ...run, client: busy }]);
    expect(validity.verdict).toBe("CLIENT-LIMITED");
    expect([slos[0]?.ok, exitCode]).toEqual([false, 1]);
    expect(conclusion).toContain("missed: error_rate<1%");
  });

  test("that remain a miss without those that may be ours are certain", async () => {
    const both = (record: RequestRecord, index: number) =>
      failing(400, 460, "stalled")(failing(200, 260, "stalled")(record, index), index);
    const { slos, exitCode } = await summarize([stopped(10.3, 3, { change: both })]);
    expect([slos[0]?.ok, exitCode]).toEqual([false, 1]);
  });

  test("an objective on ok that only they miss is undecided", async () => {
    const { slos } = await summarize([stopped(10.3, 3, { change: failing(200, 260, "stalled") })], {
      slos: ["ok>=580", "ok>=601"],
    });
    expect(slos.map(({ ok }) => ok)).toEqual([null, false]);
  });

  test("an outage that only an interruption made is none; what bytes of the target made is one", async () => {
    const ending = async (outcome: "stalled" | "malformed", lateMs?: number) => {
      const { records, client } = makeRun({
        change: (record, index) => (index >= 580 ? { ...unanswered(record, outcome), e2e: 2_900 } : record),
      });
      const last = client.length - 1;
      const lines = client.map((line, at) =>
        at === last && lateMs !== undefined ? withLateWakes(line, lateMs) : line,
      );
      return summarize([{ records, client: lines }]);
    };
    expect(await ending("stalled", 3_000)).toMatchObject({ outages: [], exitCode: 2 });
    expect(await ending("stalled")).toMatchObject({ outages: [{ recovered: false }] });
    expect(await ending("malformed", 3_000)).toMatchObject({ outages: [{ recovered: false }], exitCode: 1 });
  });
});

group("arrivals that never started", () => {
  /** The last so many of 600 arrivals found no slot. */
  const neverStarted = (count: number, client: (lines: string[]) => string[]) => {
    const { records, client: lines } = makeRun({ change: (record, index) => ({ ...record, arrival: index }) });
    const [header = "", ...all] = records;
    const kept = all.slice(0, all.length - count);
    const never = Array.from({ length: count }, (_, index) => {
      const number = all.length - count + index;
      const arrival = { index: number, phase: "measure", scheduled: instant(number * 50), end: "not_started" };
      return JSON.stringify({ arrival });
    });
    const counted = lines.map((line) => {
      const { started, records: written, ...rest } = JSON.parse(line);
      const measure = Math.min(600 - count, started.measure);
      return JSON.stringify({ ...rest, started: { ...started, measure }, ...(written && { records: kept.length }) });
    });
    return { records: [header, ...kept, ...never], client: client(counted) };
  };
  const decided = async (count: number, client: (lines: string[]) => string[]) => {
    const { slos, exitCode } = await summarize([neverStarted(count, client)]);
    return [slos[0]?.ok, exitCode];
  };
  const stopAtEnd = (lines: string[]) =>
    lines.map((line, index) => (index === lines.length - 1 ? withLateWakes(line, 3_000) : line));

  test("while the process was stopped are set apart", async () => {
    expect(await decided(60, stopAtEnd)).toEqual([null, 2]);
    expect(await decided(60, (lines) => lines)).toEqual([false, 1]);
  });

  test("are set apart even if an interruption was earlier, for what waited for it, others had to wait for", async () => {
    expect(await decided(60, (lines) => withInterruption(lines, 20.3, 3))).toEqual([null, 2]);
  });

  test("in larger number than were due while it was stopped are the target's", async () => {
    expect(await decided(200, stopAtEnd)).toEqual([false, 1]);
  });

  test("while its CPUs were full are set apart too", async () => {
    const busy = (lines: string[]) => lines.map((line) => JSON.stringify({ ...JSON.parse(line), cpu: 1.9 }));
    expect(await decided(200, busy)).toEqual([null, 2]);
    expect((await summarize([{ ...neverStarted(200, busy) }])).conclusion).not.toContain("missed");
  });
});

test("responses with an error at another time stay the target's", async () => {
  const change = (record: RequestRecord, index: number) => (index >= 400 ? httpError(record) : record);
  expect((await summarize([stopped(10.3, 3, { change })])).exitCode).toBe(1);
});
