import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { instant, makeRun, type RunOptions, unanswered } from "../../../tests/support/load-run.ts";
import { summarizeRun as run, summarize } from "../../../tests/support/summarize-run.ts";

fc.configureGlobal({ seed: 1 });

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
