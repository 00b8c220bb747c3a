import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { httpError, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { summarizeLoad } from "../../../tests/support/results/summarize-shards.ts";
import { disturbancesOf } from "./recovery.ts";

const BASE = { target: "http://t", scenario: "chat-stream", shape: "spike", tool: "assay 0.1.0" };
const RATE = 40;
const SECONDS = 100;

/** A made-up run of 100 s at 40/s, whose settings say that the rate was another from 40 to 60 s. */
async function run(
  slos: readonly string[],
  change: (record: RequestRecord, second: number) => RequestRecord | undefined = (record) => record,
  rate: unknown = "4,4,40,4,4",
): Promise<RunResult> {
  const { records, client } = makeRun({
    ...{ rate: RATE, durationS: SECONDS, warmupS: 0 },
    change: (record, index) => change(record, index / RATE),
  });
  const [header = "", ...lines] = records;
  const parsed = JSON.parse(header);
  const changed = JSON.stringify({ ...parsed, settings: { ...parsed.settings, rate } });
  return summarizeLoad({ ...BASE, slos, shards: [{ records: [changed, ...lines], client }] });
}
const recovery = async (...args: Parameters<typeof run>) => (await run(...args)).slos.at(-1);

const SLOS = ["error_rate<5%", "ttft_p95<300ms"];
const slow = (record: RequestRecord): RequestRecord => ({ ...record, ttft: 800, e2e: 1_100 });
/** Slow in the spike, and for so many seconds after it. */
const slowUntil = (end: number) => (record: RequestRecord, second: number) =>
  second >= 40 && second < end ? slow(record) : record;

group("after a spike", () => {
  test.each([
    ["recovery<15s", true],
    ["recovery<10s", false],
    ["recovery<=12s", true],
  ])("that took 12 s to recover from, %s is %s", async (expr, ok) => {
    const result = await recovery([...SLOS, expr], slowUntil(72));
    expect(result).toMatchObject({ ok, recoveries: [{ after: "fall", atS: 60, tookS: expect.closeTo(12, 0) }] });
    expect(result?.note).toBe("after the fall of the rate at 60.0 s");
  });

  test("that made it slow for good, it is said to be of failures alone where no objective bounds a latency", async () => {
    const result = await recovery(["error_rate<5%", "recovery<10s"], slowUntil(100));
    expect(result).toMatchObject({ ok: true, observed: 0 });
    expect(result?.note).toBe(
      "after the fall of the rate at 60.0 s; by error_rate<5% alone, no objective bounds a latency",
    );
  });

  test("whose bound lies between two requests it is undecided", async () => {
    expect(await recovery([...SLOS, "recovery<11.99s"], slowUntil(72))).toMatchObject({ ok: null });
  });

  test("after which nothing was sent it is undecided, and no time is stated", async () => {
    expect(
      await recovery([...SLOS, "recovery<30s"], (record, second) => (second < 60 ? record : undefined)),
    ).toMatchObject({
      ...{ ok: null, observed: null, recoveries: [] },
      note: "after the fall of the rate at 60.0 s; nothing was measured afterwards",
    });
  });

  test("without effect the recovery took no time", async () => {
    expect(await recovery([...SLOS, "recovery<1s"])).toMatchObject({ ok: true, observed: 0 });
  });

  test("that the target did not recover from, it is missed", async () => {
    expect(await recovery([...SLOS, "recovery<30s"], slowUntil(100))).toMatchObject({
      ...{ ok: false, observed: null },
      recoveries: [{ after: "fall", atS: 60 }],
      note: "not recovered after the fall of the rate at 60.0 s; 40 s were measured after it",
    });
  });

  test("and a relapse, it lasts until the objectives hold for good", async () => {
    const relapse = (record: RequestRecord, second: number) =>
      (second >= 40 && second < 65) || (second >= 70 && second < 78) ? slow(record) : record;
    expect(await recovery([...SLOS, "recovery<10s"], relapse)).toMatchObject({
      ok: false,
      recoveries: [{ tookS: expect.closeTo(18, 0) }],
    });
  });

  test("a bound that nobody waited for is undecided", async () => {
    const few = (record: RequestRecord, second: number) =>
      second > 95 ? undefined : second >= 40 && second < 94.8 ? slow(record) : record;
    expect(await recovery([...SLOS, "recovery<50s"], few)).toMatchObject({
      ok: null,
      note: expect.stringContaining("requests afterwards are too few to say that ttft_p95<300ms holds"),
    });
  });

  test("a part of slow requests that is allowed is no part of it", async () => {
    const { uniform } = randomFrom(3);
    const some = (record: RequestRecord, second: number) =>
      uniform() < 0.02 ? slow(record) : slowUntil(68)(record, second);
    expect(await recovery([...SLOS, "recovery<12s"], some)).toMatchObject({
      ok: true,
      recoveries: [{ tookS: expect.closeTo(8, 0) }],
    });
  });
});

test("one failure that comes late is chance, where some may fail; two in a row are none", async () => {
  const failing = (count: number) => (record: RequestRecord, second: number) =>
    second >= 60.55 && second < 60.55 + count / RATE ? httpError(record) : record;
  const slos = ["error_rate<2%", "recovery<500ms"];
  expect(await recovery(slos, failing(1))).toMatchObject({ ok: null, note: expect.stringContaining("may be chance") });
  expect(await recovery(slos, failing(2))).toMatchObject({ ok: false });
  expect(await recovery(["error_rate<=0%", "recovery<500ms"], failing(1))).toMatchObject({ ok: false });
});

group("after an outage", () => {
  const out = (until: number) => (record: RequestRecord, second: number) => {
    if (second >= 20 && second < 30) return unanswered(record);
    return second >= 30 && second < until ? httpError(record, 503) : record;
  };
  test.each([
    ["recovery<5s", false],
    ["recovery<10s", true],
  ])("with 7 s of errors, %s is %s", async (expr, ok) => {
    const result = await recovery([...SLOS, expr], out(37), 40);
    expect(result).toMatchObject({ ok, recoveries: [{ after: "outage", tookS: expect.closeTo(7, 0) }] });
    expect(Math.abs((result?.recoveries?.[0]?.atS ?? 0) - 30)).toBeLessThan(0.1);
  });

  test("that goes on until the end it is missed", async () => {
    const forGood = (record: RequestRecord, second: number) => (second >= 50 ? unanswered(record) : record);
    expect(await recovery([...SLOS, "recovery<5s"], forGood, 40)).toMatchObject({ ok: false, observed: null });
  });
});

test("without a change or an outage there is nothing to recover from", async () => {
  expect(await recovery([...SLOS, "recovery<5s"], undefined, 40)).toMatchObject({
    ok: null,
    note: "nothing to recover from: the rate did not change, and there was neither an outage nor a time in which most requests failed",
  });
});

group("after a time of failures", () => {
  /** Most responses are 503 for 3 s, and those of the next 3.5 s are slow. */
  const restart = (record: RequestRecord, second: number) => {
    if (second >= 30 && second < 33) return (second * RATE) % 8 === 0 ? record : httpError(record, 503);
    return second >= 33 && second < 36.5 ? slow(record) : record;
  };
  test.each([
    ["recovery<2s", false],
    ["recovery<4s", true],
  ])("of 3 s, with 3.5 s of slow responses, %s is %s", async (expr, ok) => {
    const result = await recovery([...SLOS, expr], restart, 40);
    expect(result).toMatchObject({ ok, recoveries: [{ after: "failures", tookS: expect.closeTo(3.5, 1) }] });
    expect(result?.note).toBe("after the time of failures at 33.0 s");
  });

  test("that goes on until the end it is missed", async () => {
    const forGood = (record: RequestRecord, second: number) => (second >= 50 ? httpError(record, 429) : record);
    expect(await recovery([...SLOS, "recovery<5s"], forGood, 40)).toMatchObject({ ok: false, observed: null });
  });

  test("some failures among many successes are none", async () => {
    const some = (record: RequestRecord, second: number) =>
      (second * RATE) % 4 === 0 ? httpError(record, 500) : record;
    expect(await recovery([...SLOS, "recovery<5s"], some, 40)).toMatchObject({
      ok: null,
      note: expect.stringContaining("nothing to recover"),
    });
  });

  test("nor is a load in which every request failed", async () => {
    expect(await recovery([...SLOS, "recovery<5s"], (record) => httpError(record, 500), 40)).toMatchObject({
      note: expect.stringContaining("nothing to recover"),
    });
  });
});

test.each([
  ["4,40,4", ["fall 66"]],
  ["4,40,4,40,4", ["fall 40", "fall 80"]],
  ["10,20,40,80", ["rise 25", "rise 50", "rise 75"]],
  ["10..40,40", ["rise 50"]],
  ["40..10,10", ["fall 50"]],
  ["4,0,0,4,4,0,0,4,4,4", ["idle 30", "idle 70"]],
  ["0,4,1,0,2", ["idle 20", "fall 40", "idle 80"]],
  ["4..0,0,0..4,4", ["idle 50", "rise 75"]],
  ["40", []],
  [40, []],
])("a rate of %s has %j", (rate, expected) => {
  const span = { origin: 0, from: 0, to: 99_000, seconds: 99 };
  const found = disturbancesOf({ rate, duration: rate === "4,40,4" ? 99_000 : 100_000 }, span, []);
  expect(found.map(({ after, at }) => `${after} ${at / 1_000}`)).toEqual(expected);
});
