/**
 * The runners of a load on a played cluster send their metrics to a Prometheus by the patch of docs/distributed.md: the recording
 * rules make one series of all of them, whose counts are those of the merged report and whose quantiles are within a bucket.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { k6ForLoads } from "../../toolchain/k6.ts";
import { PlayedCluster } from "../support/cluster/played-cluster.ts";
import { newFolder, startAssay } from "../support/commands/assay-process.ts";
import { resultOf } from "../support/results/read-results.ts";
import { closed, listenOnLoopback } from "../support/targets/loopback-server.ts";
import { startMockProcess } from "../support/targets/spawned-mock.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const page = readFileSync(join(docs, "distributed.md"), "utf8");
const [, patch = ""] = /^### Live over all runners[\s\S]*?```yaml\n([\s\S]*?)```/m.exec(page) ?? [];

const RUNNERS = 2;
/** A program of the system. */
const PROMETHEUS = "prometheus";
const folder = newFolder();
const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

async function startPrometheus(): Promise<string> {
  const server = createServer();
  const { host } = new URL(await listenOnLoopback(server));
  await closed(server);
  const files = ["recording-rules.yaml", "alerts.yaml"].map((name) => join(docs, "grafana", name));
  const config = { global: { evaluation_interval: "1s" }, rule_files: files };
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${host}`,
      "--web.enable-remote-write-receiver",
      "--enable-feature=native-histograms",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const end = once(child, "close");
  ends.push(() => {
    child.kill("SIGTERM");
    return end;
  });
  const url = `http://${host}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200), { timeout: 60_000 });
  return url;
}

let prometheus = "";
beforeAll(async () => {
  const [url, mock, k6] = await Promise.all([
    startPrometheus(),
    startMockProcess("--ttft", "lognormal:60ms,0.5", "--itl", "lognormal:15ms,0.3"),
    k6ForLoads(),
  ]);
  prometheus = url;
  const cluster = new PlayedCluster({ k6: k6.path, secrets: {} });
  ends.push(() => cluster.close());
  writeFileSync(join(folder, "patch.yaml"), patch.replace("http://prometheus.example:9090", url));
  const args = ["chat-stream", "--target", mock.url, "--rate", "20", "--duration", "10s", "--warmup", "0s"];
  const pods = ["--runners", `${RUNNERS}`, "--image", "i", "--run-name", "live", "--patch", join(folder, "patch.yaml")];
  const out = ["--out", join(folder, "live")];
  const { code, stderr } = await startAssay(["k8s", "run", ...args, ...pods, ...out], cluster.env).ended;
  expect(code, stderr).not.toBe(3);
}, 600_000);

const response = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});
async function query(expression: string) {
  const found = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`);
  return response.parse(await found.json()).data.result;
}
const scalarOf = async (expression: string): Promise<number> => Number((await query(expression))[0]?.value[1]);

test("each runner is told apart, and all of them are one run", async () => {
  const found = await query('sum by (testid, instance_id) (k6_assay_outcomes_total{phase="measure"})');
  expect(found.map(({ metric }) => metric)).toEqual(
    expect.arrayContaining(["1", "2"].map((instance_id) => ({ testid: "live", instance_id }))),
  );
});

test("the merged histograms have the requests and the quantiles of the report", async () => {
  const { counts, metrics } = resultOf(join(folder, "live"));
  const merged = 'sum by (testid, op) (k6_assay_ttft_seconds{phase="measure"})';
  const found = await query(`histogram_count(${merged})`);
  expect(found.map(({ value }) => Number(value[1]))).toEqual([counts.ok]);
  for (const [share, exact = Number.NaN] of [
    [0.5, metrics["ttft"]?.p50],
    [0.9, metrics["ttft"]?.p90],
  ] as const) {
    const quantile = (await scalarOf(`histogram_quantile(${share}, ${merged})`)) * 1_000;
    expect(Math.abs(Math.log2(quantile / exact)), `p${share * 100}`).toBeLessThanOrEqual(1 / 8);
  }
});

test("the recording rules made a series of each kind over all runners", async () => {
  const within = (expression: string) => `last_over_time(${expression}[10m])`;
  for (const name of [
    "requests:rate1m",
    "ttft_seconds:p95",
    "e2e_seconds:p95",
    "icl_seconds:p99",
    "output_tokens:rate1m",
  ]) {
    const found = await query(within(`assay:${name}`));
    expect(
      found.map(({ metric: { testid, op } }) => [testid, op]),
      name,
    ).toEqual([["live", "chat.stream"]]);
    expect(Number(found[0]?.value[1]), name).toBeGreaterThan(0);
  }
});

test("the rules of both files are evaluated without an error", async () => {
  const rule = z.object({ name: z.string(), health: z.string() });
  const rules = z.object({ data: z.object({ groups: z.array(z.object({ rules: z.array(rule) })) }) });
  const found = rules.parse(await (await fetch(`${prometheus}/api/v1/rules`)).json()).data.groups;
  expect(found.flatMap((group) => group.rules).length).toBeGreaterThan(10);
  expect(found.flatMap((group) => group.rules).filter(({ health }) => health !== "ok")).toEqual([]);
});
