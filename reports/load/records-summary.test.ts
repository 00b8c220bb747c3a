/** What a run with `--records summary` still measures, compared with the same run whose records list every gap. */

import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import { z } from "zod";
import type { RequestRecord } from "../../formats/records.ts";
import type { RunResult } from "../../formats/run.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import { parseSlo } from "../../load/objectives/slo.ts";
import { chatRecord, httpError, makeRun, type RunOptions } from "../../tests/support/results/load-run.ts";
import { ERROR, summarized, summarizedLines } from "../../tests/support/results/records-summary.ts";
import { summarizeLoad, withRead } from "../../tests/support/results/summarize-shards.ts";
import { evaluateSlo } from "./metrics/evaluate-slo.ts";
import type { Shard } from "./read/shards.ts";
import { loadTerminal } from "./views/terminal.ts";

fc.configureGlobal({ seed: 1 });

const SLOS = ["icl<=20.99ms", "ttft<1s"];
const summarize = (shards: readonly Shard[], slos: readonly string[] = SLOS): Promise<RunResult> =>
  summarizeLoad({ target: "http://t", scenario: "chat-stream", shape: "20/s", tool: "assay", slos, shards });

/** Some requests fail, some stall, some have a slow gap. */
const VARIED: RunOptions = {
  change: (record, index) => {
    if (index % 20 === 3) return httpError(record);
    if (index % 20 === 4) return { ...record, chunks: 1, gaps_us: [] };
    const gaps_us = record.gaps_us?.map((gap, at) => (at === 4 && index % 50 === 0 ? 1_000_000 + index : gap));
    return gaps_us === undefined ? record : { ...record, gaps_us, coalesced: index % 3 };
  },
};
const full = makeRun(VARIED);
const summary = { records: summarizedLines(full.records, SLOS), client: full.client };

