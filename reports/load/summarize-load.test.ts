import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../formats/records.ts";
import type { RunResult } from "../../formats/run.ts";
import { httpError, instant, makeRun, type RunOptions, unanswered } from "../../tests/support/load-run.ts";
import type { Shard } from "./read/shards.ts";
import { summarizeLoad } from "./summarize-load.ts";

fc.configureGlobal({ seed: 1 });

const BASE = { target: "http://t", scenario: "chat-stream", shape: "20/s", tool: "assay" };
const summarize = (shards: readonly Shard[], more: { slos?: string[] } = {}): Promise<RunResult> =>
  summarizeLoad({ ...BASE, slos: [], ...more, shards });
const run = (options: RunOptions = {}, more: { slos?: string[] } = {}) => summarize([makeRun(options)], more);

group("a healthy run", () => {
  test("counts measured requests only, and delivers at its rate", async () => {
    const { counts, metrics, durationS, exitCode } = await run({ rate: 20, warmupS: 2, durationS: 30 });
    expect(counts).toEqual({
      offered: 600,
      started: 600,
      not_started: 0,
      completed: 600,
      ok: 600,
      outcomes: { ok: 600 },
    });
    expect(durationS).toBe(30);
    expect(metrics["requests_per_s"]?.value).toBe(20);
    expect(metrics["output_tokens_per_s"]?.value).toBeCloseTo(200, 0);
    expect(metrics["icl"]?.count).toBe(5_400);
    expect(metrics["tpot"]).toMatchObject({ count: 600, parts: { usage: 600 } });
    expect(exitCode).toBe(0);
  });

  test("warm-up does not touch the latencies", async () => {
    const slow = await run({
      change: (record) => (record.phase === "warmup" ? { ...record, ttft: 9_000, gaps_us: [5_000_000] } : record),
    });
    const usual = await run();
    for (const name of ["ttft", "icl", "tpot", "e2e", "stall"]) expect(slow.metrics[name]).toEqual(usual.metrics[name]);
  });

  test("latencies are of ok requests only", async () => {
    const { metrics, counts } = await run({
      change: (record, index) => (index % 2 === 0 ? { ...httpError(record), ttft: 1, e2e: 1 } : record),
    });
    expect(metrics["ttft"]).toMatchObject({ count: counts.ok });
    expect(metrics["ttft"]?.min).toBeGreaterThanOrEqual(100);
    expect(metrics["error_rate"]?.value).toBe(0.5);
  });

  test("what was not measured has no entry", async () => {
    const { metrics } = await run({
      change: ({ ttft: _, ttft_scheduled: __, gaps_us: ___, ...record }) => record,
    });
    for (const name of ["ttft", "ttft_scheduled", "icl", "tpot", "stall"]) expect(metrics).not.toHaveProperty(name);
    expect(metrics).toHaveProperty("e2e");
  });

  test("reports each second", async () => {
    const { windows } = await run();
    expect(windows).toHaveLength(33);
    expect(windows.slice(0, 32).every(({ sent }) => sent === 20)).toBe(true);
    expect(windows.map(({ phase }) => phase).filter((phase) => phase === "measure")).toHaveLength(30);
    expect(windows[5]).toMatchObject({ t: 5, ended: 20, ok: 20, tokens: 200, cpu: 0.22, open: 6 });
    expect(windows[5]?.ttft).toMatchObject({ n: 20, p50: expect.any(Number) });
  });
});

