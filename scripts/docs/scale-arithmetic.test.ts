import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { summarize } from "../../tests/support/results/summarize-run.ts";
import { MEASURED, scaleOf } from "./scale-arithmetic.ts";

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

test("what was measured is what the pages of the measurements say", () => {
  const { streams, cpuPerChunkUs, memoryMbPerStream, recordBytes, gapBytes, chunksPerS } = MEASURED;
  const row = new RegExp(`\\| ${streams.value} \\|.*\\| ${cpuPerChunkUs.value} \\| ${memoryMbPerStream.value} \\|`);
  expect(page("accuracy")).toMatch(row);
  const [, summary = ""] =
    /streams of 100 chunks take [\d.]+ GB with `full` and ([\d.]+) GB with `summary`/.exec(page("file-formats")) ?? [];
  expect(recordBytes.value).toBe(Number(summary) * 1_000);
  // As it is written in `gaps_us`.
  expect(gapBytes.value).toBe(`${1e6 / chunksPerS.value},`.length);
});

test("ten thousand streams, worked out by hand", () => {
  // 67% of 800 streams are 536 per runner: 10,000 / 536 = 18.7.
  expect(scaleOf(10_000)).toMatchObject({ runners: 19, streamsPerRunner: 527, memoryGib: 38, addresses: 1 });
  const { gbitPerS, records, fullGb, summaryGb, coresForChunks } = scaleOf(10_000);
  expect(gbitPerS).toBeCloseTo((10_000 * 50 * 269 * 8) / 1e9, 9);
  expect(coresForChunks).toBeCloseTo(7.05, 6);
  // Of TLS: 22 bytes and 3.3 µs per chunk. 38 cores for a sixth of an hour, at 0.05 USD.
  const { tlsGbitPerS, tlsCoresForChunks, usd } = scaleOf(10_000);
  expect(tlsGbitPerS - gbitPerS).toBeCloseTo((10_000 * 50 * 22 * 8) / 1e9, 9);
  expect(tlsCoresForChunks).toBeCloseTo(8.7, 6);
  expect(usd).toBeCloseTo(0.3167, 3);
  expect(records).toBe(600_000);
  expect(summaryGb).toBeCloseTo(0.318, 6);
  expect(fullGb).toBeCloseTo(0.6e6 * 3.53e-6, 6);
});

describe("clocks that differ", () => {
  const SKEW_S = 0.2;
  const merged = (laterS: number) => summarize([makeRun({ segment: "0:1/2" }), makeRun({ segment: "1/2:1", laterS })]);

  test("change no latency, wait, count or share, and rates by no more than their part of the window", async () => {
    const [together, apart] = [await merged(0), await merged(SKEW_S)];
    // Which requests follow each other is another with other clocks, and with it how alike those are that are close in time.
    for (const [name, { value, unit, intervals: _, independent: __, ...expected }] of Object.entries(
      together.metrics,
    )) {
      if (unit === "1/s") {
        const change = 1 - (apart.metrics[name]?.value ?? 0) / (value ?? 1);
        expect(Math.abs(change), name).toBeLessThanOrEqual(SKEW_S / together.durationS);
      } else
        expect({ name, ...apart.metrics[name] }).toMatchObject({
          name,
          ...expected,
          ...(value !== undefined && { value }),
        });
    }
    expect(apart.counts).toEqual(together.counts);
    expect(apart.durationS).toBeCloseTo(together.durationS + SKEW_S, 6);
  });
});
