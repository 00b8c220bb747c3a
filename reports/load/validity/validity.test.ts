import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { httpError, makeRun, unanswered } from "../../../tests/support/results/load-run.ts";
import { summarizeRun as run, summarize } from "../../../tests/support/results/summarize-run.ts";
import { clientFacts } from "../views/table-rows.ts";

group("verdict and exit code", () => {
  const shifted = (more: object) => (line: string) => JSON.stringify({ ...(JSON.parse(line) as object), ...more });
  const { records, client } = makeRun();
  const wakes = (many: number, late: number, lateUs: number) => ({
    wake_p99_ms: lateUs / 1_000,
    wakes_us: Array.from({ length: many }, (_, wake) => (wake < many - late ? 40 : lateUs)),
  });
  const interrupted = (lines: string[]) => lines.with(-1, shifted({ stopped: "interrupted" })(lines.at(-1) ?? ""));
  const stopped = interrupted(client);
  const late = (more: object = {}) => shifted({ ...wakes(91, 30, 80_000), ...more });
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

  test("responses that all broke off are responses, also without a status", async () => {
    const cut = await run({
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
    ["missed before undecided", ["ttft_p999<1s", "ttft_p50<1ms"], 1],
    ["of something that was not measured", ["video_work_mean<1s"], 2],
  ])("an SLO that is %s: %j exits %i", async (_, slos, code) => {
    expect((await run({}, { slos })).exitCode).toBe(code);
  });

  test("what an interrupt or the end of the drain cut off is unfinished, and no failure of the target", async () => {
    const cut = records.map((line, index) => (index > 600 ? shifted({ outcome: "cancelled_by_us" })(line) : line));
    for (const lines of [stopped, client]) {
      const { counts, metrics } = await summarize([{ records: cut, client: lines }]);
      expect(counts).toMatchObject({ unfinished: 40, failed: 0, outcomes: { unfinished: 40 } });
      expect(metrics["error_rate"]?.value).toBe(0);
    }
  });

  test("a drain that cut off more than 1% of the units is to be raised, one that cut off less is not mentioned", async () => {
    const cutAt = (from: number) =>
      records.map((line, index) => (index > from ? shifted({ outcome: "cancelled_by_us" })(line) : line));
    const reasonsOf = async (from: number) => (await summarize([{ records: cutAt(from), client }])).validity.reasons;
    expect(await reasonsOf(600)).toEqual([
      "40 of 600 requests were still unfinished at the end of the drain; raise --set drain",
    ]);
    expect(await reasonsOf(634)).toEqual([]);
  });

  test("an interrupted run is inconclusive", async () => {
    const { exitCode, conclusion } = await summarize([{ records, client: stopped }], { slos: ["ttft_p50<1ms"] });
    expect([exitCode, conclusion]).toEqual([2, "the run was interrupted"]);
  });

  test.each([
    [
      "a late client",
      records.map((line, index) => (index > 40 && index % 10 === 0 ? shifted({ lag: 11 })(line) : line)),
      client,
      /schedule_lag p95 11\.0 ms, limit 10 ms/,
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
      "a tenth of late wake-ups",
      records,
      client.map(everyThird({})),
      /wake-up latency p90 80\.0 ms, limit 10 ms.*waited for a CPU for 25 ms per second/,
    ],
    [
      "a CPU limit",
      records,
      client.map(everyThird({ throttled: 5 })),
      /did not get enough CPU time.*throttled it 50 times: raise the limit/,
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

  test("a CLIENT-LIMITED run fails by an objective that does not depend on its timing, and by no other", async () => {
    const late = client.map(shifted({ cpu: 1.8 }));
    const half = records.map((line, index) => (index % 2 === 1 ? shifted({ outcome: "rate_limited" })(line) : line));
    const both = await summarize([{ records: half, client: late }], { slos: ["ttft_p50<1ms", "error_rate<1%"] });
    expect([both.exitCode, both.conclusion]).toEqual([
      1,
      "missed: error_rate<1%; load generator too slow: timings not usable",
    ]);
    const timing = await summarize([{ records: half, client: late }], { slos: ["ttft_p50<1ms"] });
    expect([timing.exitCode, timing.conclusion]).toEqual([2, "load generator too slow: timings not usable"]);
  });

  test("a missed objective decides, and what is undecided is named", async () => {
    const { exitCode, conclusion } = await run({}, { slos: ["ttft_p999<1s", "ttft_p50<1ms"] });
    expect([exitCode, conclusion]).toEqual([1, "missed: ttft_p50<1ms; undecided: ttft_p999<1s"]);
  });

  const aborted = {
    schema: "assay.stop/1",
    cause: "rule",
    t: 20,
    expr: "ok<1 over 9s",
    reason: "0 over the last 9s",
  } as const;

  test.each([
    ["has missed an objective", ["ttft_p50<1ms"], 1, "missed: ttft_p50<1ms"],
    ["has missed none", ["ttft_p50<1s"], 2, undefined],
  ] as const)("a run that Assay ended, and that until then %s", async (_, slos, code, missed) => {
    const shard = { records, client: stopped, stop: aborted };
    const { exitCode, conclusion, ...rest } = await summarize([shard], { slos });
    expect(rest.aborted).toMatchObject({ atS: 20, phase: "measure", expr: "ok<1 over 9s" });
    const why = "ended 20.0 s into the run by ok<1 over 9s: 0 over the last 9s";
    expect([exitCode, conclusion]).toEqual([code, [why, ...(missed ? [missed] : [])].join("; ")]);
  });

  test.each([
    ["timeout", { reused: false }, 1],
    ["reset", { reused: false }, 1],
    ["timeout", {}, 2],
    ["reset", {}, 2],
    ["tls", { reused: false }, 2],
    ["malformed", { reused: false }, 2],
  ] as const)(
    "no response, but %s with %j, fails a target that was reached: exit code %i",
    async (outcome, more, code) => {
      const silent = makeRun({ change: (record) => ({ ...unanswered(record, outcome), ...more }) });
      const ended = { ...silent, client: interrupted(silent.client), stop: aborted };
      for (const shard of [silent, ended]) {
        const { exitCode, conclusion, validity } = await summarize([shard], { slos: ["error_rate<=1"] });
        expect([exitCode, validity.verdict]).toEqual([code, code === 1 ? "VALID" : "INVALID"]);
        expect(conclusion).toMatch(code === 1 ? /accepted connections and responded to none of 640/ : /is INVALID/);
      }
    },
  );

  test("a run that Assay ended because of its own load generator's limits says nothing of the target", async () => {
    const limited = stopped.map(shifted({ cpu: 1.8 }));
    const { exitCode, conclusion } = await summarize([{ records, client: limited, stop: aborted }], {
      slos: ["ttft_p50<1ms"],
    });
    expect([exitCode, conclusion]).toEqual([
      2,
      expect.stringMatching(/^ended 20\.0 s .*; load generator too slow: timings not usable$/),
    ]);
  });

  test("a reason to end a run that came to its end all the same is no matter", async () => {
    const { exitCode, ...rest } = await summarize([{ records, client, stop: aborted }]);
    expect([exitCode, rest.aborted]).toEqual([0, undefined]);
  });

  test("an interrupted run is said to be one before anything else", async () => {
    const stopped = client.map(shifted({ cpu: 1.8, stopped: "interrupted" }));
    const { exitCode, conclusion } = await summarize([{ records, client: stopped }], { slos: ["ttft_p50<1ms"] });
    expect([exitCode, conclusion]).toEqual([2, "the run was interrupted and is CLIENT-LIMITED"]);
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
    expect(validity).toMatchObject({
      verdict: "VALID",
      reasons: [
        "1 of 600 arrivals started more than 10.0 ms late (max 50.0 ms; the verdict uses the p95 0.3 ms, limit 10 ms)",
      ],
    });
  });

  test("late wake-ups that are too few to limit the run are reported all the same", async () => {
    const { validity } = await summarize([{ records, client: client.map(lateSecond) }]);
    expect(validity).toMatchObject({
      verdict: "VALID",
      reasons: [
        expect.stringMatching(
          /^timer wake-ups of the load generator were late \(30 of 2730 more than 10 ms, max 80\.0 ms\): times measured then may be up to 240\.0 ms too long/,
        ),
      ],
    });
  });

  group("requests that begin at the same time are named as what the load generator was late by", () => {
    const atOnce = (record: RequestRecord) => ({ ...record, sent: record.sent.replace(/\.\d+Z/, ".000250Z") });
    const options = { rate: 300, warmupS: 0, durationS: 10 };
    const herds = makeRun({ ...options, change: atOnce });
    const spread = makeRun(options);
    const reasonsOf = async ({ records, client }: typeof herds, change: (line: string, index: number) => string) =>
      (await summarize([{ records, client: client.map(change) }])).validity.reasons.join();

    test("where they limit the run", async () => {
      expect(await reasonsOf(herds, late())).toMatch(
        /did not get enough CPU time: .*; 300 requests began within 100 ms, 0\.0 s into the run: use more machines/,
      );
      expect(await reasonsOf(spread, late())).not.toContain("began within");
    });

    test("where users are told to start apart, which arrivals of a schedule cannot", async () => {
      const change = ({ lag, ...record }: RequestRecord) => atOnce(record);
      expect(await reasonsOf(makeRun({ ...options, change }), late())).toMatch(
        /into the run: start users over a longer time \(--set ramp-up=30s\), or use more machines/,
      );
    });

    test("and where they are an error of its times", async () => {
      expect(await reasonsOf(herds, lateSecond)).toMatch(/is undecided; 300 requests began within 100 ms, 9\.0 s/);
    });

    test("unless the process did not run, which made them begin together", async () => {
      expect(await reasonsOf(herds, shifted(wakes(91, 30, 3_000_000)))).not.toContain("began within");
    });

    test("unless most late seconds were without them", async () => {
      const once = makeRun({ ...options, change: (record, index) => (index < 300 ? atOnce(record) : record) });
      expect(await reasonsOf(once, late())).not.toContain("began within");
    });
  });

  test("a memory limit that was reached makes a run CLIENT-LIMITED, and the reason says what to do", async () => {
    const limitDropped = client.map((line, index) =>
      index > 3 ? shifted({ memory_limit_mb: undefined })(line) : line,
    );
    const { validity, client: health } = await summarize([{ records, client: limitDropped }]);
    expect(validity).toMatchObject({
      verdict: "CLIENT-LIMITED",
      reasons: [
        expect.stringMatching(
          /reached its memory limit of 8,192 MB.*; raise --set memory-limit, lower --max-in-flight/,
        ),
      ],
    });
    expect(health).toMatchObject({ memoryLimitMb: 8_192, memoryLimitDropped: 1 });
  });

  test("wake-ups of a short run are compared by the percentile that this many allow", async () => {
    const short = makeRun({ durationS: 2 });
    const one = short.client.map((line, index) => (index === 2 ? shifted(wakes(91, 5, 80_000))(line) : line));
    expect((await summarize([{ ...short, client: one }])).validity.verdict).toBe("VALID");
    const mostOfOne = short.client.map((line, index) => (index === 2 ? shifted(wakes(91, 60, 80_000))(line) : line));
    expect((await summarize([{ ...short, client: mostOfOne }])).validity.verdict).toBe("CLIENT-LIMITED");
    const { validity } = await summarize([{ ...short, client: short.client.map(shifted(wakes(91, 12, 80_000))) }]);
    expect(validity.reasons.join()).toMatch(/wake-up latency p90 80\.0 ms/);
  });

  group("a short run whose client was late in most of its seconds is CLIENT-LIMITED, whatever its percentiles", () => {
    const short = makeRun({ warmupS: 0, durationS: 8 });
    const lateIn = (seconds: number, more: object) => ({
      ...short,
      client: short.client.map((line, index) => (index < seconds ? shifted(more)(line) : line)),
    });
    const wake = wakes(91, 1, 31_500);

    test("but not by single late wake-ups, which are an error of its times", async () => {
      const { validity, exitCode } = await summarize([lateIn(8, wake)], { slos: ["ok>=1"] });
      expect([validity.verdict, exitCode]).toEqual(["VALID", 0]);
      expect(validity.reasons).toEqual([
        expect.stringMatching(/^timer wake-ups of the load generator were late \(8 of 728/),
      ]);
    });

    test("by its starts", async () => {
      const { validity } = await summarize([lateIn(7, { lag_p99_ms: 31.5 })]);
      expect(validity).toMatchObject({
        verdict: "CLIENT-LIMITED",
        reasons: [expect.stringMatching(/schedule_lag p99 above 10 ms in 7 of 8 measured seconds/)],
      });
    });

    test("but not by fewer than that", async () => {
      expect((await summarize([lateIn(6, { lag_p99_ms: 31.5 })])).validity.verdict).toBe("VALID");
    });

    test("and the percentile that decides is named with its limit, beside the p99", async () => {
      const { validity, client: health } = await summarize([lateIn(2, wakes(91, 5, 31_500))]);
      expect(health.wakeP99Ms).toBe(31.5);
      const wakeLateness = { percentile: "p90", ms: 0.04, limitMs: 10, samples: 728, lateSeconds: 0, seconds: 8 };
      expect(validity).toMatchObject({
        verdict: "VALID",
        lateness: [
          { name: "schedule lag", percentile: "p90", limitMs: 10, samples: 160, lateSeconds: 0, seconds: 8 },
          { name: "wake-up latency", ...wakeLateness, ms: expect.any(Number) },
        ],
      });
      const facts = Object.fromEntries(clientFacts(await summarize([lateIn(2, wakes(91, 5, 31_500))])));
      expect(facts["wake-up latency p90"]).toMatch(/^[\d.]+ ms of 728, limit 10 ms \(p99 31\.50 ms, max 31\.50 ms\)$/);
    });
  });

  test("what the network lost is that of all clients, and their least round trip counts", async () => {
    const lossy = { packets: 2_000, packets_out_of_order: 30, packets_sent_again: 2, round_trip_ms: 41.25 };
    const near = { packets: 3_000, packets_out_of_order: 20, packets_sent_again: 0, round_trip_ms: 0.25 };
    const [one, other] = ["0:1/2", "1/2:1"].map((segment) => makeRun({ segment }));
    if (one === undefined || other === undefined) throw new Error("no runs");
    const networkOf = async (...shards: readonly (typeof one)[]) =>
      Object.fromEntries(clientFacts(await summarize(shards)))["network"];
    const distant = { ...one, client: one.client.map(shifted(lossy)) };
    expect(await networkOf(distant, { ...other, client: other.client.map(shifted(near)) })).toBe(
      "least round trip 0.250 ms, 50 of 5,000 packets out of order (1%), 2 sent again",
    );
    const untold = { packets: undefined, round_trip_ms: undefined };
    expect(await networkOf({ records, client: client.map(shifted(untold)) })).toBeUndefined();
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
    const { counts, metrics, validity } = await summarize([
      { records, client: client.map((line, i) => (i === 31 ? last(line) : line)) },
    ]);
    expect(counts).toMatchObject({ offered: 800, started: 600, not_started: 200 });
    expect(validity.reasons.join()).toContain("200 of 800 arrivals found no free slot until the end");
    expect(metrics["error_rate"]?.value).toBe(0.25);
  });
});
