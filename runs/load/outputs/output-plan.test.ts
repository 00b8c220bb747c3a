import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseOutputs } from "../../../settings/outputs.ts";
import { newFolder } from "../../../tests/support/commands/assay-process.ts";
import { closed, listenOnLoopback } from "../../../tests/support/targets/loopback-server.ts";
import { checkOutputs, k6OutputNotice, type OutputContext, outputArguments } from "./output-plan.ts";
import { OutputTroubles } from "./output-troubles.ts";

const context: OutputContext = { scenario: "my/own load.ts", folder: "/results", wholeMs: 600_000 };
const given = (text: string, env = {}, more: Partial<OutputContext> = {}) =>
  outputArguments(parseOutputs(text), { ...context, ...more }, env);

test("without an output, k6 is given nothing", async () => {
  expect(await outputArguments([], context)).toEqual({ args: [], variables: {}, notices: [] });
});

test("k6 sends histograms to Prometheus, and is given the user's variables for it and no others", async () => {
  const env = { K6_PROMETHEUS_RW_PASSWORD: "pw", K6_VUS: "9", K6_CSV_TIME_FORMAT: "rfc3339" };
  const { args, variables } = await given("prometheus=http://h:9090", env);
  expect(args).toEqual([
    "--tag",
    expect.stringMatching(/^testid=own_load\.ts-\d{8}T\d{6}Z-[0-9a-f]{4}$/),
    "--out",
    "experimental-prometheus-rw",
  ]);
  expect(variables).toEqual({
    K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s",
    K6_PROMETHEUS_RW_PASSWORD: "pw",
    K6_PROMETHEUS_RW_SERVER_URL: "http://h:9090/api/v1/write",
    K6_FEATURES: "native-histograms",
  });
});

test.each([{ K6_PROMETHEUS_RW_TREND_STATS: "p(95)" }, { K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM: "false" }])(
  "with %o it sends statistics",
  async (env) => {
    const { variables } = await given("prometheus=http://h/push", env);
    expect(variables).not.toHaveProperty("K6_FEATURES");
    expect(variables["K6_PROMETHEUS_RW_SERVER_URL"]).toBe("http://h/push");
  },
);

test("shards of one run are told apart", async () => {
  const { args } = await given("prometheus=http://h", {}, { segment: { part: 2, of: 4 } });
  expect(args[1]).toMatch(/-2of4$/);
});

test.each([
  ["http://h:4318", {}, "http://h:4318/v1/metrics"],
  ["http://h/otlp/v1/metrics", {}, "http://h/otlp/v1/metrics"],
  ["http://h:4317", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "http://h:4317"],
])("otlp=%s with %o sends to %s", async (url, env, endpoint) => {
  const { variables } = await given(`otlp=${url}`, env);
  expect(variables).toEqual({ ...env, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint });
});

test("an unknown protocol is refused before anything starts", () => {
  const outputs = parseOutputs("otlp=http://h");
  expect(() => checkOutputs(outputs, { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })).toThrow(
    'Cannot use OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" is not one of http/protobuf, grpc.',
  );
});

test("files are created where the user is, and those that exist are left alone", async () => {
  const folder = newFolder();
  const file = join(folder, "a,b.csv");
  const outputs = parseOutputs(`csv=${file}`);
  checkOutputs(outputs, {});
  expect(existsSync(file)).toBe(false);
  const { variables, args } = await outputArguments(outputs, context, { K6_CSV_TIME_FORMAT: "rfc3339" });
  expect(args).toContain("csv");
  expect(variables).toEqual({ K6_CSV_TIME_FORMAT: "rfc3339", K6_CSV_FILENAME: file });
  writeFileSync(file, "precious");
  expect(() => checkOutputs(outputs, {})).toThrow("it exists, and would be overwritten");
  await expect(outputArguments(outputs, context, {})).rejects.toThrow("Name a new file");
  mkdirSync(join(folder, "x"));
  expect(() => checkOutputs(parseOutputs(`json=${join(folder, "x")}`), {})).toThrow("it is a folder");
  expect(() => checkOutputs(parseOutputs(`json=${join(folder, "no", "y")}`), {})).toThrow("Create its folder first");
  const both = join(folder, "both");
  expect(() => checkOutputs(parseOutputs(`json=${both},csv=${both}`), {})).toThrow("give each a file of its own");
});

test("the dashboard is served on loopback, and refused on a port in use", async () => {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  onTestFinished(() => closed(server));
  await expect(given("web-dashboard", { K6_WEB_DASHBOARD_PORT: port })).rejects.toThrow("K6_WEB_DASHBOARD_PORT");
  await expect(async () => given("web-dashboard", { K6_WEB_DASHBOARD_PORT: "x" })).rejects.toThrow("is not a port");
  const { variables, notices } = await given("web-dashboard", { K6_WEB_DASHBOARD_EXPORT: "page.html" });
  expect(variables).toMatchObject({ K6_WEB_DASHBOARD_HOST: "127.0.0.1", K6_WEB_DASHBOARD_PERIOD: "10s" });
  expect(notices).toEqual([
    `Dashboard until the end of the run: http://127.0.0.1:${variables["K6_WEB_DASHBOARD_PORT"]}; it is saved as ${join(process.cwd(), "page.html")}.`,
    expect.stringMatching(/AGPL-3\.0-only; its source: npm pack @[\w-]+\/k6-source@\d/),
  ]);
  const short = await given("web-dashboard", {}, { wholeMs: 1_000 });
  expect(short.variables["K6_WEB_DASHBOARD_PERIOD"]).toBe("1s");
});

test("what k6 alone would follow is named", () => {
  expect(k6OutputNotice({ K6_OUT: "json=x", K6_WEB_DASHBOARD: "true" })).toMatch(
    /^Not using K6_OUT and K6_WEB_DASHBOARD: name outputs with --output/,
  );
  expect(k6OutputNotice({ K6_OUT: "" })).toBeUndefined();
});

test("the first trouble of an output is said, and all of them are counted at the end", () => {
  const said: string[] = [];
  const troubles = new OutputTroubles(parseOutputs("otlp=http://h,csv=x"), (sentence) => said.push(sentence));
  for (const reason of ["refused", "late"]) troubles.take({ output: "assay-otlp", reason });
  expect(said).toEqual([
    "Cannot write to the output otlp=http://h: refused. The run goes on: its results in the result folder do not depend on it.",
  ]);
  expect(troubles.sentences()).toEqual([
    "The output otlp=http://h failed 2 times, so it may lack a part of the run; the results in the result folder are complete. The last reason: late.",
  ]);
});
