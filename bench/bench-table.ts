/**
 * One table of what Assay costs and how exact it is, with the rival next to each figure: `k6/http` and a bare reader of sockets in
 * the same run, taking turns, and what vLLM publishes of its client. CPU time per request and per chunk may exceed a
 * multiple of the rival's: then the benchmark fails.
 */

import { z } from "zod";
import type { RunResult } from "../formats/run.ts";
import type { GroundTruthErrors } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM_S } from "../runs/calibrate/run-calibration.ts";
import { type Flags, load, loadAndCompare, loadStreams } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { median, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { CLIENT_CORES } from "./cpu-cores.ts";
import { k6Plain, type PlainLoad } from "./k6-http.ts";
import { writeSegment } from "./made-records.ts";
import { ASSAY, runNode } from "./process-usage.ts";

const USERS = 32;
const OPEN_RATE = 4_000;
const PLAIN_S = 6;
const STREAMS = [400, 800, 1600];
const READ_S = 6;
const SECURE_STREAMS = 800;
/** Connections that they share: 100 streams on each, which is what many targets allow. */
const SHARED = SECURE_STREAMS / 100;
const MEMORY_STREAMS = [25, 2_000] as const;
const KEPT_OPEN = 400;
const IN_FLIGHT = [440, 4_000] as const;
const LOCKSTEP_USERS = [800, 1600];
const RECORDS = 1_000_000;

/** How many times the CPU time of the rival ours may be. Ours also checks each vector of a response. */
const MOST_PER_REQUEST = { chat: 1, embeddings: 1.5 };
const MOST_PER_CHUNK = 2.5;

/** The set-up of vLLM's `bench-overhead`, and what they publish of their client on four cores. */
const VLLM = { streams: 1_000, ttftMs: 50, itlMs: 10, tokens: 100, ttftErrorMs: 28, gapP99Ms: 11.3, streamMb: 0.07 };

/** A figure of each run, and the rival's of the same runs, or the one that it publishes. */
interface Row {
  readonly work: string;
  readonly figure: string;
  readonly ours: readonly number[];
  readonly rival?: { readonly name: string; readonly figures: readonly number[] };
  readonly decimals?: number;
  /** The largest ratio of the medians that passes. */
  readonly most?: number;
}

/** Prints the table. @returns what is more than it may be, in sentences */
export async function benchTable(context: BenchContext, runs: number): Promise<readonly string[]> {
  say(`\n${runsLabel(runs)}; ratio: Assay divided by the rival\n`);
  say("| work | figure | Assay | rival | ratio |");
  say("| --- | --- | --- | --- | --- |");
  const excesses: string[] = [];
  for (const rows of [
    ...PLAIN_LOADS.map(plainRows),
    ...STREAMS.map(streamRows),
    secureRows("https", "TLS"),
    secureRows("h2", "HTTP/2"),
    secureRows("h2", `HTTP/2, ${SHARED} connections`, { h2Connections: String(SHARED) }),
    memoryRows,
    idleUserRows,
    ...LOCKSTEP_USERS.map(lockstepRows),
    vllmRows,
    programRows,
  ]) {
    for (const row of await rows(context, runs)) excesses.push(...print(row));
  }
  return excesses;
}

function print({ work, figure, ours, rival, decimals = 1, most }: Row): readonly string[] {
  const beside = rival === undefined ? "-" : `${rival.name} ${spread(rival.figures, decimals)}`;
  const ratio = rival === undefined ? Number.NaN : median(ours) / median(rival.figures);
  say(`| ${[work, figure, spread(ours, decimals), beside, rival ? ratio.toFixed(2) : "-"].join(" | ")} |`);
  if (most === undefined || ratio <= most) return [];
  return [`${work}: ${figure} is ${ratio.toFixed(2)} times that of ${rival?.name}, and may be ${most} times.`];
}

const PLAIN_LOADS: readonly (PlainLoad & { readonly work: string })[] = [
  { work: `chat, ${USERS} users in a closed loop`, scenario: "chat", users: USERS },
  { work: "chat, an open loop", scenario: "chat", rate: OPEN_RATE },
  { work: `embeddings of 256 numbers, ${USERS} users in a closed loop`, scenario: "embeddings", users: USERS },
];

const plainRows =
  ({ work, ...load }: (typeof PLAIN_LOADS)[number]) =>
  async (context: BenchContext, runs: number): Promise<readonly Row[]> => {
    const results = await repeat(runs, async () => ({
      run: await plainRun(context, load),
      k6: await k6Plain(context, load, PLAIN_S),
    }));
    const perS = results.map(({ run }) => run.metrics["requests_per_s"]?.value ?? Number.NaN);
    const k6 = (of: (one: (typeof results)[number]["k6"]) => number) => ({
      name: "k6/http",
      figures: results.map((result) => of(result.k6)),
    });
    return [
      { work, figure: "requests/s", ours: perS, rival: k6((one) => one.perS), decimals: 0 },
      {
        work,
        figure: "CPU per request, µs",
        ours: results.map(({ run }, index) => ((run.client.cpu ?? Number.NaN) * 1e6) / (perS[index] ?? Number.NaN)),
        rival: k6(({ cores, perS: rate }) => (cores * 1e6) / rate),
        most: MOST_PER_REQUEST[load.scenario],
      },
      { work, figure: "peak memory, MB", ours: results.map(peakMb), rival: k6(({ peakMb }) => peakMb), decimals: 0 },
    ];
  };

async function plainRun(context: BenchContext, { scenario, users, rate }: PlainLoad): Promise<RunResult> {
  const shape: Flags = rate === undefined ? { vus: String(users) } : { rate: String(rate) };
  const common = { prompts: context.shortPrompt(), warmup: "2s", duration: `${PLAIN_S}s` };
  const inputs: Flags = scenario === "embeddings" ? { batchSizes: "1" } : {};
  return (await load(context, scenario, { ...shape, ...common, ...inputs })).run;
}

const peakMb = ({ run }: { readonly run: RunResult }): number => run.client.rssMaxMb ?? Number.NaN;

const readCost = z.object({ chunks: z.int().positive(), cpu_us: z.number() });

/** CPU time per chunk of a reader that only waits and reads, in microseconds. */
async function costOfReading(context: BenchContext, streams: number): Promise<number> {
  const server = await context.serve();
  const flags = ["-streams", String(streams), "-warmup", `${Math.ceil(STREAM_S) + 1}s`, "-duration", `${READ_S}s`];
  const { chunks, cpu_us } = readCost.parse(JSON.parse(context.readStreams(server.url, flags)));
  await server.stop();
  return cpu_us / chunks;
}

const perChunk = ({ run }: { readonly run: RunResult }): number =>
  ((run.client.cpu ?? Number.NaN) * 1e6) / (run.metrics["output_tokens_per_s"]?.value ?? Number.NaN);

const streamRows =
  (count: number) =>
  async (context: BenchContext, runs: number): Promise<readonly Row[]> => {
    const results = await repeat(runs, async () => ({
      ...(await loadStreams(context, count)),
      reader: await costOfReading(context, count),
    }));
    const work = `${count} streams of 50 chunks/s`;
    const reader = { name: "bare reader", figures: results.map((result) => result.reader) };
    return [
      { work, figure: "CPU per chunk, µs", ours: results.map(perChunk), rival: reader, most: MOST_PER_CHUNK },
      ...errorRows(work, results),
      { work, figure: "peak memory, MB", ours: results.map(peakMb), decimals: 0 },
    ];
  };

interface Measured {
  readonly run: RunResult;
  readonly errors: GroundTruthErrors;
}

/** From this part of its cores on, the load generator has queues: an error is then one of the load, and not of how times are taken. */
const FULL = 0.85;
const coresOf = ({ run }: Pick<Measured, "run">): number => run.client.cpu ?? Number.NaN;
const isFull = (results: readonly Measured[]): boolean => median(results.map(coresOf)) > FULL * CLIENT_CORES;

const errorRows = (work: string, results: readonly Measured[]): readonly Row[] => [
  { work, figure: "cores in use", ours: results.map(coresOf), decimals: 2 },
  ...(isFull(results)
    ? []
    : [
        { work, figure: "gap error p99, ms", ours: results.map(({ errors }) => errors.gap.p99), decimals: 2 },
        { work, figure: "TTFT error p99, ms", ours: results.map(({ errors }) => errors.ttft.p99), decimals: 2 },
      ]),
];

/** The same streams over TLS: a connection per stream, unless they share some. */
const secureRows =
  (protocol: "https" | "h2", name: string, more: Flags = {}) =>
  async (context: BenchContext, runs: number): Promise<readonly Row[]> => {
    const flags = { insecure: "true", ...more };
    const results = await repeat(runs, () => loadStreams(context, SECURE_STREAMS, flags, { protocol }));
    const work = `${SECURE_STREAMS} streams over ${name}`;
    return [{ work, figure: "CPU per chunk, µs", ours: results.map(perChunk) }, ...errorRows(work, results)];
  };

/** What a stream adds to the memory of a load of few. */
async function memoryRows(context: BenchContext, runs: number): Promise<readonly Row[]> {
  const [few, many] = MEMORY_STREAMS;
  const figures = await repeat(runs, async () => {
    const least = peakMb(await loadStreams(context, few));
    return (peakMb(await loadStreams(context, many)) - least) / (many - few);
  });
  const rival = { name: "vLLM's Rust client, published: under", figures: [VLLM.streamMb] };
  return [
    { work: `${many} streams of 50 chunks/s`, figure: "memory per stream, MB", ours: figures, rival, decimals: 3 },
  ];
}

/** Users that `--max-in-flight` permits and nobody needs. */
async function idleUserRows(context: BenchContext, runs: number): Promise<readonly Row[]> {
  const [least, most] = IN_FLIGHT;
  const results = await repeat(runs, async () => ({
    few: await loadStreams(context, KEPT_OPEN, { maxInFlight: String(least) }),
    many: await loadStreams(context, KEPT_OPEN, { maxInFlight: String(most) }),
  }));
  const work = `${KEPT_OPEN} streams, --max-in-flight ${most}`;
  const row = (figure: string, of: (result: (typeof results)[number]["few"]) => number, decimals: number): Row => ({
    work,
    figure,
    ours: results.map(({ many }) => of(many)),
    rival: { name: `with ${least}:`, figures: results.map(({ few }) => of(few)) },
    decimals,
  });
  return [row("gap error p99, ms", ({ errors }) => errors.gap.p99, 2), row("peak memory, MB", peakMb, 0)];
}

const lockstepRows =
  (users: number) =>
  async (context: BenchContext, runs: number): Promise<readonly Row[]> => {
    const flags = { vus: String(users), rampUp: "0", warmup: "4s", duration: "8s", maxTokens: "50" };
    const results = await repeat(runs, () => loadAndCompare(context, flags, { tokens: 50 }));
    const work = `${users} users that start together`;
    return [{ work, figure: "TTFT error p99, ms", ours: results.map(({ errors }) => errors.ttft.p99) }];
  };

async function vllmRows(context: BenchContext, runs: number): Promise<readonly Row[]> {
  const { streams, ttftMs, itlMs, tokens } = VLLM;
  const many = String(streams);
  const flags = { vus: many, rampUp: "0", warmup: "0", maxRequests: many, duration: "30s", maxTokens: String(tokens) };
  const results = await repeat(
    runs,
    async () => (await load(context, "chat-stream", flags, { ttftMs, itlMs, tokens })).run,
  );
  const of = (read: (metrics: (typeof results)[number]["metrics"]) => number | null | undefined): number[] =>
    results.map(({ metrics }) => read(metrics) ?? Number.NaN);
  const published = (figure: number) => ({ name: "vLLM, published, four cores", figures: [figure] });
  const work = `${streams} streams at once of 100 chunks/s`;
  return [
    {
      work,
      figure: "TTFT error mean, ms",
      ours: of(({ ttft }) => ttft?.mean).map((mean) => mean - ttftMs),
      rival: published(VLLM.ttftErrorMs),
    },
    { work, figure: "TTFT p99, ms", ours: of(({ ttft }) => ttft?.p99) },
    { work, figure: "gap p99, ms", ours: of(({ icl }) => icl?.p99), rival: published(VLLM.gapP99Ms) },
  ];
}

/** Records that are read, and help that is printed. */
async function programRows(context: BenchContext, runs: number): Promise<readonly Row[]> {
  const folder = context.path("records");
  writeSegment(folder, { records: RECORDS, gaps: 3, segments: 1 }, 0);
  const reports = await repeat(runs, () => runNode([ASSAY, "report", folder, "--out", context.newFolder("report")]));
  const nothing = await repeat(runs, () => runNode(["--eval", "0"]));
  const rival = { name: "Node.js alone", figures: nothing.map(({ cpuSeconds }) => cpuSeconds) };
  const work = `report of ${RECORDS.toLocaleString("en")} records`;
  const rows: Row[] = [
    { work, figure: "time on one core, s", ours: reports.map(({ seconds }) => seconds) },
    { work, figure: "peak memory, MB", ours: reports.map((report) => report.peakMb), decimals: 0 },
  ];
  for (const help of [["--help"], ["load", "--help"]]) {
    const printed = await repeat(runs, () => runNode([ASSAY, ...help]));
    const ours = printed.map(({ cpuSeconds }) => cpuSeconds);
    rows.push({ work: `assay ${help.join(" ")}`, figure: "CPU, s", ours, rival, decimals: 2 });
  }
  return rows;
}