group("a summary of gaps", () => {
  test("leaves every figure but the distribution of gaps as it is", async () => {
    const [whole, short] = [await summarize([full]), await summarize([summary])];
    const { icl: _, ...others } = whole.metrics;
    const { icl: __, ...shortOthers } = short.metrics;
    // A count of gaps does not say how near each of them was to a bound.
    const ofGaps = ["goodput", "goodput_share", "stall"];
    const withoutBands = Object.fromEntries(
      Object.entries(others).map(([name, { band, ...result }]) => [
        name,
        ofGaps.includes(name) || band === undefined ? result : { ...result, band },
      ]),
    );
    expect(shortOthers).toEqual(withoutBands);
    expect(others["stall"]?.value).toBeGreaterThan(0);
    expect(others["tpot"]?.count).toBe(540);
    expect(others["goodput_share"]?.value).toBeLessThan(0.9);
    expect(short.windows).toEqual(whole.windows);
    expect(short.counts).toEqual(whole.counts);
    expect(short.validity).toMatchObject({ verdict: "VALID", reasons: [] });
  });

  test("gives that distribution within its error, and says so", async () => {
    const [whole, short] = [await summarize([full]), await summarize([summary])];
    const icl: Partial<MetricResult> = short.metrics["icl"] ?? {};
    for (const name of ["mean", "p50", "p90", "p95", "min", "max"] as const) {
      const exact = whole.metrics["icl"]?.[name] ?? Number.NaN;
      expect(Math.abs((icl[name] ?? Number.NaN) / exact - 1)).toBeLessThanOrEqual(ERROR);
    }
    expect(icl).toMatchObject({ count: whole.metrics["icl"]?.count, error: ERROR });
    expect(whole.metrics["icl"]).not.toHaveProperty("error");
    expect(loadTerminal(short, { colour: false })).toMatch(
      /icl +from 540 requests.*; from a histogram, within ±0\.05%/,
    );
  });

  test("has no gaps of buffered streams, as little as records that list theirs", async () => {
    const buffered = makeRun({
      change: (record, index) =>
        index % 4 === 0 ? { ...record, flags: ["buffered"], gaps_us: record.gaps_us?.map(() => 0) ?? [] } : record,
    });
    const short = { records: summarizedLines(buffered.records, SLOS), client: buffered.client };
    for (const shard of [buffered, short]) {
      const { metrics, validity } = await summarize([shard]);
      expect(metrics["icl"]?.min).toBeGreaterThan(0);
      expect(metrics["ttft"]?.count).toBe(600);
      expect(metrics["icl"]?.count).toBe(450 * 9);
      expect(validity).toMatchObject({ verdict: "VALID", reasons: [] });
    }
  });

  test("merges with shards that list their gaps, whichever they are", async () => {
    const [header = "", ...lines] = full.records;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: lines.length, maxLength: lines.length }), async (owners) => {
        const parts = [0, 1, 2, 3].map((shard) => [
          header.replace("{", `{"segment":"${shard}",`),
          ...lines.filter((_, index) => owners[index] === shard),
        ]);
        const shards = parts.map((records, shard) => ({
          records: shard % 2 === 0 ? records : summarizedLines(records, SLOS),
          client: [],
        }));
        const whole = await summarize([{ records: full.records, client: [] }]);
        const merged = await summarize(shards);
        for (const name of ["stall", "coalesced", "goodput_share", "error_rate"]) {
          expect(merged.metrics[name]).toEqual(whole.metrics[name]);
        }
        expect(merged.metrics["tpot"]).toMatchObject({ ...whole.metrics["tpot"], mean: expect.any(Number) });
        expect(merged.metrics["icl"]).toMatchObject({ count: whole.metrics["icl"]?.count, error: ERROR });
        expect((merged.metrics["icl"]?.p95 ?? 0) / (whole.metrics["icl"]?.p95 ?? 1)).toBeCloseTo(1, 3);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});

/** How each request compares with the bounds. */
const checksOf = (records: readonly RequestRecord[], slos: readonly string[]) =>
  withRead(
    records,
    ({ database }) => {
      const bits = z.number();
      const row = z.object({ met: bits, broken: bits, surely: bits, near: bits, unknown: bits });
      return database.all("SELECT met, broken, surely, near, unknown FROM calls ORDER BY n", row);
    },
    slos,
  );

group("goodput by a bound on gaps", () => {
  test("is the same whether a record lists its gaps or counts the long ones", async () => {
    const comparison = fc.constantFrom("<", "<=");
    const amount = fc.oneof(
      fc.nat(40),
      fc.integer({ min: 0, max: 40_000 }).map((us) => us / 1_000),
    );
    const gaps = fc.array(
      fc.oneof(fc.nat(40), fc.nat(40_000)).map((n) => (n <= 40 ? n * 1_000 : n)),
      { maxLength: 60 },
    );
    const many = fc.array(gaps, { minLength: 100, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(comparison, amount, many, async (sign, bound, lists) => {
        const slos = [`icl${sign}${bound}ms`];
        const records = lists.map((gaps_us, index) => ({
          ...{ ...chatRecord(index, 0, "measure"), gaps_us, chunks: gaps_us.length + 1 },
        }));
        const counted = records.map((record) => summarized(record, slos));
        expect(await checksOf(counted, slos)).toEqual(await checksOf(records, slos));
      }),
      { numRuns: 20 },
    );
  });

  test("is not measured when the record did not count for that bound", async () => {
    const { metrics } = await summarize([summary], ["icl<30ms", "goodput>=0.9"]);
    expect(metrics).not.toHaveProperty("goodput_share");
    expect(metrics).not.toHaveProperty("goodput");
    expect(metrics["error_rate"]).toBeDefined();
  });
});

group("an objective on gaps out of a histogram", () => {
  const metrics = { icl: { unit: "ms", count: 5_000, mean: 20, min: 1, p50: 20, p99: 30, max: 40, error: ERROR } };
  test.each([
    ["icl_p99<31ms", [0, 0], true, "±0.05%"],
    ["icl_p99<29ms", [90, 90], false, "±0.05%"],
    [
      "icl_p99<30ms",
      [10, 90],
      null,
      "±0.05%; 0.2% to 1.8% exceed the bound, 1% may: record all gaps with --records full",
    ],
  ] as const)("%s of a p99 of 30 ms is %s", (text, [certain, possible], ok, note) => {
    const of = { count: 5_000, allowed: 0.01, of: "request", withGaps: true, open: 0, isRounded: true } as const;
    const beyond = () => ({ certain, possible, ...of });
    expect(evaluateSlo(parseSlo(text), metrics, { unfinished: 0, beyond })).toMatchObject({ ok, note });
  });

  test("an extreme is exact", () => {
    expect(evaluateSlo(parseSlo("icl_max<=40ms"), metrics)).toMatchObject({ ok: true });
  });
});

test("gaps of another phase than the measured one do not count", async () => {
  const warmup = JSON.stringify({
    gaps: { op: "chat.stream", phase: "warmup", error: 0.1, us: [9_000_000], n: [999] },
  });
  const { metrics } = await summarize([{ records: [...summary.records, warmup], client: full.client }]);
  expect(metrics["icl"]).toEqual((await summarize([summary])).metrics["icl"]);
});

group("a histogram that lacks gaps", () => {
  const lacking = summary.records.slice(0, -1);
  test("of a killed load generator is reported", async () => {
    const { validity } = await summarize([{ records: lacking, client: full.client.slice(0, -1) }]);
    expect(validity.verdict).toBe("VALID");
    expect(validity.reasons.join("\n")).toMatch(
      /the histogram of gaps holds \d+ of the \d+ gaps that the records count/,
    );
  });

  test("of a load generator that ended by itself makes the run INVALID", async () => {
    const { validity } = await summarize([{ records: lacking, client: full.client }]);
    expect(validity.verdict).toBe("INVALID");
    expect(validity.reasons.join("\n")).toMatch(/the histogram of gaps holds/);
  });

  test.each([
    ["more values than counts", { op: "chat.stream", phase: "measure", error: 0.1, us: [1, 2], n: [1] }],
    ["a part of a microsecond", { op: "chat.stream", phase: "measure", error: 0.1, us: [1.5], n: [1] }],
    ["no error", { op: "chat.stream", phase: "measure", us: [], n: [] }],
  ])("or has %s is damaged", async (_, gaps) => {
    const { validity } = await summarize([
      { records: [...summary.records, JSON.stringify({ gaps })], client: full.client },
    ]);
    expect(validity.reasons.join("\n")).toMatch(/the record is damaged: records\.jsonl, line \d+: gaps/);
  });
});