group("shards", () => {
  test("merge into what one file would have given", async () => {
    const whole = makeRun({ rate: 10, warmupS: 1, durationS: 8 });
    const header = whole.records[0] ?? "";
    const expected = await summarize([whole]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2), { minLength: 90, maxLength: 90 }), async (owners) => {
        const shards = [0, 1, 2].map((shard) => ({
          records: [
            header.replace("{", `{"segment":"${shard}",`),
            ...whole.records.slice(1).filter((_, index) => owners[index] === shard),
          ],
          client: [] as string[],
        }));
        const merged = await summarize(shards);
        expect(merged.metrics).toEqual({
          ...expected.metrics,
          icl: { ...expected.metrics["icl"], mean: expect.closeTo(expected.metrics["icl"]?.mean ?? 0, 6) },
          ...means(expected),
        });
        expect(merged.counts).toEqual(expected.counts);
        expect(merged.segments).toBe(3);
      }),
      { numRuns: 10 },
    );
  });

  test("given twice are damage", async () => {
    const shard = makeRun();
    const { validity, exitCode } = await summarize([shard, shard]);
    expect(validity).toMatchObject({
      verdict: "INVALID",
      reasons: expect.arrayContaining([expect.stringMatching(/twice/)]),
    });
    expect(exitCode).toBe(2);
  });

  test("add up their clients", async () => {
    const parts = ["0:1/2", "1/2:1"].map((segment) => makeRun({ segment }));
    const { client, counts } = await summarize(parts);
    expect(client).toMatchObject({ cpus: 4, connections: 12 });
    expect(counts.offered).toBe(1_200);
  });
});

/** Sums of the same numbers in another order differ in the last digits. */
const means = ({ metrics }: RunResult) =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, metric]) => [
      name,
      {
        ...metric,
        ...(metric.mean === undefined ? {} : { mean: expect.closeTo(metric.mean, 6) }),
        ...(metric.value === undefined ? {} : { value: expect.anything() }),
      },
    ]),
  );

group("the load generators of a shared run", () => {
  const late = (record: RequestRecord): RequestRecord => ({ ...record, lag: 200 });
  const shards = (options: RunOptions, other: RunOptions = {}) =>
    summarize([makeRun({ segment: "0:1/2", ...options }), makeRun({ segment: "1/2:1", ...other })]);

  test("are checked and reported one by one", async () => {
    const good = await shards({});
    expect(good.validity.verdict).toBe("VALID");
    expect(good.shards).toEqual([
      { segment: "1/2", startedAt: instant(0), verdict: "VALID", offered: 600, started: 600, lagP99Ms: 0.25 },
      { segment: "2/2", startedAt: instant(0), verdict: "VALID", offered: 600, started: 600, lagP99Ms: 0.25 },
    ]);
    expect((await run()).shards).toBeUndefined();
  });

  test("limit the run when one of them was late, even where the pool hides it", async () => {
    const small = makeRun({ segment: "0:1/2", rate: 1, durationS: 30, change: late });
    const large = makeRun({ segment: "1/2:1", rate: 200 });
    const { validity, shards: reported } = await summarize([small, large]);
    expect(validity).toMatchObject({
      verdict: "CLIENT-LIMITED",
      reasons: [expect.stringMatching(/^segment 1\/2: the load generator was late/)],
    });
    expect(reported?.map(({ verdict }) => verdict)).toEqual(["CLIENT-LIMITED", "VALID"]);
  });

  test("make it INVALID when one of them never got a response", async () => {
    const { validity } = await shards({}, { change: (record) => unanswered(record) });
    expect(validity).toMatchObject({
      verdict: "INVALID",
      reasons: [expect.stringMatching(/^segment 2\/2: no response to any of 640 requests/)],
    });
  });

  test("are not shards of one load when their segments overlap", async () => {
    const { validity } = await shards({}, { segment: "1/4:1/2" });
    expect(validity).toMatchObject({ verdict: "INVALID", reasons: [expect.stringMatching(/1\/2, 2\/4 overlap/)] });
  });

  test("may have started apart: then all their time is measured, each second is its own, and it is reported", async () => {
    const apart = await shards({}, { laterS: 5 });
    expect(apart.durationS).toBe(35);
    // The warm-up of the second falls into the time of the first, and what ends within it counts.
    expect(apart.metrics["requests_per_s"]?.value).toBeCloseTo(1_240 / 35, 6);
    expect(apart.validity).toMatchObject({ verdict: "VALID", reasons: [expect.stringMatching(/up to 5\.0 s apart/)] });
    expect(apart.windows.map(({ open }) => open).slice(3, 7)).toEqual([6, 6, 12, 12]);
    const together = await shards({}, { laterS: 0 });
    expect(together.durationS).toBe(30);
    expect(together.validity.reasons).toEqual([]);
    const almost = await shards({}, { laterS: -0.000_002 });
    expect(almost.durationS).toBe(30.000_002);
  });
});

