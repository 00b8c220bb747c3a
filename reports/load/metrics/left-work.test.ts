import { expect, describe as group, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { formatInstant, readInstant } from "../../../settings/instants.ts";
import { makeRun } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { leftInWords } from "./left-work.ts";

const SLOWER = 10;

/** Every fifth measured client leaves after half of its response, which takes about 3 s. */
function change(record: RequestRecord, index: number): RequestRecord {
  const { e2e = 0, phase } = record;
  const long: RequestRecord = { ...record, e2e: e2e * SLOWER };
  return phase === "measure" && index % 5 === 0
    ? { ...long, outcome: "left", leave: "50%", e2e: (e2e * SLOWER) / 2 }
    : long;
}

/** Two sources, each busy with the half of what is open and of what goes on for so long after its client left, and with others. */
function scrapes(records: readonly string[], goesOnMs: number, others = 0): string[] {
  const requests = records.slice(1).map((line): RequestRecord => JSON.parse(line));
  const start = readInstant(requests[0]?.sent ?? "");
  const sources = ["a", "b"].map((name) => ({ name, url: `http://${name}/metrics` }));
  const lines = Array.from({ length: 250 }, (_, nth) => {
    const at = start + nth * 130;
    const busy = requests.filter(({ sent, e2e = 0, outcome }) => {
      const from = readInstant(sent);
      return from <= at && at < from + e2e + (outcome === "left" ? goesOnMs : 0);
    }).length;
    const wobble = (nth * 7) % 3;
    return sources.map(({ name }, second) => ({
      ...{ at: formatInstant(at + 1), source: name, tookMs: 2 },
      values: {
        "vllm:num_requests_running": Math.floor((busy + second) / 2) + others + wobble,
        "vllm:num_requests_waiting": 1,
      },
    }));
  }).flat();
  return [{ schema: "assay.scrapes/1", intervalMs: 130, sources }, ...lines].map((line) => JSON.stringify(line));
}

async function leftOf(goesOnMs: number, others?: number): Promise<NonNullable<RunResult["left"]>> {
  const run = makeRun({ change, warmupS: 5 });
  const { left } = await summarize([{ ...run, scrapes: scrapes(run.records, goesOnMs, others) }]);
  if (left === undefined) throw new Error("no client left");
  return left;
}

group("the work of clients that left", () => {
  test.each([
    [700, 0],
    [1_400, 0],
    [1_400, 30],
  ])("that goes on for %i ms, beside %i other requests, is seen to", async (goesOnMs, others) => {
    const { work, asked, left } = await leftOf(goesOnMs, others);
    expect([asked, left]).toEqual([120, 120]);
    if ("notVisible" in work) throw new Error(work.notVisible);
    expect(work.low).toBeLessThan(goesOnMs / 1_000);
    expect(work.high).toBeGreaterThan(goesOnMs / 1_000);
    expect(work.high - work.low).toBeLessThan(0.6);
    expect(work.rest).toBeCloseTo(1.5, 0);
  });

  test("that stops is seen to stop", async () => {
    const left = await leftOf(0);
    expect(leftInWords(left)[1]).toMatch(
      /^work of clients that left stopped within 0\.\d+ s; the rest of their responses/,
    );
  });

  test("is not visible without readings, and without a warm-up to compare with", async () => {
    const run = makeRun({ change, warmupS: 0 });
    expect((await summarize([run])).left?.work).toEqual({
      notVisible: "no source of --scrape tells how many requests are running",
    });
    const { left } = await summarize([{ ...run, scrapes: scrapes(run.records, 0) }]);
    expect(left?.work).toEqual({
      notVisible: "the warm-up, in which no client leaves, has too few readings to compare with",
    });
  });
});

test("clients that left count in no error rate and in no latency that ends after they leave", async () => {
  const { counts, metrics, slos } = await summarize([makeRun({ change })], {
    slos: ["ttft<1s", "e2e<10s", "error_rate<5%", "e2e_p90<5s"],
  });
  expect(counts).toMatchObject({
    offered: 600,
    ok: 480,
    failed: 0,
    unfinished: 0,
    completed: 480,
    outcomes: { left: 120 },
  });
  expect(metrics["error_rate"]).toMatchObject({ value: 0, count: 480 });
  expect(metrics["goodput_share"]).toMatchObject({ value: 1, count: 480 });
  expect([metrics["ttft"]?.count, metrics["e2e"]?.count, metrics["tpot"]?.count]).toEqual([600, 480, 480]);
  expect(slos.map(({ ok }) => ok)).toEqual([true, true, true, true]);
});

test("a response that was complete before its client left counts in no latency that would favour short ones", async () => {
  const { counts, metrics } = await summarize([
    makeRun({
      change: (record, index) => (index % 5 === 0 ? { ...record, leave: index % 2 === 0 ? "50%" : "2s" } : record),
    }),
  ]);
  expect(counts).toMatchObject({ ok: 600, failed: 0 });
  expect([metrics["ttft"]?.count, metrics["e2e"]?.count, metrics["output_tokens"]?.count]).toEqual([540, 480, 600]);
});
