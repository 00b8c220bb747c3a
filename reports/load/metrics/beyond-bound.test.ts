/** A percentile is decided as the share of requests beyond its bound, however few they are. */

import { expect, describe as group, test } from "vitest";
import { draw } from "../../../load/inputs/random.ts";
import { parseSlo, shareBeyond } from "../../../load/objectives/slo.ts";
import { INDEPENDENT, KINDS_OF_SERIES } from "../../../tests/support/results/alike-series.ts";
import { chatRecord, makeRun, withLateWakes } from "../../../tests/support/results/load-run.ts";
import { countsBeyond } from "../../../tests/support/results/queued-blocks.ts";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { Counted } from "../stats/counted.ts";
import { inTime } from "../stats/in-time.ts";
import { beyondOf } from "./beyond-bound.ts";
import { evaluateSlo } from "./evaluate-slo.ts";

/** 50 measured requests, whose time to first token is 100 to 110 ms and whose gaps are 19 to 21 ms. */
const SHAPE = { rate: 5, warmupS: 0, durationS: 10 } as const;
const LATENCIES = Array.from({ length: 50 }, (_, index) => {
  const { ttft, ttft_scheduled, e2e, e2e_scheduled, gaps_us } = chatRecord(index, 0, "measure");
  return { ttft, ttft_scheduled, e2e, e2e_scheduled, gaps_us };
});
/** In an order that does not make those alike that follow each other. */
const ORDER = LATENCIES.map((_, index) => index).toSorted((a, b) => draw(3, a, "order") - draw(3, b, "order"));
const RUN = makeRun({ ...SHAPE, change: (record, index) => ({ ...record, ...LATENCIES[ORDER[index] ?? index] }) });
const decide = async (slos: readonly string[], run = RUN) =>
  (await summarize([run], { slos })).slos.map(({ ok, note }) => [ok, note]);

group("of 50 requests", () => {
  test.each<[string, boolean | null, string | undefined]>([
    ["ttft_p90<60ms", false, "100% of 50 requests exceed the bound, 10% may"],
    ["ttft_p99<60ms", false, "100% of 50 requests exceed the bound, 1% may"],
    ["ttft_p90<109.5ms", true, "2% of 50 requests exceed the bound, 10% may"],
    ["ttft_p90<108.7ms", null, "10% of 50 requests exceed the bound, 10% may: too close to the bound to decide"],
    ["ttft_p90<1s", true, "0% of 50 requests exceed the bound, 10% may"],
    ["ttft_p95<1s", null, "0% of 50 requests exceed the bound, 5% may: 9 more needed (--duration 12s)"],
    ["ttft_p90>1s", false, "100% of 50 requests are below the bound, 90% may"],
    ["e2e_scheduled_p95<60ms", false, "100% of 50 requests exceed the bound, 5% may"],
    ["icl_p95<18ms", false, "100% of 50 requests with gaps exceed the bound, 5% may"],
    ["icl_p90<22ms", true, "0% of 50 requests with gaps exceed the bound, 10% may"],
    ["icl_p90<21ms", null, "0% to 13.1% exceed the bound, 10% may: the load generator was late"],
  ])("%s is %s", async (slo, ok, note) => {
    expect(await decide([slo])).toEqual([[ok, note]]);
  });

  test("those of a window decide it alike, with less chance where there are several", async () => {
    const ok = async (slo: string) => (await decide([slo]))[0]?.[0];
    expect(await ok("ttft_p90<60ms in every 1s")).toBe(false);
    // Of two samples, both are beyond a p90 once in a hundred: too often for five windows.
    const few = makeRun({ rate: 2, warmupS: 0, durationS: 10 });
    expect((await decide(["ttft_p90<60ms in every 1s"], few))[0]?.[0]).toBeNull();
  });

  test("those that the load generator was too late to tell do not count", async () => {
    const late = { ...RUN, client: RUN.client.map((line) => withLateWakes(line, 14)) };
    expect(await decide(["ttft_p90<70ms", "ttft_p90<40ms"], late)).toEqual([
      [null, "0% to 100% exceed the bound, 10% may: the load generator was late"],
      [false, "100% of 50 requests exceed the bound, 10% may"],
    ]);
  });

  test("those that were cut off count as far as they came", async () => {
    const cutOff = makeRun({
      ...{ rate: 5, warmupS: 0, durationS: 10 },
      change: ({ ttft: _, ...record }, index) =>
        index < 47 ? { ...record, ttft: 110 } : { ...record, outcome: "cancelled_by_us", e2e: 30, ttfb: 20 },
    });
    const [[ok, note] = []] = await decide(["ttft_p90<60ms"], cutOff);
    expect([ok, note]).toEqual([false, "100% of 50 requests exceed the bound, 10% may"]);
  });
});

test("the turns of a conversation count as one", async () => {
  const talk = (turns: number) =>
    makeRun({
      ...{ rate: 10, warmupS: 0, durationS: 10 },
      change: (record, index) => ({
        ...record,
        arrival: Math.floor(index / turns),
        ...(turns > 1 && { turn: 1 + (index % turns), turns }),
      }),
    });
  expect(await decide(["ttft_p90<1s"], talk(1))).toEqual([[true, undefined]]);
  expect(await decide(["ttft_p90<1s"], talk(4))).toEqual([
    [null, "0% of 25 conversations exceed the bound, 10% may: 4 more needed (--duration 12s)"],
  ]);
});