group("damage", () => {
  const { records, client } = makeRun();
  test("a last line that was cut off is reported, and the rest counts", async () => {
    const killed = { records: [...records.slice(0, -1), '{"id":"r-639","op":"ch'], client: client.slice(0, -1) };
    const { validity, exitCode, conclusion, counts } = await summarize([killed]);
    expect(validity.verdict).toBe("VALID");
    expect(validity.reasons.join()).toMatch(/last line of records\.jsonl was cut off/);
    expect(counts.completed).toBe(599);
    expect([exitCode, conclusion]).toEqual([2, "the run was interrupted"]);
  });

  test.each([
    ["an unreadable line amid the others", [...records.slice(0, 9), "{oops", ...records.slice(9)], /line 10: not JSON/],
    ["a line of another shape", [...records, '{"id":3}'], /line 642: id/],
    [
      "an outcome that does not exist",
      [...records.slice(0, -1), (records.at(-1) ?? "").replace('"ok"', '"fine"')],
      /outcome/,
    ],
    ["a missing header", records.slice(1), /line 1/],
    ["an empty file", [], /is empty/],
    ["lost records", records.slice(0, -5), /640 records were written, but 635/],
  ])("%s makes the run INVALID", async (_, lines, reason) => {
    const { validity, exitCode } = await summarize([{ records: lines, client }]);
    expect(validity.verdict).toBe("INVALID");
    expect(validity.reasons.join("\n")).toMatch(reason);
    expect(exitCode).toBe(2);
  });
});

