/**
 * One table of what the load generator costs and how exact it is, with the rival next to each figure: `k6/http` and a bare reader of
 * sockets in the same run, taking turns, and what vLLM publishes of its client. CPU time per request and per chunk may exceed a
 * multiple of the rival's: then the benchmark fails.
 */

import { z } from "zod";
import { STREAM_S } from "../scripts/calibrate/run-calibration.ts";
import { load, loadAndCompare, loadStreams } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { median, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { k6Plain } from "./k6-http.ts";

const USERS = 32;
const PLAIN_S = 6;
const STREAMS = [400, 800, 1600];
const READ_S = 6;
const LOCKSTEP_USERS = 800;

/** How many times the CPU time of the rival ours may be. */
const MOST_PER_REQUEST = 1;
const MOST_PER_CHUNK = 2.5;

/** The set-up of vLLM's `bench-overhead`, and what they publish of their client on four cores. */
const VLLM = { streams: 1_000, ttftMs: 50, itlMs: 10, tokens: 100, ttftErrorMs: 28, gapP99Ms: 11.3 };

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
  for (const rows of [plainRows, ...STREAMS.map(streamRows), lockstepRows, vllmRows]) {
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

async function plainRows(context: BenchContext, runs: number): Promise<readonly Row[]> {
  const flags = { vus: String(USERS), prompts: context.shortPrompt(), warmup: "2s", duration: `${PLAIN_S}s` };
  const results = await repeat(runs, async () => ({
    run: (await load(context, "chat", flags)).run,
    k6: await k6Plain(context, USERS, PLAIN_S),
  }));
  const perS = results.map(({ run }) => run.metrics["requests_per_s"]?.value ?? Number.NaN);
  const work = `chat, ${USERS} users in a closed loop`;
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
      most: MOST_PER_REQUEST,
    },
    {
      work,
      figure: "peak memory, MB",
      ours: results.map(({ run }) => run.client.rssMaxMb ?? Number.NaN),
      rival: k6(({ peakMb }) => peakMb),
      decimals: 0,
    },
  ];
}

const readCost = z.object({ chunks: z.int().positive(), cpu_us: z.number() });

/** CPU time per chunk of a reader that only waits and reads, in microseconds. */
async function costOfReading(context: BenchContext, streams: number): Promise<number> {
  const server = await context.serve();
  const flags = ["-streams", String(streams), "-warmup", `${Math.ceil(STREAM_S) + 1}s`, "-duration", `${READ_S}s`];
  const { chunks, cpu_us } = readCost.parse(JSON.parse(context.readStreams(server.url, flags)));
  await server.stop();
  return cpu_us / chunks;
}

const streamRows =
  (count: number) =>
  async (context: BenchContext, runs: number): Promise<readonly Row[]> => {
    const results = await repeat(runs, async () => ({
      ...(await loadStreams(context, count)),
      reader: await costOfReading(context, count),
    }));
    const work = `${count} streams of 50 chunks/s`;
    const perChunk = results.map(
      ({ run }) => ((run.client.cpu ?? Number.NaN) * 1e6) / (run.metrics["output_tokens_per_s"]?.value ?? Number.NaN),
    );
    const reader = { name: "bare reader", figures: results.map((result) => result.reader) };
    return [
      { work, figure: "CPU per chunk, µs", ours: perChunk, rival: reader, most: MOST_PER_CHUNK },
      { work, figure: "gap error p99, ms", ours: results.map(({ errors }) => errors.gap.p99), decimals: 2 },
      { work, figure: "TTFT error p99, ms", ours: results.map(({ errors }) => errors.ttft.p99), decimals: 2 },
      {
        work,
        figure: "peak memory, MB",
        ours: results.map(({ run }) => run.client.rssMaxMb ?? Number.NaN),
        decimals: 0,
      },
    ];
  };

async function lockstepRows(context: BenchContext, runs: number): Promise<readonly Row[]> {
  const flags = { vus: String(LOCKSTEP_USERS), rampUp: "0", warmup: "4s", duration: "8s", maxTokens: "50" };
  const results = await repeat(runs, () => loadAndCompare(context, flags, { tokens: 50 }));
  const work = `${LOCKSTEP_USERS} users that start together`;
  return [{ work, figure: "TTFT error p99, ms", ours: results.map(({ errors }) => errors.ttft.p99) }];
}

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
