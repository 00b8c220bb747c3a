/**
 * A Prometheus receives the metrics of a load, and the decoder of the OpenTelemetry Collector reads those that were sent over
 * OTLP: both have the counts of its result exactly and its quantiles within a bucket.
 */

import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { RunResult } from "../../formats/run.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import { newFolder } from "../support/commands/assay-process.ts";
import { FEW_UNITS, loadToEnd } from "../support/commands/load-to-end.ts";
import { buildGoProgram } from "../support/go-program.ts";
import { closed, listenOnLoopback } from "../support/targets/loopback-server.ts";
import { type MetricsReceiver, startReceiver } from "../support/targets/metrics-receiver.ts";
import { startMockProcess } from "../support/targets/spawned-mock.ts";

const PASSWORD = "canary-password-6e1f";
/** bcrypt of the password. */
const HASH = "$2a$04$pj2N3g58S2UqJiiv8cAnv.LBuIhxaXuAQjS5.AIQ0F5rkNFO6RcJS";
const AUTHORIZATION = `Basic ${Buffer.from(`writer:${PASSWORD}`).toString("base64")}`;

const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

async function freePort(): Promise<string> {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  await closed(server);
  return port;
}

/** Starts a server that is ended after the tests; what it logs is shown where the tests are. */
function start(command: string, args: readonly string[]): void {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  ends.push(() => {
    child.kill("SIGTERM");
    return ended;
  });
}

const responds = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> =>
  vi.waitFor(async () => expect((await fetch(url, { headers })).status).toBeLessThan(500), {
    timeout: 60_000,
    interval: 100,
  });

async function startPrometheus(): Promise<string> {
  const folder = newFolder();
  const port = await freePort();
  writeFileSync(join(folder, "prometheus.yml"), "global: {}\n");
  writeFileSync(join(folder, "web.yml"), `basic_auth_users: { writer: '${HASH}' }\n`);
  start("prometheus", [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--web.config.file=${join(folder, "web.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--web.enable-remote-write-receiver",
    "--enable-feature=native-histograms",
  ]);
  const url = `http://127.0.0.1:${port}`;
  await responds(`${url}/-/ready`, { authorization: AUTHORIZATION });
  return url;
}

let prometheus: string;
let result: RunResult;
let sink: MetricsReceiver;
/** What it received, decoded. */
let received: readonly string[];

beforeAll(async () => {
  sink = await startReceiver();
  ends.push(sink.close);
  const [url, decoder, mock] = await Promise.all([
    startPrometheus(),
    buildGoProgram("otlp-decoder", newFolder()),
    startMockProcess("--ttft", "lognormal:60ms,0.5", "--itl", "lognormal:15ms,0.3", "--fault", "all-500@every:7"),
  ]);
  prometheus = url;
  const shape = ["--rate", "40", "--duration", "8s", "--warmup", "1s", "--max-in-flight", "1000"];
  const outputs = ["--output", `prometheus=${url}`, "--output", `otlp=${sink.url}`];
  const loaded = await loadToEnd("mixed", mock.url, [...FEW_UNITS, ...shape, ...outputs], {
    K6_PROMETHEUS_RW_USERNAME: "writer",
    K6_PROMETHEUS_RW_PASSWORD: PASSWORD,
    K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
  });
  expect(loaded.stderr).not.toContain("Cannot write to the output");
  result = loaded.run;
  received = sink.received.map(({ body }) => execFileSync(decoder, { input: body, encoding: "utf8" }));
}, 600_000);

const dashboard = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });

/** The expressions of a dashboard of docs/grafana/, for all runs. */
function panelsOf(name: string): readonly string[] {
  const file = fileURLToPath(new URL(`../../docs/grafana/${name}.json`, import.meta.url));
  const { panels } = dashboard.parse(JSON.parse(readFileSync(file, "utf8")));
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll("$run", ".*")));
}

const OPS = ["chat.stream", "chat", "embeddings"] as const;
const metricOf = (op: string, name: string): MetricResult => {
  const found = result.ops[op]?.metrics[name];
  if (found === undefined) throw new Error(`The run has no ${name} of ${op}.`);
  return found;
};

/** Compares a sum in seconds with a mean in milliseconds, whose values are rounded to a microsecond. */
const expectSum = (seconds: number, meanMs: number, count: number): void =>
  expect(Math.abs(seconds * 1_000 - meanMs * count), `${seconds} s`).toBeLessThanOrEqual(count / 1_000);