group("verdict and exit code", () => {
  const shifted = (more: object) => (line: string) => JSON.stringify({ ...(JSON.parse(line) as object), ...more });
  const { records, client } = makeRun();
  const wakes = (many: number, late: number, lateUs: number) => ({
    wake_p99_ms: lateUs / 1_000,
    wakes_us: Array.from({ length: many }, (_, wake) => (wake < many - late ? 40 : lateUs)),
  });
  const late = (more: object = {}) => shifted({ ...wakes(91, 5, 80_000), ...more });
  const lateSecond = (line: string, index: number) => (index === 9 ? late()(line) : line);
  const everyThird = (more: object) => (line: string, index: number) => (index % 3 === 2 ? late(more)(line) : line);

  test("no response at all is INVALID", async () => {
    const dead = await run({ change: (record) => unanswered(record) });
    expect(dead.validity).toMatchObject({
      verdict: "INVALID",
      reasons: [expect.stringMatching(/no response to any of 640 requests/)],
    });
    expect(dead.exitCode).toBe(2);
  });

  test("responses that all broke off are responses, although a stock k6 loses their status", async () => {
    const cut = await run({
      stock: true,
      change: (record) => ({ ...unanswered(record, "truncated"), ttfb: 5 }),
    });
    expect(cut.validity.verdict).toBe("VALID");
    expect(cut).toMatchObject({ exitCode: 1, outages: [] });
  });

  test("errors alone miss the default objectives", async () => {
    const { exitCode, slos, outages } = await run({ change: (record) => httpError(record) });
    expect(exitCode).toBe(1);
    expect(slos.map(({ ok }) => ok)).toEqual([false, false]);
    expect(outages).toEqual([]);
  });

  test("a target that dies fails the run, whatever the objectives, and the interval is named", async () => {
    const dying = await run(
      { change: (record, index) => (index >= 400 ? unanswered(record) : record) },
      { slos: ["ttft_p50<1s"] },
    );
    expect(dying.exitCode).toBe(1);
    expect(dying.validity.verdict).toBe("VALID");
    expect(dying.outages).toEqual([
      {
        fromS: expect.closeTo(20, 3),
        toS: expect.closeTo(31.95, 1),
        requests: 240,
        outcomes: { refused: 240 },
        recovered: false,
      },
    ]);
    expect(dying.conclusion).toMatch(/stopped responding 20\.0 s into the run/);
  });

  test("an outage that passes is named, and counts as errors only", async () => {
    const { outages, exitCode } = await run(
      { change: (record, index) => (index >= 400 && index < 420 ? unanswered(record) : record) },
      { slos: ["error_rate<10%"] },
    );
    expect(outages).toMatchObject([{ requests: 20, recovered: true }]);
    expect(exitCode).toBe(0);
  });

  test.each([
    ["met", ["ttft_p50<1s"], 0],
    ["missed", ["ttft_p50<1ms"], 1],
    ["undecided", ["ttft_p999<1s"], 2],
    ["undecided before missed", ["ttft_p999<1s", "ttft_p50<1ms"], 2],
    ["of something that was not measured", ["video_work_mean<1s"], 2],
  ])("an SLO that is %s: %j exits %i", async (_, slos, code) => {
    expect((await run({}, { slos })).exitCode).toBe(code);
  });

  test("requests that an interrupt cut off count neither for nor against the target", async () => {
    const cut = records.map((line, index) => (index > 600 ? shifted({ outcome: "cancelled_by_us" })(line) : line));
    const stopped = client.map((line, index) =>
      index === client.length - 1 ? shifted({ stopped: "interrupted" })(line) : line,
    );
    const interrupted = await summarize([{ records: cut, client: stopped }]);
    expect(interrupted.counts.outcomes["cancelled_by_us"]).toBeGreaterThan(0);
    expect(interrupted.metrics["error_rate"]?.value).toBe(0);
    const drained = await summarize([{ records: cut, client }]);
    expect(drained.metrics["error_rate"]?.value).toBeGreaterThan(0);
  });

  test("an interrupted run is inconclusive", async () => {
    const stopped = client.map((line, index) =>
      index === client.length - 1 ? shifted({ stopped: "interrupted" })(line) : line,
    );
    const { exitCode, conclusion } = await summarize([{ records, client: stopped }], { slos: ["ttft_p50<1ms"] });
    expect([exitCode, conclusion]).toEqual([2, "the run was interrupted"]);
  });

  test.each([
    [
      "a late client",
      records.map((line, index) => (index > 40 && index % 10 === 0 ? shifted({ lag: 11 })(line) : line)),
      client,
      /schedule_lag p95 11\.0 ms, limit 10\.0 ms/,
    ],
    [
      "full CPUs",
      records,
      client.map(shifted({ cpu: 1.8 })),
      /CPUs of the load generator were full: above 85% in 30 of 30/,
    ],
    ["a collector that stops it", records, client.map(shifted({ gc_pause_ms: 20 })), /paused for 20\.0 ms per second/],
    [
      "a collector that works all the time",
      records,
      client.map(shifted({ gc_cpu_ms: 900 })),
      /collecting garbage: on more than 20% of its CPUs in 30 of 30/,
    ],
    [
      "late wake-ups",
      records,
      client.map(everyThird({})),
      /wake-up latency p99 80\.0 ms, limit 10 ms.*waited for a CPU for 25 ms per second/,
    ],
    [
      "a CPU limit",
      records,
      client.map(everyThird({ throttled: 5 })),
      /woke late.*throttled it 50 times: raise the limit/,
    ],
    [
      "late wake-ups of a collecting client",
      records,
      client.map(everyThird({ gc_cpu_ms: 900 })),
      /give it more memory/,
    ],
  ])("%s makes the run CLIENT-LIMITED", async (_, changedRecords, changedClient, reason) => {
    const { validity, exitCode } = await summarize([{ records: changedRecords, client: changedClient }]);
    expect(validity.verdict).toBe("CLIENT-LIMITED");
    expect(validity.reasons.join()).toMatch(reason);
    expect(exitCode).toBe(2);
  });

  test.each([
    ["lateness at the limit", records.map((line, index) => (index > 40 ? shifted({ lag: 10 })(line) : line)), client],
    [
      "a late start too rare for the percentile that this many arrivals allow",
      records.map((line, index) => (index > 40 && index % 40 === 0 ? shifted({ lag: 50 })(line) : line)),
      client,
    ],
    ["one busy second", records, client.map((line, index) => (index === 9 ? shifted({ cpu: 2 })(line) : line))],
    ["late wake-ups at the limit", records, client.map(shifted(wakes(91, 91, 10_000)))],
    ["one second of late wake-ups", records, client.map(lateSecond)],
    [
      "busy seconds of the warm-up",
      records,
      client.map((line, index) => (index < 2 ? shifted({ cpu: 2, gc_pause_ms: 900 })(line) : line)),
    ],
  ])("%s does not", async (_, changedRecords, changedClient) => {
    expect((await summarize([{ records: changedRecords, client: changedClient }])).validity.verdict).toBe("VALID");
  });

  test("late arrivals that are too few to limit the run are reported all the same", async () => {
    const late = records.map((line, index) => (index === 99 ? shifted({ lag: 50 })(line) : line));
    const { validity } = await summarize([{ records: late, client }]);
    expect(validity).toEqual({
      verdict: "VALID",
      reasons: ["1 of 600 arrivals started more than 10.0 ms late (max 50.0 ms)"],
    });
  });

  test("late wake-ups that are too few to limit the run are reported all the same", async () => {
    const { validity } = await summarize([{ records, client: client.map(lateSecond) }]);
    expect(validity).toEqual({
      verdict: "VALID",
      reasons: ["5 of 2730 wake-ups of the load generator were more than 10 ms late (max 80.0 ms)"],
    });
  });

  test("a memory limit that was too small and was dropped is reported", async () => {
    const limitDropped = client.map((line, index) =>
      index > 3 ? shifted({ memory_limit_mb: undefined })(line) : line,
    );
    const { validity, client: health } = await summarize([{ records, client: limitDropped }]);
    expect(validity).toEqual({ verdict: "VALID", reasons: [expect.stringContaining("raise --memory-limit")] });
    expect(health).toMatchObject({ memoryLimitMb: 8_192, memoryLimitDropped: 1 });
  });

  test("wake-ups of a short run are compared by the percentile that this many allow", async () => {
    const short = makeRun({ durationS: 2 });
    const one = short.client.map((line, index) => (index === 2 ? late()(line) : line));
    expect((await summarize([{ ...short, client: one }])).validity.verdict).toBe("VALID");
    const interruption = short.client.map((line, index) => (index === 2 ? shifted(wakes(91, 60, 80_000))(line) : line));
    expect((await summarize([{ ...short, client: interruption }])).validity.verdict).toBe("VALID");
    const { validity } = await summarize([{ ...short, client: short.client.map(shifted(wakes(91, 12, 80_000))) }]);
    expect(validity.reasons.join()).toMatch(/wake-up latency p90 80\.0 ms/);
  });

  test("the run's wake-ups are those of all measured seconds, and of several clients the latest's", async () => {
    const uneven = client.map((line, index) => shifted(wakes(100, 2, index < 2 ? 900_000 : 5_000))(line));
    expect((await summarize([{ records, client: uneven }])).client).toMatchObject({
      ...{ wakeP50Ms: 0.04, wakeP99Ms: 5, wakeMaxMs: 5, runDelayMs: 750, throttled: 0 },
    });
    const [calm, other] = ["0:1/2", "1/2:1"].map((segment) => makeRun({ segment }));
    if (calm === undefined || other === undefined) throw new Error("no runs");
    const joined = await summarize([calm, { ...other, client: other.client.map(shifted(wakes(100, 2, 7_000))) }]);
    expect(joined.client).toMatchObject({ wakeP99Ms: 7, wakeMaxMs: 7, runDelayMs: 1_500 });
  });

  test("a slow target that fills all slots leaves the run VALID, with the reason", async () => {
    const waiting = records.map((line, index) => (index > 300 ? shifted({ slot_wait: 400 })(line) : line));
    const { validity } = await summarize([{ records: waiting, client }]);
    expect(validity).toMatchObject({
      verdict: "VALID",
      reasons: [expect.stringMatching(/^in-flight limit reached: 340 of 600/)],
    });
  });

  test("arrivals that never started are errors", async () => {
    const last = shifted({ offered: { warmup: 40, measure: 800 } });
    const { counts, metrics } = await summarize([
      { records, client: client.map((line, i) => (i === 31 ? last(line) : line)) },
    ]);
    expect(counts).toMatchObject({ offered: 800, started: 600, not_started: 200 });
    expect(metrics["error_rate"]?.value).toBe(0.25);
    expect(metrics["goodput_share"]?.value).toBe(0.75);
  });
});

