/**
 * From `--output` to what k6 is given: arguments, variables, and what must be kept out of its log. k6's own outputs do the
 * work, but for OTLP, whose names k6 cannot write: that output is the extension's.
 */

import { randomBytes } from "node:crypto";
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { presentIn } from "../../../cli/output-secrets.ts";
import { VERSION } from "../../../cli/tool.mjs";
import { FILES } from "../../../formats/file-names.ts";
import { endSentence } from "../../../lib/text.ts";
import type { Segment } from "../../../settings/load/segment.ts";
import { notOneOf } from "../../../settings/nearest.ts";
import { formatOutput, type Output } from "../../../settings/outputs.ts";
import { formatDuration } from "../../../settings/units.ts";
import { reasonOf, UsageError } from "../../../settings/usage-error.ts";
import { SOURCE_PACKAGE } from "../../../toolchain/platform-package.mjs";

type Environment = Readonly<Record<string, string | undefined>>;

/** Names by which k6 writes of an output in its log, and what a user calls it. */
export const LOGGED_AS: Readonly<Record<string, Output["kind"]>> = {
  "Prometheus remote write": "prometheus",
  "assay-otlp": "otlp",
  csv: "csv",
  json: "json",
};

/** What k6 is given for the outputs of one run. */
export interface OutputArguments {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** What the user should know at the start, such as the address of the dashboard. */
  readonly notices: readonly string[];
}

/** A run, as far as its outputs depend on it. */
export interface OutputContext {
  readonly scenario: string;
  /** The result folder. */
  readonly folder: string;
  /** Warm-up and measured time. */
  readonly wholeMs: number;
  readonly segment?: Segment | undefined;
}

/** A line for a user who set what k6 alone would follow. */
export function k6OutputNotice(env: Environment = process.env): string | undefined {
  const set = ["K6_OUT", "K6_WEB_DASHBOARD"].filter((name) => presentIn(env, name));
  if (set.length === 0) return undefined;
  return `Not using ${set.join(" and ")}: name outputs with --output, such as --output prometheus=http://127.0.0.1:9090/api/v1/write or --output web-dashboard.`;
}

/**
 * Checks what can be checked of outputs before anything starts.
 * @throws UsageError for a file that exists or cannot be created, and for a protocol that is not known
 */
export function checkOutputs(outputs: readonly Output[], env: Environment = process.env): void {
  const files = outputs.flatMap((output) => ("file" in output ? [[formatOutput(output), output.file] as const] : []));
  const exports = outputs.some(({ kind }) => kind === "web-dashboard")
    ? DASHBOARD_FILES.flatMap((name) => (presentIn(env, name) ? [[name, env[name] ?? ""] as const] : []))
    : [];
  for (const [source, file] of [...files, ...exports]) checkNewFile(source, file);
  const paths = [...files, ...exports].map(([, file]) => resolve(file));
  const same = paths.find((path, index) => paths.indexOf(path) !== index);
  if (same !== undefined) throw new UsageError(`Cannot write two outputs to ${same}: give each a file of its own.`);
  if (outputs.some(({ kind }) => kind === "otlp")) otlpProtocol(env);
}

/** Where k6 writes a copy of its dashboard, which a user may set. */
const DASHBOARD_FILES = ["K6_WEB_DASHBOARD_EXPORT", "K6_WEB_DASHBOARD_RECORD"];

/** @throws UsageError where a file exists, or its folder cannot be written to @param source what names it */
export function checkNewFile(source: string, file: string): void {
  const path = resolve(file);
  if (existsSync(path)) {
    const what = statSync(path).isDirectory() ? "it is a folder" : "it exists, and would be overwritten";
    throw new UsageError(`Cannot use ${source}: ${what} (${path}). Name a new file.`);
  }
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new UsageError(`Cannot use ${source}: ${reasonOf(error)}. Create its folder first, or name another file.`);
  }
}

/**
 * Prepares the outputs of one run: creates their files, and finds a port for the dashboard.
 * @throws UsageError when a file cannot be created, or the port that was asked for is in use
 */
export async function outputArguments(
  outputs: readonly Output[],
  context: OutputContext,
  env: Environment = process.env,
): Promise<OutputArguments> {
  if (outputs.length === 0) return { args: [], variables: {}, notices: [] };
  const id = runId(context);
  const parts = await Promise.all(outputs.map((output) => argumentsOf(output, { ...context, id }, env)));
  return {
    args: ["--tag", `testid=${id}`, ...parts.flatMap(({ args }) => args)],
    variables: Object.assign({}, ...parts.map(({ variables }) => variables)),
    notices: parts.flatMap(({ notices }) => notices),
  };
}

/** Tells the time series of one run from those of others; shards of one run are several series too. */
function runId({ scenario, segment }: OutputContext): string {
  const at = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const title = scenario.replace(/^.*[/\\]/, "").replace(/[^\w.-]/g, "_");
  const part = segment === undefined ? "" : `-${segment.part}of${segment.of}`;
  return `${title}-${at}-${randomBytes(2).toString("hex")}${part}`;
}

type Identified = OutputContext & { readonly id: string };

function argumentsOf(output: Output, context: Identified, env: Environment): Promise<OutputArguments> {
  switch (output.kind) {
    case "prometheus":
      return Promise.resolve(prometheus(output.url, env));
    case "otlp":
      return Promise.resolve(otlp(output.url, context.id, env));
    case "csv":
      return Promise.resolve({
        args: ["--out", "csv"],
        variables: { ...variablesOf(env, "K6_CSV_"), K6_CSV_FILENAME: created(output) },
        notices: [],
      });
    case "json":
      return Promise.resolve({ args: ["--out", `json=${created(output)}`], variables: {}, notices: [] });
    case "web-dashboard":
      return dashboard(context, env);
  }
}

