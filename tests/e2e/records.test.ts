/**
 * The figures of a run, graded by its own records: the naive way to every percentile, which shares nothing with
 * `reports/`, must lead to the same number, to the last digit.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunResult } from "../../formats/run.ts";
import { assay, newFolder } from "../support/assay-process.ts";
import { resultOf } from "../support/result-files.ts";
import { startMockProcess } from "../support/spawned-mock.ts";

const number = z.number().optional();
const lineOf = z.object({
  op: z.string(),
  phase: z.string(),
  outcome: z.string(),
  ttfb: number,
  ttft: number,
  ttft_scheduled: number,
  e2e: number,
  e2e_scheduled: number,
  slot_wait: number,
  lag: number,
  chunks: number,
  ttlt: number,
  gaps_us: z.array(z.number()).optional(),
  gaps_over_us: z.record(z.string(), z.number()).optional(),
  output_tokens: number,
});
type Line = z.infer<typeof lineOf>;

/** Requests of the measured phase, straight from the files. */
const measuredIn = (folders: readonly string[]): Line[] =>
  folders.flatMap((folder) =>
    readFileSync(join(folder, "records.jsonl"), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .filter((line) => !line.startsWith('{"gaps":'))
      .map((line) => lineOf.parse(JSON.parse(line)))
      .filter(({ phase }) => phase === "measure"),
  );

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Values of a metric in one request, by its definition. */
const VALUES: Readonly<Record<string, (line: Line) => readonly (number | undefined)[]>> = {
  ttft: ({ ttft }) => [ttft],
  ttft_scheduled: ({ ttft_scheduled }) => [ttft_scheduled],
  icl: ({ gaps_us = [] }) => gaps_us.map((us) => us / 1_000),
  tpot: ({ gaps_us = [], output_tokens = 0 }) =>
    gaps_us.length > 0 && output_tokens > 1 ? [sum(gaps_us) / 1_000 / (output_tokens - 1)] : [],
  ttfb: ({ ttfb }) => [ttfb],
  e2e: ({ e2e }) => [e2e],
  e2e_scheduled: ({ e2e_scheduled }) => [e2e_scheduled],
  slot_wait: ({ slot_wait }) => [slot_wait],
  schedule_lag: ({ lag }) => [lag],
};
const OVER_ALL = ["slot_wait", "schedule_lag"];

/** Per mille of each percentile, and the least sample that it is given for. */
const PERCENTILES = {
  p50: [500, 20],
  p90: [900, 100],
  p95: [950, 200],
  p99: [990, 1_000],
  p999: [999, 10_000],
} as const;

function naive(name: string, lines: readonly Line[]): Record<string, number> {
  const counted = OVER_ALL.includes(name) ? lines : lines.filter(({ outcome }) => outcome === "ok");
  const values = counted.flatMap((line) => VALUES[name]?.(line) ?? []).filter((value) => value !== undefined);
  const sorted = values.sort((a, b) => a - b);
  const ranked = Object.entries(PERCENTILES)
    .filter(([, [, least]]) => sorted.length >= least)
    .map(
      ([key, [perMille]]) => [key, sorted[Math.ceil((sorted.length * perMille) / 1_000) - 1] ?? Number.NaN] as const,
    );
  return { count: sorted.length, min: sorted[0] ?? 0, ...Object.fromEntries(ranked), max: sorted.at(-1) ?? 0 };
}

let target = "";
/** Poisson arrivals of streams of every length, some of which pause for two seconds or end in an error. */
async function load(segment: string, ...flags: readonly string[]): Promise<string> {
  const folder = newFolder();
  const shape = ["--rate", "300", "--arrival", "poisson", "--duration", "6s", "--warmup", "1s", "--segment", segment];
  const { code, stderr } = await assay([
    "load",
    "chat-stream",
    "--target",
    target,
    "--out",
    folder,
    ...shape,
    ...flags,
  ]);
  expect(code, stderr).not.toBe(3);
  return folder;
}

async function merged(...folders: readonly string[]): Promise<RunResult> {
  const folder = newFolder();
  const { code, stderr } = await assay(["report", ...folders, "--out", folder, "--format", "json"]);
  expect(code, stderr).not.toBe(3);
  return resultOf(folder);
}

let first = "";
let second = "";
let brief = "";
beforeAll(async () => {
  const timing = ["--ttft", "lognormal:40ms,0.5", "--itl", "gamma:8ms,0.5", "--output-tokens", "lognormal:15,0.5"];
  const faults = ["--fault", "stream-error-frame@every:12", "--fault", "stream-pause@every:35"];
  target = (await startMockProcess(...timing, ...faults)).url;
  [first, second, brief] = await Promise.all([load("1/3"), load("2/3"), load("3/3", "--records", "summary")]);
});

describe.each(["one shard", "two shards together"])("of %s", (which) => {
  let run: RunResult;
  let lines: Line[];
  beforeAll(async () => {
    const folders = which === "one shard" ? [first] : [first, second];
    run = folders.length === 1 ? resultOf(first) : await merged(...folders);
    lines = measuredIn(folders);
  });

  test.each(Object.keys(VALUES))("every percentile of %s is the naive one", (name) => {
    expect(run.metrics[name]).toMatchObject(naive(name, lines));
  });

  test("there is something to be wrong about", () => {
    expect(lines.filter(({ outcome }) => outcome !== "ok").length).toBeGreaterThan(10);
    expect(run.metrics["icl"]?.max).toBeGreaterThan(2_000);
    expect(run.metrics["stall"]?.value).toBe(
      lines.filter(({ outcome }) => outcome === "ok").flatMap(({ gaps_us = [] }) => gaps_us.filter((us) => us > 1e6))
        .length,
    );
    if (which !== "one shard") {
      expect(run.metrics["icl"]?.p999).toBeDefined();
      expect(run.metrics["ttft"]?.p99).toBeDefined();
    }
  });
});

describe("of records without their gaps", () => {
  const okIn = (folder: string): Line[] => measuredIn([folder]).filter(({ outcome }) => outcome === "ok");

  test("every percentile but that of gaps is the naive one", () => {
    const run = resultOf(brief);
    const lines = measuredIn([brief]);
    for (const name of Object.keys(VALUES).filter((name) => name !== "icl" && name !== "tpot")) {
      expect(run.metrics[name]).toMatchObject(naive(name, lines));
    }
  });

  test("the gaps are all in the histogram, and their mean is within its error", () => {
    const { metrics, validity } = resultOf(brief);
    const lines = okIn(brief);
    const count = sum(lines.map(({ chunks = 1 }) => chunks - 1));
    const mean = sum(lines.map(({ ttft = 0, ttlt = 0 }) => ttlt - ttft)) / count;
    expect(lines.some(({ gaps_us }) => gaps_us !== undefined)).toBe(false);
    expect(metrics["icl"]).toMatchObject({ count, error: 0.0005 });
    expect(Math.abs((metrics["icl"]?.mean ?? 0) / mean - 1)).toBeLessThanOrEqual(0.0005);
    expect(metrics["stall"]?.value).toBe(sum(lines.map(({ gaps_over_us }) => gaps_over_us?.["1000000"] ?? Number.NaN)));
    expect(validity.verdict).not.toBe("INVALID");
    expect(readFileSync(join(brief, "run.md"), "utf8")).toContain("icl: gaps from a histogram, within 0.05 %.");
  });

  test("they merge with records that list theirs", async () => {
    const [full, summary, both] = [resultOf(first), resultOf(brief), await merged(first, brief)];
    for (const name of ["icl", "ttft", "stall", "tpot"]) {
      expect(both.metrics[name]?.count).toBe((full.metrics[name]?.count ?? 0) + (summary.metrics[name]?.count ?? 0));
    }
    expect(both.metrics["stall"]?.value).toBe(
      (full.metrics["stall"]?.value ?? 0) + (summary.metrics["stall"]?.value ?? 0),
    );
    expect(both.metrics["icl"]).toMatchObject({
      error: 0.0005,
      max: Math.max(full.metrics["icl"]?.max ?? 0, summary.metrics["icl"]?.max ?? 0),
    });
  });
});