group("goodput and throughput", () => {
  test("goodput counts requests that met every bound, of all that were asked", async () => {
    const { metrics } = await run(
      {
        change: (record, index) =>
          index % 4 === 0 ? { ...record, ttft: 5_000 } : index % 4 === 1 ? httpError(record) : record,
      },
      { slos: ["ttft_p50<1s", "goodput>=0.6"] },
    );
    expect(metrics["goodput_share"]?.value).toBe(0.5);
    expect(metrics["goodput"]?.value).toBe(10);
  });

  test("a backlog that is worked off after the window is not throughput", async () => {
    const { metrics } = await run({ change: (record) => ({ ...record, e2e: 60_000 }) });
    expect(metrics["requests_per_s"]?.value).toBe(0);
  });

  test("a run that a bound on requests ends early is divided by the time that it took", async () => {
    const { records, client } = makeRun({ warmupS: 0, durationS: 10 });
    const bounded = records.map((line, index) =>
      index === 0 ? line.replace('"duration":10000', '"duration":600000,"maxRequests":200') : line,
    );
    const { durationS, metrics } = await summarize([{ records: bounded, client }]);
    expect(durationS).toBeLessThan(11);
    expect(metrics["requests_per_s"]?.value).toBeGreaterThan(18);
  });

  test("stalls are gaps over a second", async () => {
    const { metrics } = await run({
      change: (record, index) => (index === 100 ? { ...record, gaps_us: [1_000_000, 1_000_001, 3_000_000] } : record),
    });
    expect(metrics["stall"]?.value).toBe(2);
  });

  test("operations are reported separately and pooled", async () => {
    const { ops, metrics } = await run({
      change: (record, index) => {
        if (index % 2 === 0) return record;
        const { gaps_us: _, ttft: __, ttft_scheduled: ___, output_tokens: ____, ...rest } = record;
        return { ...rest, op: "embeddings", items: 8, scheduled: instant(index * 50) };
      },
    });
    expect(Object.keys(ops)).toEqual(["chat.stream", "embeddings"]);
    expect(ops["embeddings"]?.metrics).not.toHaveProperty("ttft");
    expect(ops["embeddings"]?.metrics["batch_size"]).toMatchObject({ count: 300, mean: 8 });
    expect(metrics["e2e"]?.count).toBe(600);
    expect(metrics["embedding_items_per_s"]?.value).toBe(80);
  });
});
