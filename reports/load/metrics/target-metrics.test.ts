import { expect, test } from "vitest";
import { formatInstant } from "../../../settings/instants.ts";
import { KNOWN_SERVERS, namesBefore, ROLE_NAMES, roleOf } from "./known-series.ts";
import { targetMetricsOf } from "./target-metrics.ts";

const START = Date.UTC(2026, 0, 2);
const header = JSON.stringify({
  schema: "assay.scrapes/1",
  intervalMs: 1_000,
  sources: [{ name: "a", url: "http://a/metrics" }],
});
const reading = (second: number, values: Readonly<Record<string, number>>, source = "a"): string =>
  JSON.stringify({ at: formatInstant(START + second * 1_000), source, tookMs: 1, values });
const summary = async (...lines: string[]) => (await targetMetricsOf([[header, ...lines]], START))?.[0];

test("gauges of several ranks are one series, and of two names of one gauge the first counts", async () => {
  const result = await summary(
    reading(0, { 'vllm:num_requests_waiting{engine="0"}': 1, 'vllm:num_requests_waiting{engine="1"}': 2 }),
    reading(1, { 'vllm:num_requests_waiting{engine="0"}': 5, 'vllm:kv_cache_usage_perc{e="0"}': 0.25 }),
    reading(2, { "vllm:kv_cache_usage_perc": 0.5, "vllm:gpu_cache_usage_perc": 0.9, other: 7 }),
  );
  expect(result).toEqual({
    source: "a",
    url: "http://a/metrics",
    readings: 3,
    failures: 0,
    series: [
      {
        name: "queue",
        role: "queue",
        count: 2,
        mean: 4,
        max: 5,
        maxAtS: 1,
        points: [
          [0, 3],
          [1, 5],
        ],
      },
      {
        name: "cache",
        role: "cache",
        count: 2,
        mean: 0.375,
        max: 0.5,
        maxAtS: 2,
        points: [
          [1, 0.25],
          [2, 0.5],
        ],
      },
      { name: "other", count: 1, mean: 7, max: 7, maxAtS: 2, points: [[2, 7]] },
    ],
  });
});

test("a failed reading is counted with the first reason", async () => {
  const failed = (error: string) => JSON.stringify({ at: formatInstant(START), source: "a", tookMs: 1, error });
  expect(await summary(failed("refused"), failed("late"), reading(0, {}))).toMatchObject({
    readings: 3,
    failures: 2,
    reason: "refused",
    series: [],
  });
});

test("a long run keeps its largest values, and the shards of a run are one", async () => {
  const lines = Array.from({ length: 1_000 }, (_, second) =>
    reading(second, { tgi_queue_size: second === 777 ? 50 : 1 }),
  );
  const both = await targetMetricsOf(
    [
      [header, ...lines.slice(500)],
      [header, ...lines.slice(0, 500)],
    ],
    START,
  );
  const queue = both?.[0]?.series[0];
  expect(queue).toMatchObject({ count: 1_000, max: 50, maxAtS: 777 });
  expect(queue?.points.length).toBeLessThanOrEqual(240);
  expect(queue?.points).toContainEqual([777, 50]);
});

test("of series of no known gauge the first 24 are kept, and how many there were beyond is said", async () => {
  const given = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`other_${index}`, index]));
  const readings = [0, 1, 2].map((second) => reading(second, { ...given, tgi_queue_size: 1 }));
  const { dropped, series = [] } = (await summary(...readings)) ?? {};
  expect({ dropped, kept: series.length }).toEqual({ dropped: 2, kept: 25 });
});

test("lines that cannot be read, and sources that the file does not name, are left out", async () => {
  expect(await summary("{", "[]", '{"at":1}', reading(1, { up: 1 }, "unknown"))).toMatchObject({ readings: 0 });
  expect(await targetMetricsOf([[], ["{"]], START)).toBeUndefined();
  expect(await summary(JSON.stringify({ at: "never", source: "a", tookMs: 1, values: { up: 1 } }))).toMatchObject({
    series: [],
  });
});

test("every known name belongs to one gauge", () => {
  const names = KNOWN_SERVERS.flatMap(({ gauges }) => ROLE_NAMES.flatMap((role) => gauges[role] ?? []));
  expect(new Set(names).size).toBe(names.length);
  expect(names.map(roleOf)).not.toContain(undefined);
  expect(namesBefore("vllm:gpu_cache_usage_perc")).toEqual(["vllm:kv_cache_usage_perc"]);
  expect(namesBefore("up")).toEqual([]);
});

test("numbers whose sum no number holds have a mean all the same, and a series of them leaves no gap in the report", async () => {
  const huge = { 'vllm:num_requests_waiting{engine="0"}': 1e308, 'vllm:num_requests_waiting{engine="1"}': 1e308 };
  const result = await summary(reading(0, { ...huge, other: 1e308 }), reading(1, { other: 1e308 }));
  expect(result?.series).toEqual([
    {
      name: "other",
      count: 2,
      mean: 1e308,
      max: 1e308,
      maxAtS: 0,
      points: [
        [0, 1e308],
        [1, 1e308],
      ],
    },
  ]);
});
