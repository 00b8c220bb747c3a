import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { instant, makeRun, type RunOptions, unanswered } from "../../../tests/support/results/load-run.ts";
import { summarizeRun as run, summarize } from "../../../tests/support/results/summarize-run.ts";

fc.configureGlobal({ seed: 1 });

group("shards", () => {
  test("merge into what one file would have given", async () => {
    const whole = makeRun({ rate: 10, warmupS: 1, durationS: 8 });
    const header = whole.records[0] ?? "";
    const expected = await summarize([{ ...whole, client: [] }]);
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

group("segments of which records are missing", () => {
  const thirds = ["0:1/3", "1/3:2/3", "2/3:1"].map((segment) => makeRun({ segment }));
  const [first, second, third] = thirds;
  if (first === undefined || second === undefined || third === undefined) throw new Error("no runs");
  /** Killed after 12 of its 32 seconds. */
  const killed = { records: second.records.slice(0, 241), client: second.client.slice(0, 12) };

  test("leave the run INVALID where a folder is missing: its share of the arrivals never started, and no objective is met", async () => {
    const run = await summarize([first, third], { slos: ["error_rate<50%"] });
    expect(run.counts).toMatchObject({ offered: 1_800, started: 1_200, not_started: 600, failed: 600 });
    expect(run.metrics["error_rate"]?.value).toBeCloseTo(1 / 3, 9);
    expect(run.validity).toMatchObject({
      verdict: "INVALID",
      reasons: [
        "the record is damaged: segment 2/3 is missing: no folder holds records of it; 600 arrivals of its share of the load counted as not started",
      ],
    });
    expect(run).toMatchObject({ exitCode: 2, conclusion: "the run is INVALID" });
  });

  test("interrupt the run where a load generator was killed: the rest of its share never started", async () => {
    const run = await summarize([first, killed, third]);
    expect(run.counts).toMatchObject({ offered: 1_800, started: 1_400, not_started: 400 });
    expect(run).toMatchObject({ interrupted: true, exitCode: 2 });
    expect(run.validity.reasons).toContain(
      "segment 2/3 was killed before the end; 400 arrivals of its share of the load counted as not started",
    );
    expect(run.validity.reasons.join()).not.toMatch(/--max-in-flight/);
  });

  const drained = {
    records: killed.records,
    client: [
      ...killed.client.slice(0, -1),
      (killed.client.at(-1) ?? "").replace(/}$/, ',"final":true,"records":240,"stopped":"terminated"}'),
    ],
  };

  test("interrupt the run where a load generator was stopped while others went on: the rest of its share never started", async () => {
    const run = await summarize([first, drained, third]);
    expect(run.counts).toMatchObject({ offered: 1_800, started: 1_400, not_started: 400 });
    expect(run).toMatchObject({ interrupted: true, exitCode: 2 });
    expect(run.validity.reasons).toContain(
      "segment 2/3 was stopped before the end, while others went on, as when a node is drained; 400 arrivals of its share of the load counted as not started",
    );
  });

  test("are none where all were stopped, as by Ctrl-C", async () => {
    const run = await summarize(
      [first, drained, third].map(({ records, client }) => ({
        records,
        client: client.map((line) =>
          line.includes('"stopped"') ? line : line.replace('"final":true', '"final":true,"stopped":"interrupted"'),
        ),
      })),
    );
    expect(run).toMatchObject({ interrupted: true, counts: { offered: 1_400, not_started: 0 } });
    expect(run.validity.reasons.join()).not.toMatch(/stopped before/);
  });

  test("may be several, or all but one", async () => {
    const two = await summarize([first, killed]);
    expect(two.counts.offered).toBe(1_800);
    expect(two.validity.reasons[0]).toMatch(
      /segment 3\/3 is missing: .*; segment 2\/3 was killed before the end; 1,000/,
    );
    const alone = await summarize([first], { isMerged: true });
    expect(alone.validity.reasons[0]).toMatch(/segments 2\/3, 3\/3 are missing/);
  });

  test("are none of a segment that is reported on alone, and of runs of their own", async () => {
    const alone = await summarize([first]);
    expect(alone.validity).toMatchObject({ verdict: "VALID", reasons: [] });
    expect(alone.counts.offered).toBe(600);
    const runs = await summarize([makeRun(), makeRun({ laterS: 60 })]);
    expect(runs.validity.reasons.join()).not.toMatch(/missing|killed/);
  });

  test("of users that make their own arrivals are named, and nothing is counted", async () => {
    const users = thirds.map(({ records: [header = "", ...lines], client }) => ({
      records: [header.replace('"rate":20', '"vus":30'), ...lines],
      client,
    }));
    const run = await summarize(users.slice(1));
    expect(run.counts).toMatchObject({ offered: 1_200, not_started: 0 });
    expect(run.validity.reasons).toEqual([
      "the record is damaged: segment 1/3 is missing: no folder holds records of it",
    ]);
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

  test("are not shards of one load when they ran at different times, or with another k6 or --insecure", async () => {
    const yesterday = await shards({}, { laterS: 86_400 });
    expect(yesterday).toMatchObject({ exitCode: 2, validity: { verdict: "INVALID" } });
    expect(yesterday.validity.reasons.join()).toMatch(
      /not shards of one load: one ended at 2026-01-02\S+, before another started at/,
    );
    for (const [changed, what] of [
      ['"k6":"v9.0.0"', /different versions of k6 \(v2\.2\.0, v9\.0\.0\)/],
      ['"run":"b","k6":"v2.2.0"', /different runs of a cluster \(a, b\)/],
    ] as const) {
      const [one, other] = ["0:1/2", "1/2:1"].map((segment) => makeRun({ segment }));
      const [header = "", ...records] = other?.records ?? [];
      const [first = "", ...rest] = one?.records ?? [];
      const { validity } = await summarize([
        { records: [first.replace('"k6"', '"run":"a","k6"'), ...rest], client: one?.client ?? [] },
        { records: [header.replace('"k6":"v2.2.0"', changed), ...records], client: other?.client ?? [] },
      ]);
      expect(validity).toMatchObject({ verdict: "INVALID", reasons: [expect.stringMatching(what)] });
    }
    const [one, other] = ["0:1/2", "1/2:1"].map((segment) => makeRun({ segment }));
    const insecure = other?.records.map((line) => line.replace('"scenario"', '"insecure":true,"scenario"')) ?? [];
    const { validity } = await summarize([one ?? makeRun(), { records: insecure, client: other?.client ?? [] }]);
    expect(validity).toMatchObject({ verdict: "INVALID", reasons: [expect.stringMatching(/values of --insecure/)] });
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
