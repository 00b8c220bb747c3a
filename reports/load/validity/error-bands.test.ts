/** An objective is decided where its whole band lies on one side of its bound, however busy the load generator's machine is. */

import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { makeRun, type RunOptions, withInterruption, withLateWakes } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";

/** A run of 20/s for 30 s after 2 s, whose time to first token is 100 to 110 ms and whose gaps are 19 to 21 ms. */
const lateBy = (lateMs: number, options: RunOptions = {}) => {
  const { records, client } = makeRun(options);
  return { records, client: client.map((line) => withLateWakes(line, lateMs)) };
};
const decide = async (run: Awaited<ReturnType<typeof lateBy>>, ...slos: string[]) => {
  const result = await summarize([run], { slos });
  return { ...result, ok: result.slos.map(({ ok }) => ok), notes: result.slos.map(({ note }) => note) };
};

group("a machine that was busy now and then", () => {
  test("does not make a run void whose objectives are far from their bounds", async () => {
    const { validity, ok, exitCode } = await decide(lateBy(14), "ttft_p95<800ms", "icl_p50<100ms");
    expect([validity.verdict, ok, exitCode]).toEqual(["VALID", [true, true], 0]);
    expect(validity.reasons).toEqual([
      expect.stringMatching(
        /^timer wake-ups of the load generator were late \(\d+ of \d+ more than 10 ms, max 14\.0 ms\): times measured then may be up to 42\.0 ms too long/,
      ),
    ]);
  });

  test("leaves an objective undecided whose bound is within the band, and says why", async () => {
    const { ok, notes, exitCode } = await decide(lateBy(14), "ttft_p50<100ms");
    expect([ok, exitCode]).toEqual([[null], 2]);
    expect(notes).toEqual(["0% to 100% exceed the bound, 50% may: the load generator was late"]);
  });

  test("still lets a target miss what it misses by more than that", async () => {
    const { ok, exitCode } = await decide(lateBy(14), "ttft_p50<50ms");
    expect([ok, exitCode]).toEqual([[false], 1]);
  });

  test("can only have made a time to first token longer: one below the bound is met, however near", async () => {
    const { ok, metrics } = await decide(lateBy(14), "ttft_p50<112ms");
    expect(ok).toEqual([true]);
    expect(metrics["ttft"]?.band?.high).toBeUndefined();
    expect(metrics["ttft"]?.band?.low?.p50).toBeCloseTo((metrics["ttft"]?.p50 ?? 0) - 42, 6);
  });

  test("can have made a gap longer or shorter", async () => {
    const { metrics } = await decide(lateBy(4));
    const { p50 = 0, band } = metrics["icl"] ?? {};
    expect(band?.low?.p50).toBeCloseTo(p50 - 6, 6);
    expect(band?.high?.p50).toBeCloseTo(p50 + 6, 6);
    expect((await decide(lateBy(4), "icl_p50<24ms", "icl_p50<28ms", "icl_p50<12ms")).ok).toEqual([null, true, false]);
  });
});

test("a stall of the load generator in one second does not spoil the figures of the others", async () => {
  const { records, client } = makeRun();
  const once = client.map((line, index) => (index === 12 ? withLateWakes(line, 90) : line));
  const { ok, metrics } = await decide({ records, client: once }, "ttft_p95<120ms", "ttft_p50>90ms");
  expect(ok).toEqual([true, true]);
  expect(metrics["ttft"]?.band?.low?.min).toBe(0);
});

group("goodput", () => {
  /** The gaps of the last second are 18 ms longer than those of the target. */
  const lateAtTheEnd = (record: RequestRecord, index: number): RequestRecord =>
    index < 540
      ? record
      : { ...record, gaps_us: (record.gaps_us ?? []).map((us, gap) => (gap === 8 ? us + 18_000 : us)) };
  const stalled = () => {
    const { records, client } = makeRun({ change: lateAtTheEnd });
    return { records, client: client.map((line, index) => (index >= 26 ? withLateWakes(line, 18) : line)) };
  };

  test("that the load generator's own stall took from the target is not missed", async () => {
    const { ok, metrics, exitCode } = await decide(stalled(), "icl<30ms", "goodput>=95%");
    expect(metrics["goodput_share"]?.value).toBeLessThan(0.9);
    expect(metrics["goodput_share"]?.band?.high?.value).toBe(1);
    expect([ok, exitCode]).toEqual([[null, null], 2]);
  });

  test("that is missed whatever the load generator did is missed", async () => {
    expect((await decide(stalled(), "icl<15ms", "goodput>=95%")).ok).toEqual([null, false]);
  });

  test("without an objective on it, the bound itself is undecided of the units that are too near", async () => {
    const { ok, notes } = await decide(stalled(), "icl<30ms");
    expect(ok).toEqual([null]);
    expect(notes[0]).toMatch(/; of 1\d\d requests the load generator was too late to say/);
  });
});

group("an interruption", () => {
  const stopped = (change: RunOptions["change"] = (record) => record) => {
    const { records, client } = makeRun({ change });
    return { records, client: withInterruption(client, 10.3, 1) };
  };
  const longGap = (record: RequestRecord, index: number): RequestRecord =>
    index === 205 ? { ...record, gaps_us: [1_100_000, ...(record.gaps_us ?? []).slice(1)] } : record;

  test("leaves the latencies that it touched open, and decides by the others", async () => {
    const { ok, validity } = await decide(stopped(longGap), "ttft_p50<200ms", "icl<1s", "icl_max<1s", "stall<1");
    expect(ok).toEqual([true, null, null, null]);
    expect(validity.verdict).toBe("VALID");
    expect(validity.reasons[0]).toMatch(/^the load generator did not run for 1\.0 s/);
  });

  test("of a process that ran all the time the same gap is the target's", async () => {
    expect((await decide(makeRun({ change: longGap }), "icl<1s", "icl_max<1s", "stall<1")).ok).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("after which the content of a stream came at once says nothing of its gaps", async () => {
    const buffered = (record: RequestRecord, index: number): RequestRecord =>
      index === 205 ? { ...record, flags: ["buffered"] } : record;
    expect((await decide(stopped(buffered), "icl<1s")).ok).toEqual([null]);
    expect((await decide(makeRun({ change: buffered }), "icl<1s")).ok).toEqual([false]);
  });

  test("that took requests of a rate leaves it open", async () => {
    const change = (record: RequestRecord, index: number): RequestRecord =>
      index >= 200 && index < 215 ? { ...record, outcome: "stalled" } : record;
    const slos = ["requests_per_s>=19.6"];
    expect((await decide(stopped(change), ...slos)).ok).toEqual([null]);
    expect((await decide(makeRun({ change }), ...slos)).ok).toEqual([false]);
  });
});
