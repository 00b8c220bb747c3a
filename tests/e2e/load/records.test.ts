/**
 * The metrics of a run, computed again from its records in the simplest way and without code of `reports/`: every
 * percentile must be exactly the same number.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { unspoiled } from "../../support/commands/busy-machine.ts";
import { loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

/** Requests of the measured phase. */
const measuredIn = (folders: readonly string[]): RequestRecord[] =>
  folders.flatMap(recordsOf).filter(({ phase }) => phase === "measure");

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The content of a buffered stream came at once: its gaps say nothing. */
const isBuffered = ({ flags = [] }: RequestRecord): boolean => flags.includes("buffered");
const pacedGaps = (line: RequestRecord): readonly number[] => (isBuffered(line) ? [] : (line.gaps_us ?? []));

/** Values of a metric in one request, by its definition. */
const VALUES: Readonly<Record<string, (line: RequestRecord) => readonly (number | undefined)[]>> = {
  ttft: ({ ttft }) => [ttft],
  ttft_scheduled: ({ ttft_scheduled }) => [ttft_scheduled],
  icl: (line) => pacedGaps(line).map((us) => us / 1_000),
  tpot: (line) => {
    const gaps = pacedGaps(line);
    const { output_tokens = 0 } = line;
    return gaps.length > 0 && output_tokens > 1 ? [sum(gaps) / 1_000 / (output_tokens - 1)] : [];
  },
  ttfb: ({ ttfb }) => [ttfb],
  e2e: ({ e2e }) => [e2e],
  e2e_scheduled: ({ e2e_scheduled }) => [e2e_scheduled],
  slot_wait: ({ slot_wait }) => [slot_wait],
  schedule_lag: ({ lag }) => [lag],
};
const OF_ALL_OUTCOMES = ["slot_wait", "schedule_lag"];

/** Each percentile in per mille, and the smallest sample for which it is reported. */
const PERCENTILES = {
  p50: [500, 20],
  p90: [900, 100],
  p95: [950, 200],
  p99: [990, 1_000],
  p999: [999, 10_000],
} as const;

function expectedMetric(name: string, lines: readonly RequestRecord[]): Record<string, number> {
  const counted = OF_ALL_OUTCOMES.includes(name) ? lines : lines.filter(({ outcome }) => outcome === "ok");
  const values = counted.flatMap((line) => VALUES[name]?.(line) ?? []).filter((value) => value !== undefined);
  const sorted = values.sort((a, b) => a - b);
  // Gaps of one request are alike, so requests are counted.
  const requests = counted.filter((line) => pacedGaps(line).length > 0).length;
  const independent = name === "icl" ? requests : sorted.length;
  const ranked = Object.entries(PERCENTILES)
    .filter(([, [, minSamples]]) => independent >= minSamples)
    .map(
      ([key, [perMille]]) => [key, sorted[Math.ceil((sorted.length * perMille) / 1_000) - 1] ?? Number.NaN] as const,
    );
  return { count: sorted.length, min: sorted[0] ?? 0, ...Object.fromEntries(ranked), max: sorted.at(-1) ?? 0 };
}

let target = "";
/** Poisson arrivals of streams of every length, some of which pause for two seconds or end in an error. */
async function load(segment: string, ...flags: readonly string[]): Promise<string> {
  const shape = ["--rate", "300", "--arrival", "poisson", "--duration", "8s", "--warmup", "1s", "--segment", segment];
  return (await loadToEnd("chat-stream", target, [...shape, ...flags])).folder;
}

async function merged(...folders: readonly string[]): Promise<RunResult> {
  const folder = newFolder();
  const { code, stderr } = await assay(["report", ...folders, "--out", folder, "--format", "json"]);
  expect(code, stderr).not.toBe(3);
  return resultOf(folder);
}