describe("Prometheus", () => {
  const response = z.object({
    status: z.literal("success"),
    data: z.object({
      result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
    }),
  });

  async function query(expression: string): Promise<number[]> {
    const found = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`, {
      headers: { authorization: AUTHORIZATION },
    });
    return response.parse(await found.json()).data.result.map(({ value }) => Number(value[1]));
  }
  const one = async (expression: string): Promise<number> => (await query(expression))[0] ?? Number.NaN;

  test.each(OPS)("has every outcome of %s as often as the result", async (op) => {
    const outcomes = result.ops[op]?.calls.outcomes ?? {};
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(["ok", "http_error"]));
    for (const [outcome, count] of Object.entries(outcomes)) {
      expect(await one(`sum(k6_assay_outcomes_total{phase="measure",op="${op}",outcome="${outcome}"})`), outcome).toBe(
        count,
      );
    }
  });

  test.each([
    ["chat.stream", "ttft"],
    ["chat.stream", "ttft_scheduled"],
    ["chat.stream", "icl"],
    ["chat.stream", "tpot"],
    ["chat", "e2e"],
    ["embeddings", "e2e_scheduled"],
  ])("has %s's %s as a histogram with the same count and sum, and quantiles within a bucket", async (op, name) => {
    const { count, mean = Number.NaN, p50 = Number.NaN, p90 } = metricOf(op, name);
    const series = `sum(k6_assay_${name}_seconds{phase="measure",op="${op}"})`;
    expect(await one(`histogram_count(${series})`)).toBe(count);
    expectSum(await one(`histogram_sum(${series})`), mean, count);
    for (const [share, value] of [
      [0.5, p50],
      [0.9, p90],
    ] as const) {
      if (value === undefined) continue;
      // Bounds of buckets are a factor of 2^(1/8) apart.
      const quantile = (await one(`histogram_quantile(${share}, ${series})`)) * 1_000;
      expect(Math.abs(Math.log2(quantile / value)), `p${share * 100}`).toBeLessThanOrEqual(1 / 8);
    }
  });

  test("has what each panel of its dashboard asks for", async () => {
    // Whenever it was within the last minutes: the rates of a dashboard are those of a minute.
    for (const expr of panelsOf("assay-prometheus")) {
      expect(await one(`count(max_over_time((${expr})[10m:1s]))`), expr).toBeGreaterThan(0);
    }
  });

  test("reads each expression of the dashboard for OTLP", async () => {
    for (const expr of panelsOf("assay-otlp")) expect(await query(expr), expr).toEqual([]);
  });

  test("has the tokens, and one run only", async () => {
    const { count, mean = Number.NaN } = metricOf("chat.stream", "output_tokens");
    const tokens = 'k6_assay_output_tokens_total{phase="measure",op="chat.stream"}';
    expect(await one(`sum(${tokens})`)).toBeCloseTo(mean * count, 6);
    expect(await query(`count by (testid) (${tokens})`)).toHaveLength(1);
  });
});

const attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.union([z.string(), z.number()]).optional() }),
});
const point = z.object({
  attributes: z.array(attribute).default([]),
  count: z.coerce.number().default(0),
  sum: z.number().default(0),
  bucketCounts: z.array(z.coerce.number()).default([]),
  explicitBounds: z.array(z.number()).default([]),
  asInt: z.coerce.number().optional(),
});
const points = z.object({ dataPoints: z.array(point) });
const metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({ name: z.string(), unit: z.string(), histogram: points.optional(), sum: points.optional() }),
          ),
        }),
      ),
    }),
  ),
});

describe("the decoder of the OpenTelemetry Collector", () => {
  type Attributes = Readonly<Record<string, string>>;
  const attributesOf = (given: z.infer<typeof attribute>[]): Attributes =>
    Object.fromEntries(given.map(({ key, value }) => [key, value.stringValue ?? String(value.intValue)]));

  /** The data points of a metric in the last export, which has the totals. */
  function pointsOf(name: string, wanted: Attributes, without?: string) {
    const last = metrics.parse(JSON.parse(received.at(-1) ?? "{}"));
    const all = last.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const found = all.find((metric) => metric.name === name);
    const given = (found?.histogram ?? found?.sum)?.dataPoints ?? [];
    const chosen = given.filter(({ attributes }) => {
      const own = attributesOf(attributes);
      return (
        Object.entries(wanted).every(([key, value]) => own[key] === value) && !(without !== undefined && without in own)
      );
    });
    return { unit: found?.unit, points: chosen };
  }
  const total = (given: readonly { readonly count: number }[]): number =>
    given.reduce((sum, { count }) => sum + count, 0);

  test("reads several exports, sent as the protocol says, which name the run, the target and the model", () => {
    expect(received.length).toBeGreaterThan(3);
    for (const { path, headers } of sink.received) {
      expect([path, headers["content-type"], headers["content-encoding"]]).toEqual([
        "/v1/metrics",
        "application/x-protobuf",
        undefined,
      ]);
    }
    const [run] = metrics.parse(JSON.parse(received.at(-1) ?? "{}")).resourceMetrics;
    expect(attributesOf(run?.resource.attributes ?? [])).toMatchObject({
      "service.name": "assay",
      "service.instance.id": expect.stringMatching(/^mixed-/),
    });
    const { points: some, unit } = pointsOf("gen_ai.client.operation.duration", { "assay.op": "chat.stream" });
    expect(unit).toBe("s");
    expect(attributesOf(some[0]?.attributes ?? [])).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "model-inference-service",
      "gen_ai.request.model": "assay-chat",
      "server.address": "127.0.0.1",
      "server.port": new URL(result.target).port,
    });
  });

  test.each(OPS)("has every request of %s, with its error", (op) => {
    const { ok = 0, total: all = 0, outcomes = {} } = result.ops[op]?.calls ?? {};
    const wanted = { "assay.op": op, "assay.phase": "measure" };
    const name = "gen_ai.client.operation.duration";
    expect(total(pointsOf(name, wanted).points)).toBe(all);
    expect(total(pointsOf(name, wanted, "error.type").points)).toBe(ok);
    expect(total(pointsOf(name, { ...wanted, "error.type": "500" }).points)).toBe(outcomes["http_error"]);
    const counted = pointsOf("assay.requests", { ...wanted, "assay.outcome": "ok" }).points;
    expect(counted.reduce((sum, { asInt = 0 }) => sum + asInt, 0)).toBe(ok);
  });

  test.each([
    ["gen_ai.client.operation.time_to_first_chunk", "ttft"],
    ["gen_ai.client.operation.time_per_output_chunk", "icl"],
    ["assay.ttft_scheduled", "ttft_scheduled"],
    ["assay.tpot", "tpot"],
    ["assay.e2e_scheduled", "e2e_scheduled"],
  ])("has %s with the count and sum of %s, and its median within a bucket", (name, own) => {
    const { count, mean = Number.NaN, p50 = Number.NaN } = metricOf("chat.stream", own);
    const { points: some, unit } = pointsOf(name, { "assay.op": "chat.stream", "assay.phase": "measure" });
    const [histogram] = some;
    expect([unit, some.length, histogram?.count]).toEqual(["s", 1, count]);
    expectSum(histogram?.sum ?? Number.NaN, mean, count);
    const [low, high] = bucketOf(histogram?.bucketCounts ?? [], histogram?.explicitBounds ?? [], count / 2);
    expect(p50 / 1_000).toBeGreaterThanOrEqual(low);
    expect(p50 / 1_000).toBeLessThanOrEqual(high);
  });

  test("has the tokens of both kinds", () => {
    for (const [type, own] of [
      ["input", "input_tokens"],
      ["output", "output_tokens"],
    ] as const) {
      const { count, mean = Number.NaN } = metricOf("chat.stream", own);
      const wanted = { "assay.op": "chat.stream", "assay.phase": "measure", "gen_ai.token.type": type };
      const { points: some, unit } = pointsOf("gen_ai.client.token.usage", wanted);
      expect([unit, total(some)]).toEqual(["{token}", count]);
      expect(some[0]?.sum).toBeCloseTo(mean * count, 6);
    }
  });
});

/** The bounds of the bucket that holds the value of a rank. */
function bucketOf(counts: readonly number[], bounds: readonly number[], rank: number): readonly [number, number] {
  let before = 0;
  const index = counts.findIndex((count) => {
    before += count;
    return before >= rank;
  });
  return [bounds[index - 1] ?? 0, bounds[index] ?? Number.POSITIVE_INFINITY];
}
