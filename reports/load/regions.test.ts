import { describe, expect, test } from "vitest";
import { makeRun, type RunOptions } from "../../tests/support/results/load-run.ts";
import { summarize } from "../../tests/support/results/summarize-run.ts";
import { latencyBreakdowns } from "./views/breakdown-tables.ts";
import { notesOf } from "./views/notes.ts";

/** A runner of a cluster that has a part of the load, whose clock the target's is ahead of by so much. */
function runner(part: string, segment: string, clock?: readonly [number, number], options: RunOptions = {}) {
  const { records, client } = makeRun({ segment, warmupS: 1, durationS: 5, ...options });
  const [header = "", ...others] = records;
  return {
    records: [header.replace('"scenario"', `"segment":"${part}","scenario"`), ...others],
    client: client.map((line) => (clock ? line.replace("{", `{"target_clock_ms":[${clock}],`) : line)),
  };
}

const slow = { change: (record) => ({ ...record, ttft: (record.ttft ?? 0) + 200 }) } satisfies RunOptions;

/** Three clusters with two, one and three runners. */
const eu = [runner("1/3", "0:1/6", [-2, 3]), runner("1/3", "1/6:1/3", [0, 4])];
const us = [runner("2/3", "1/3:2/3", [-41, -38], slow)];
const asia = ["2/3:7/9", "7/9:8/9", "8/9:1"].map((segment) => runner("3/3", segment, [61, 58]));

describe("three clusters that make one load", () => {
  test("are merged as one, with the latencies of each region and the skew of its clock", async () => {
    const { validity, shape, regions = [], counts, ...run } = await summarize([...asia, ...eu, ...us]);
    expect(validity).toMatchObject({ verdict: "VALID", reasons: [] });
    expect(shape).not.toMatch(/segment/);
    expect(regions.map(({ segment, generators, calls, clock }) => [segment, generators, calls.total, clock])).toEqual([
      ["1/3", 2, 200, undefined],
      ["2/3", 1, 100, { fromMs: 36, toMs: 45 }],
      ["3/3", 3, 300, { fromMs: -66, toMs: -54 }],
    ]);
    const ttfts = regions.map(({ metrics }) => metrics["ttft"]?.p50 ?? 0);
    expect((ttfts[1] ?? 0) - (ttfts[0] ?? 0)).toBeCloseTo(200, 0);
    expect(ttfts[2]).toBeCloseTo(ttfts[0] ?? 0, 0);
    const [table] = latencyBreakdowns({ validity, shape, regions, counts, ...run }).filter(
      ({ title }) => title === "Regions",
    );
    expect(table?.table.rows.map((row) => [row[0], row.at(-1)])).toEqual([
      ["1/3", "-"],
      ["2/3", "36 to 45"],
      ["3/3", "-66 to -54"],
    ]);
  });

  test("miss a region, or one of its runners, by name, with its share of the arrivals", async () => {
    const without = await summarize([...eu, ...asia]);
    expect(without.validity).toMatchObject({
      verdict: "INVALID",
      reasons: [expect.stringMatching(/segment 2\/3 is missing: .* 250 arrivals of its share/)],
    });
    const ofAsia = await summarize([...eu, ...us, ...asia.slice(1)]);
    expect(ofAsia.validity.reasons).toEqual([expect.stringMatching(/segment 7\/9 is missing/)]);
  });

  test("are each a whole part by themselves, of which a runner may be missing", async () => {
    const whole = await summarize(eu);
    expect(whole.validity).toMatchObject({ verdict: "VALID", reasons: [] });
    expect(whole.regions).toBeUndefined();
    const { counts, validity } = await summarize(asia.slice(0, 2));
    expect(validity.reasons).toEqual([expect.stringMatching(/segment 9\/9 is missing: .* 100 arrivals/)]);
    expect(counts).toMatchObject({ offered: 300, not_started: 100 });
  });

  test("are not joined with parts of another number, whose arrivals are others", async () => {
    const { validity } = await summarize([runner("1/2", "0:1/2"), runner("3/4", "1/2:3/4"), runner("4/4", "3/4:1")]);
    expect(validity).toMatchObject({
      verdict: "INVALID",
      reasons: [expect.stringMatching(/different numbers of parts \(--segment\) \(2, 4\)/)],
    });
  });

  test("whose clocks differ by more than a second are said to, and by how much is not known where one has no estimate", async () => {
    const late = await summarize([runner("1/2", "0:1/2", [0, 5]), runner("2/2", "1/2:1", [-1_500, -1_400])]);
    expect(late.regions?.[1]?.clock).toEqual({ fromMs: 1_400, toMs: 1_505 });
    expect(notesOf(late).join()).toMatch(/the clocks of the regions differ by at least 1\.4 s/);
    const unknown = await summarize([runner("1/2", "0:1/2"), runner("2/2", "1/2:1", [-1_500, -1_400])]);
    expect(unknown.regions?.[1]?.clock).toBeUndefined();
    expect(notesOf(unknown).join()).not.toMatch(/clocks/);
  });
});