test("a percentile of few video tasks is missed where all of them took too long", async () => {
  const tasks = Array.from({ length: 5 }, (_, index) =>
    videoRecords(`t${index}`, ["submit@0", "poll@1000:processing:40", "poll@30000:completed"]),
  ).flat();
  const run = { ...RUN, records: [...RUN.records.slice(0, 1), ...tasks.map((record) => JSON.stringify(record))] };
  const slos = ["video_work_p90<10s", "video_work_p90<1m"];
  expect((await summarize([run], { slos, scenario: "video" })).slos.map(({ ok }) => ok)).toEqual([false, null]);
});

/** Share of the runs that are met, and missed, of a target whose percentile is so many times the bound. */
function verdictsOf(expr: string, samples: number, times: number, uniform: () => number, runs: number) {
  const slo = parseSlo(expr);
  const allowed = shareBeyond(slo) ?? Number.NaN;
  const verdicts = Array.from({ length: runs }, () => {
    // An exponential latency whose percentile is at one second, times so much.
    const values = Array.from({ length: samples }, () => (times * 1_000 * Math.log(1 - uniform())) / Math.log(allowed));
    const metrics = { ttft: { unit: "ms", count: samples, ...Counted.of(values).distribution() } };
    const beyond = () => beyondOf(slo, countsBeyond(slo, values));
    return evaluateSlo(slo, metrics, { unfinished: 0, beyond }).ok;
  });
  const share = (of: boolean) => verdicts.filter((ok) => ok === of).length / runs;
  return { met: share(true), missed: share(false) };
}

test("a target whose percentile is at the bound, or beyond it, is met in at most 5 of 100 runs, one at it missed in as many", () => {
  const { uniform } = randomFrom(29);
  const RUNS = 1_000;
  // Four standard errors of the simulation.
  const most = 0.05 + 4 * Math.sqrt((0.05 * 0.95) / RUNS);
  for (const [expr, samples] of [
    ["ttft_p50<1s", 6],
    ["ttft_p50<1s", 200],
    ["ttft_p90<1s", 50],
    ["ttft_p95<1s", 200],
    ["ttft_p95<1s", 300],
    ["ttft_p99<1s", 600],
  ] as const) {
    expect(verdictsOf(expr, samples, 1, uniform, RUNS).missed, `${expr} of ${samples}`).toBeLessThan(most);
    for (const times of [1, 1.02, 1.05, 1.1]) {
      expect(verdictsOf(expr, samples, times, uniform, RUNS).met, `${expr} of ${samples}, ${times}`).toBeLessThan(most);
    }
  }
});

test("a target that is well within the bound is met by a few hundred requests", () => {
  const { uniform } = randomFrom(31);
  expect(verdictsOf("ttft_p95<1s", 300, 0.5, uniform, 300).met).toBe(1);
  expect(verdictsOf("ttft_p95<1s", 300, 0.8, uniform, 300).met).toBeGreaterThan(0.5);
});

test("of requests that are alike in time, percentile and goodput are decided as of fewer, and alike; a mean by its interval", async () => {
  const random = randomFrom(53);
  const verdicts = new Set<string>();
  for (const kind of KINDS_OF_SERIES) {
    for (const times of [0.5, 1, 2]) {
      const took = kind.make(300, random).map((value) => 100 * value);
      const bound = (100 * kind.quantile(0.95)) / times;
      const run = makeRun({
        ...{ rate: 10, warmupS: 0, durationS: 30 },
        change: (record, index) => ({ ...record, ttft: took[index] ?? 0, e2e: (took[index] ?? 0) + 500 }),
      });
      const slos = [`ttft<${bound}ms`, "goodput>=95%", `ttft_p95<${bound}ms`, "ttft_mean<1ms", "ttft_mean<10s"];
      const { slos: results, metrics } = await summarize([run], { slos });
      const [, goodput, percentile, tooSlow, fast] = results;
      expect(percentile?.ok, `${kind.name} ${times}`).toBe(goodput?.ok);
      expect(fast?.ok).toBe(true);
      if (kind === INDEPENDENT) expect(tooSlow?.ok).toBe(false);
      const { independent = 300, mean, intervals } = metrics["ttft"] ?? {};
      if (kind !== INDEPENDENT) expect(independent, kind.name).toBeLessThan(100);
      if (percentile?.ok === null && kind !== INDEPENDENT)
        expect(percentile.note, kind.name).toContain(`as much as ${independent} independent`);
      const [, high] = intervals?.["mean"] ?? [];
      const near = [`ttft_mean<${((mean ?? 0) + (high ?? 0)) / 2}ms`];
      expect((await summarize([run], { slos: near })).slos.map(({ ok }) => ok)).toEqual([null]);
      verdicts.add(`${percentile?.ok}`);
    }
  }
  expect([...verdicts].sort()).toEqual(["false", "null", "true"]);
});

test("a percentile, and the share of good requests that says the same, are decided alike", () => {
  const { uniform } = randomFrom(37);
  for (let run = 0; run < 1_000; run += 1) {
    const values = Array.from({ length: 200 }, () => (1_000 * Math.log(1 - uniform())) / Math.log(0.05));
    const { alike } = inTime(Float64Array.from(values));
    const slo = parseSlo("ttft_p95<1s");
    const metrics = {
      ttft: { unit: "ms", count: 200, ...Counted.of(values).distribution() },
      goodput_share: { unit: "share", count: 200, value: values.filter((value) => value < 1_000).length / 200 },
    };
    const beyond = () => beyondOf(slo, countsBeyond(slo, values), undefined, alike);
    const [one, other] = [
      evaluateSlo(slo, metrics, { unfinished: 0, beyond }).ok,
      evaluateSlo(parseSlo("goodput>=95%"), metrics, { unfinished: 0, alike }).ok,
    ];
    expect(one).toBe(other);
  }
});