let first = "";
let second = "";
let summary = "";
beforeAll(async () => {
  const timing = ["--ttft", "lognormal:40ms,0.5", "--itl", "gamma:8ms,0.5", "--output-tokens", "lognormal:15,0.5"];
  const faults = ["--fault", "stream-error-frame@every:12", "--fault", "stream-pause@every:35"];
  target = (await startMockProcess(...timing, ...faults)).url;
  // Again, as long as the machine of the tests was too busy to start all of them.
  [first, second, summary] = await unspoiled(
    () => Promise.all([load("1/3"), load("2/3"), load("3/3", "--records", "summary")]),
    (folders) => {
      const missing = folders.map((folder) => resultOf(folder).counts.not_started);
      return missing.some((count) => count > 0) ? `not started in the three loads: ${missing.join(", ")}` : undefined;
    },
  );
});

describe.each(["one shard", "two merged shards"])("in %s", (which) => {
  let run: RunResult;
  let lines: RequestRecord[];
  beforeAll(async () => {
    const folders = which === "one shard" ? [first] : [first, second];
    run = folders.length === 1 ? resultOf(first) : await merged(...folders);
    lines = measuredIn(folders);
  });

  test.each(Object.keys(VALUES))("every percentile of %s is exact", (name) => {
    expect(run.metrics[name]).toMatchObject(expectedMetric(name, lines));
  });

  test("the sample has errors, stalls and enough gaps for the high percentiles", () => {
    expect(lines.filter(({ outcome }) => outcome !== "ok").length).toBeGreaterThan(10);
    expect(run.metrics["icl"]?.max).toBeGreaterThan(2_000);
    expect(run.metrics["stall"]?.value).toBe(
      lines.filter(({ outcome }) => outcome === "ok").flatMap(({ gaps_us = [] }) => gaps_us.filter((us) => us > 1e6))
        .length,
    );
    if (which !== "one shard") {
      expect(run.metrics["icl"]?.p99).toBeDefined();
      expect(run.metrics["ttft"]?.p99).toBeDefined();
    }
  });
});

describe("in records without gaps", () => {
  const okIn = (folder: string): RequestRecord[] => measuredIn([folder]).filter(({ outcome }) => outcome === "ok");

  test("every percentile except those of gaps is exact", () => {
    const run = resultOf(summary);
    const lines = measuredIn([summary]);
    for (const name of Object.keys(VALUES).filter((name) => name !== "icl" && name !== "tpot")) {
      expect(run.metrics[name]).toMatchObject(expectedMetric(name, lines));
    }
  });

  test("the histogram has all gaps, and their mean is within its error", () => {
    const { metrics, validity } = resultOf(summary);
    const lines = okIn(summary).filter((line) => !isBuffered(line));
    const count = sum(lines.map(({ chunks = 1 }) => chunks - 1));
    const mean = sum(lines.map(({ ttft = 0, ttlt = 0 }) => ttlt - ttft)) / count;
    expect(lines.some(({ gaps_us }) => gaps_us !== undefined)).toBe(false);
    expect(metrics["icl"]).toMatchObject({ count, error: 0.0005 });
    expect(Math.abs((metrics["icl"]?.mean ?? 0) / mean - 1)).toBeLessThanOrEqual(0.0005);
    expect(metrics["stall"]?.value).toBe(sum(lines.map(({ gaps_over_us }) => gaps_over_us?.["1000000"] ?? Number.NaN)));
    expect(validity.verdict).not.toBe("INVALID");
    expect(readFileSync(join(summary, "run.md"), "utf8")).toMatch(
      /icl: from .* requests; from a histogram, within ±0\.05%\./,
    );
  });

  test("they can be merged with records that list the gaps", async () => {
    const [full, short, both] = [resultOf(first), resultOf(summary), await merged(first, summary)];
    for (const name of ["icl", "ttft", "stall", "tpot"]) {
      expect(both.metrics[name]?.count).toBe((full.metrics[name]?.count ?? 0) + (short.metrics[name]?.count ?? 0));
    }
    expect(both.metrics["stall"]?.value).toBe(
      (full.metrics["stall"]?.value ?? 0) + (short.metrics["stall"]?.value ?? 0),
    );
    expect(both.metrics["icl"]).toMatchObject({
      error: 0.0005,
      max: Math.max(full.metrics["icl"]?.max ?? 0, short.metrics["icl"]?.max ?? 0),
    });
  });
});
