/** What a load tells others while it runs, and what it reads of its target, compared with its own result. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import { type Ended, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { recordsOf, resultOf } from "../../support/results/read-results.ts";
import { CANARY, encodingsOf } from "../../support/secrets/secret-encodings.ts";
import { commandLines, filesBelow, leaksIn } from "../../support/secrets/secret-scan.ts";
import { type MetricsReceiver, startReceiver } from "../../support/targets/metrics-receiver.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";

/** Where nothing listens. */
const DEAD = "http://127.0.0.1:9";

/** So many requests are accepted by the receiver that fails during the run. */
const DIES_AFTER = 2;

const work = newFolder();
const folder = join(work, "out");
let mock: MockProcess;
let otlp: MetricsReceiver;
let ended: Ended;
let run: RunResult;
let records: readonly RequestRecord[];
let dashboard: { readonly url: string; readonly status: number };
const watched: string[] = [];

/** One run with every output. */
beforeAll(async () => {
  mock = await startMockProcess("--slots", "3,step=5ms", "--output-tokens", "10", "--metrics");
  otlp = await startReceiver((nth) => (nth < DIES_AFTER ? 200 : 503));
  mkdirSync(join(work, "there"));
  const outputs = ["web-dashboard", "csv=there/samples.csv", "json=there/samples.json", `prometheus=${DEAD}`];
  const flags = [
    ...["--rate", "50", "--duration", "3s", "--warmup", "1s", "--max-in-flight", "40", "--max-tokens", "10"],
    ...["--set", "no-default-slos", "--slo", "ok>=1", "--out", "out"],
    ...[...outputs, `otlp=${otlp.url}`].flatMap((output) => ["--output", output]),
    ...["--scrape", `mock=${mock.url}`, "--scrape", `gone=${DEAD}/metrics`, "--set", "scrape-interval=200ms"],
  ];
  const running = startAssay(
    ["load", "chat-stream", "--target", mock.url, ...flags],
    {
      K6_OUT: "json=elsewhere.json",
      K6_PROMETHEUS_RW_USERNAME: "writer",
      K6_PROMETHEUS_RW_PASSWORD: CANARY,
      K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s",
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${encodeURIComponent(CANARY)}`,
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
    },
    work,
  );
  const url = await running.until(/Dashboard until the end of the run: (http:\/\/127\.0\.0\.1:\d+);/);
  await running.until(/Cannot write to the output prometheus/);
  watched.push(...commandLines());
  dashboard = { url, status: (await fetch(`${url}/ui/`)).status };
  ended = await running.ended;
  run = resultOf(folder);
  records = recordsOf(folder);
});
afterAll(() => otlp?.close());

const measured = (record: RequestRecord): boolean => record.phase === "measure" && record.outcome === "ok";
const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
/** The files of k6 have six decimals of a millisecond, the records three. */
const micros = (values: readonly number[]): number[] => sorted(values.map((value) => Math.round(value * 1_000)));

test("the run is not changed by outputs and sources that fail", () => {
  expect([0, 2], ended.stderr).toContain(ended.code);
  expect(run.counts.offered).toBe(150);
  expect(ended.stderr).toContain("Not using K6_OUT: name outputs with --output");
  expect(existsSync(join(folder, "elsewhere.json"))).toBe(false);
});

test("a receiver that is down is said once at the start and once at the end", () => {
  const said = ended.stderr.split("\n").filter((line) => /he output prometheus=/.test(line));
  expect(said).toHaveLength(2);
  expect(said[0]).toMatch(/Cannot write to the output prometheus=\S+: .*refused.* The run goes on/);
  expect(said[1]).toMatch(/The output prometheus=\S+ failed \d+ times, so it may lack a part of the run/);
  expect(ended.stderr).not.toContain("k6 logged errors");
});

test("a receiver that fails during the run is said in the same way", () => {
  expect(otlp.received.length).toBeGreaterThan(DIES_AFTER);
  expect(ended.stderr).toMatch(
    /Cannot write to the output otlp=\S+: .*the receiver responded with 429, 502, 503 or 504/,
  );
  expect(ended.stderr).toMatch(/The output otlp=\S+ failed \d+ times?, so it may lack a part of the run/);
});

const samples = (metric: string): { readonly value: number; readonly tags: Readonly<Record<string, string>> }[] => {
  const point = z.object({
    type: z.literal("Point"),
    metric: z.literal(metric),
    data: z.object({ value: z.number(), tags: z.record(z.string(), z.string()) }),
  });
  return readFileSync(join(work, "there", "samples.json"), "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line === "") return [];
      const parsed = point.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data.data] : [];
    });
};

describe("the JSON output", () => {
  test.each([
    ["assay_ttft", "ttft"],
    ["assay_e2e", "e2e"],
    ["assay_ttft_scheduled", "ttft_scheduled"],
    ["assay_e2e_scheduled", "e2e_scheduled"],
  ] as const)("%s has the value of every record", (metric, member) => {
    const values = samples(metric).filter(({ tags }) => tags["phase"] === "measure");
    const { count = 0, notStarted = 0 } = run.metrics[member] ?? {};
    expect(values.length).toBe(count - notStarted);
    expect(micros(values.map(({ value }) => value))).toEqual(
      micros(records.filter(measured).map((record) => record[member] ?? Number.NaN)),
    );
  });

  test("counts outcomes and tokens as the result does, and tells runs apart", () => {
    const ok = samples("assay_outcomes").filter(({ tags }) => tags["phase"] === "measure" && tags["outcome"] === "ok");
    expect(ok).toHaveLength(run.ops["chat.stream"]?.calls.ok ?? 0);
    const all = samples("assay_outcomes").filter(({ tags }) => tags["phase"] === "measure");
    expect(all).toHaveLength(run.ops["chat.stream"]?.calls.total ?? 0);
    const tokens = samples("assay_output_tokens").filter(({ tags }) => tags["phase"] === "measure");
    const counted = records.filter(measured).reduce((sum, { output_tokens = 0 }) => sum + output_tokens, 0);
    expect(tokens.reduce((sum, { value }) => sum + value, 0)).toBe(counted);
    expect(new Set(all.map(({ tags }) => tags["testid"])).size).toBe(1);
  });

  test("has every gap where an output makes histograms of them, and the mean of each request in any case", () => {
    const means = samples("assay_icl_mean").filter(({ tags }) => tags["phase"] === "measure");
    const spread = records.filter((record) => measured(record) && !record.flags?.includes("buffered"));
    const gaps = samples("assay_icl").filter(({ tags }) => tags["phase"] === "measure");
    expect(gaps).toHaveLength(run.metrics["icl"]?.count ?? 0);
    expect(means).toHaveLength(spread.filter(({ gaps_us = [] }) => gaps_us.length > 0).length);
  });
});

test("the CSV output has the same counts", () => {
  const lines = readFileSync(join(work, "there", "samples.csv"), "utf8").split("\n");
  expect(lines[0]).toMatch(/^metric_name,timestamp,metric_value,/);
  const ok = lines.filter(
    (line) => line.startsWith("assay_outcomes,") && /phase=measure/.test(line) && /outcome=ok/.test(line),
  );
  expect(ok).toHaveLength(run.ops["chat.stream"]?.calls.ok ?? 0);
});

test("the dashboard is served on this machine only, and saved as a page that loads nothing", () => {
  expect(dashboard).toMatchObject({ status: 200, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  const page = readFileSync(join(folder, "web-dashboard.html"), "utf8");
  expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/);
  expect(page.length).toBeGreaterThan(10_000);
});

test("metrics are sent over OTLP while the load runs, with the headers of the standard variable", () => {
  expect(otlp.received.length).toBeGreaterThan(2);
  for (const { path, headers, body } of otlp.received) {
    expect([path, headers["x-key"], headers["content-type"]]).toEqual([
      "/v1/metrics",
      CANARY,
      "application/x-protobuf",
    ]);
    expect(body.includes("gen_ai.client.operation.duration")).toBe(true);
  }
  for (const name of ["time_to_first_chunk", "time_per_output_chunk"]) {
    expect(otlp.received.at(-1)?.body.includes(`gen_ai.client.operation.${name}`)).toBe(true);
  }
});

test("the target metrics are in the result, its maxima on the terminal, and its charts on the page", () => {
  const [own, gone] = run.targetMetrics ?? [];
  const queue = own?.series.find(({ role }) => role === "queue");
  expect(own).toMatchObject({ source: "mock", failures: 0 });
  expect(own?.series.map(({ role }) => role)).toEqual(["queue", "running", "cache"]);
  expect(own?.series.find(({ role }) => role === "running")?.max).toBe(3);
  expect(queue?.max).toBeGreaterThan(3);
  expect(queue?.points.length).toBe(queue?.count);
  expect(gone).toMatchObject({ source: "gone", series: [], reason: expect.stringContaining("ECONNREFUSED") });
  expect(gone?.failures).toBe(gone?.readings);
  expect(ended.stdout).toMatch(
    /target mock: waiting requests max \d+ at \d+ s, running requests max 3 .* cache usage max 100%/,
  );
  expect(ended.stderr.match(/Cannot read the target's metrics from/g)).toHaveLength(1);
  expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("Target: waiting and running requests");
});

test("no file, no line and no argument of a process contains the credentials of a receiver", () => {
  expect(leaksIn(Buffer.from(Object.values(encodingsOf(CANARY)).join(" ")), [CANARY])).not.toEqual([]);
  for (const { path, isFolder, mode } of filesBelow(work)) {
    if (isFolder) continue;
    expect([path, leaksIn(readFileSync(path), [CANARY])]).toEqual([path, []]);
    expect([path, mode]).toEqual([path, 0o600]);
  }
  expect(leaksIn(Buffer.from(ended.stdout + ended.stderr), [CANARY])).toEqual([]);
  expect(watched.filter((line) => leaksIn(Buffer.from(line), [CANARY]).length > 0)).toEqual([]);
  expect(watched.some((line) => line.includes("experimental-prometheus-rw"))).toBe(true);
});