/** Creates a file, so that no other run writes to it, and returns its absolute path. */
function created(output: Output & { readonly file: string }): string {
  const path = resolve(output.file);
  try {
    closeSync(openSync(path, "wx"));
  } catch (error) {
    throw new UsageError(`Cannot use ${formatOutput(output)}: ${reasonOf(error)}. Name a new file.`);
  }
  return path;
}

const WRITE_PATH = "/api/v1/write";

/**
 * Trends become native histograms, and every gap is a value, unless the user asks for statistics: they are kept and
 * sorted, value by value, so that gaps are not among them.
 */
function prometheus(url: string, env: Environment): OutputArguments {
  const { K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM: asked, ...own } = variablesOf(env, "K6_PROMETHEUS_RW_");
  const statistics = asked === "false" || asked === "0" || own["K6_PROMETHEUS_RW_TREND_STATS"] !== undefined;
  return {
    args: ["--out", "experimental-prometheus-rw"],
    variables: {
      // Every value since the last write is added at once: the more there are, the longer no chunk is read.
      K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s",
      ...own,
      K6_PROMETHEUS_RW_SERVER_URL: new URL(url).pathname === "/" ? url + WRITE_PATH : url,
      ...(!statistics && { K6_FEATURES: "native-histograms" }),
    },
    notices: [],
  };
}

const METRICS_PATH = "/v1/metrics";

function otlp(url: string, id: string, env: Environment): OutputArguments {
  const isWhole = otlpProtocol(env) === "grpc" || url.endsWith(METRICS_PATH);
  return {
    args: ["--out", `assay-otlp=${id}`],
    variables: {
      ...variablesOf(env, "OTEL_"),
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: isWhole ? url : url + METRICS_PATH,
    },
    notices: [],
  };
}

const PROTOCOLS = ["http/protobuf", "grpc"];

function otlpProtocol(env: Environment): string {
  const name = ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"].find((each) =>
    presentIn(env, each),
  );
  const protocol = name === undefined ? "http/protobuf" : (env[name] ?? "");
  if (PROTOCOLS.includes(protocol)) return protocol;
  throw new UsageError(`Cannot use ${name}: ${endSentence(notOneOf(protocol, PROTOCOLS))}`);
}

/** So many points has a chart of the dashboard at least; each of them costs the load generator some time. */
const DASHBOARD_POINTS = 60;

async function dashboard({ folder, wholeMs }: Identified, env: Environment): Promise<OutputArguments> {
  const own = variablesOf(env, "K6_WEB_DASHBOARD_");
  const host = own["K6_WEB_DASHBOARD_HOST"] ?? "127.0.0.1";
  const port = await freePort(host, own["K6_WEB_DASHBOARD_PORT"]);
  const saved = join(folder, FILES.dashboard);
  const files = Object.fromEntries(
    DASHBOARD_FILES.flatMap((name) => (own[name] === undefined ? [] : [[name, resolve(own[name])]])),
  );
  const periodMs = Math.min(10_000, Math.max(1_000, Math.round(wholeMs / DASHBOARD_POINTS / 1_000) * 1_000));
  const shown = host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return {
    args: ["--out", "web-dashboard"],
    variables: {
      K6_WEB_DASHBOARD_PERIOD: formatDuration(periodMs),
      K6_WEB_DASHBOARD_EXPORT: saved,
      XK6_DASHBOARD_CONFIG: env["XK6_DASHBOARD_CONFIG"] ?? DASHBOARD_CONFIG,
      ...own,
      ...files,
      K6_WEB_DASHBOARD_HOST: host,
      K6_WEB_DASHBOARD_PORT: String(port),
    },
    notices: [
      `Dashboard until the end of the run: http://${shown.includes(":") ? `[${shown}]` : shown}:${port}; it is saved as ${files["K6_WEB_DASHBOARD_EXPORT"] ?? saved}.`,
      `It is part of k6 as Assay modified it, under the AGPL-3.0-only; its source: npm pack ${SOURCE_PACKAGE}@${VERSION}`,
    ],
  };
}

const DASHBOARD_CONFIG = fileURLToPath(new URL("./dashboard.json", import.meta.url));

/** A port that can be listened on: the one that was asked for, or any. */
function freePort(host: string, asked: string | undefined): Promise<number> {
  const wanted = Number(asked ?? "0");
  if (!/^\d+$/.test(asked ?? "0") || wanted > 65_535) {
    throw new UsageError(`Cannot use K6_WEB_DASHBOARD_PORT: "${asked}" is not a port; give a number from 0 to 65535.`);
  }
  return new Promise((found, failed) => {
    const server = createServer();
    server.once("error", (error) =>
      failed(
        new UsageError(
          `Cannot serve the dashboard on ${host}:${wanted}: ${reasonOf(error)}. Set K6_WEB_DASHBOARD_PORT to another port, or to 0 for a free one.`,
        ),
      ),
    );
    server.listen({ host: host === "" ? undefined : host, port: wanted }, () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address !== null ? address.port : wanted));
    });
  });
}

const variablesOf = (env: Environment, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined && value !== "" ? [[name, value]] : [],
    ),
  );
