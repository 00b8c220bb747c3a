/**
 * Figures of the load client: how far its times are from the server's own, what a chunk and a stream cost it, how many
 * plain requests it sends, and how arrivals follow each other. Prints and judges nothing.
 * `npm run bench [-- --runs N] [--only streams|plain|arrivals]`, where N (default 5) is how often each load is repeated.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { planLoad, runLoad } from "../scripts/load/run-load.ts";
import { criticalDistance, distanceFromPoisson, gapsAtServer, variation } from "./arrival-statistics.ts";
import { type Flags, load, SILENT, streams } from "./assay-loads.ts";
import { CHUNKS_PER_S, Workshop } from "./bench-context.ts";
import { machine, say, spread } from "./bench-output.ts";

const FEW_STREAMS = 25;
const STREAMS = [400, 800, 1600];
const SEGMENTS = 4;
const NO_WARMUP = { warmup: "0s" };

async function streamFigures(workshop: Workshop, runs: number): Promise<void> {
  say(
    `\nstreams of ${CHUNKS_PER_S} chunks a second; errors against the server's ledger in ms; ${runs} runs: the middle one (all)`,
  );
  const { run: few } = await streams(workshop, FEW_STREAMS);
  for (const count of STREAMS) {
    const results: Awaited<ReturnType<typeof streams>>[] = [];
    for (let n = 0; n < runs; n += 1) results.push(await streams(workshop, count));
    const of = (read: (result: (typeof results)[number]) => number | undefined): number[] =>
      results.map((result) => read(result) ?? Number.NaN);
    const chunks = of(({ run }) => run.metrics["output_tokens_per_s"]?.value);
    const cpu = of(({ run }) => run.client.cpu);
    const memory = of(
      ({ run }) => ((run.client.rssMaxMb ?? Number.NaN) - (few.client.rssMaxMb ?? 0)) / (count - FEW_STREAMS),
    );
    say(
      `  ${count} streams, ${spread(chunks, 0)} chunks/s; ${verdicts(results.map(({ run }) => run.validity.verdict))}`,
    );
    say(
      `    gap error p99 ${spread(of(({ truth }) => truth.gap.p99))}, max ${spread(of(({ truth }) => truth.gap.max))}`,
    );
    say(
      `    ttft error p99 ${spread(of(({ truth }) => truth.ttft.p99))}, max ${spread(of(({ truth }) => truth.ttft.max))}`,
    );
    say(`    server's own gap error p99 ${spread(of(({ truth }) => truth.serverGap.p99))}`);
    say(
      `    CPU a chunk ${spread(cpu.map((cores, n) => (cores * 1e6) / (chunks[n] ?? Number.NaN)))} us, of a core ${spread(cpu)}`,
    );
    say(
      `    memory a stream ${spread(memory)} MB; schedule lag p99 ${spread(of(({ run }) => run.client.lagP99Ms))} ms`,
    );
    const lost = of(({ truth }) => truth.unmatched).reduce((sum, n) => sum + n, 0);
    if (lost > 0) say(`    ${lost} requests are not in the ledger as recorded`);
  }
}

/** Such as `5 VALID`. */
const verdicts = (all: readonly string[]): string =>
  [...new Set(all)].map((verdict) => `${all.filter((one) => one === verdict).length} ${verdict}`).join(", ");

async function plainFigures(workshop: Workshop, runs: number): Promise<void> {
  const prompts = workshop.path("short.jsonl");
  writeFileSync(prompts, `${JSON.stringify({ prompt: "Why is the sky blue?" })}\n`);
  say(`\nplain requests; ${runs} runs: the middle one (all)`);
  const loads: readonly (readonly [string, Flags])[] = [
    ["closed loop of 32 users, a short prompt", { vus: "32", prompts }],
    ["closed loop of 32 users, the bundled prompts", { vus: "32" }],
    ["open loop at 8,000/s, a short prompt", { rate: "8000", prompts }],
  ];
  for (const [name, flags] of loads) {
    const results = [];
    for (let n = 0; n < runs; n += 1) {
      results.push((await load(workshop, "chat", { warmup: "2s", duration: "5s", ...flags })).run);
    }
    const rates = results.map((run) => run.metrics["requests_per_s"]?.value ?? Number.NaN);
    const cost = results.map((run, n) => ((run.client.cpu ?? Number.NaN) * 1e6) / (rates[n] ?? Number.NaN));
    const lag = results.flatMap((run) => run.client.lagP99Ms ?? []);
    const late = lag.length === 0 ? "" : `, schedule lag p99 ${spread(lag)} ms`;
    say(`  ${name}: ${spread(rates, 0)} requests/s, CPU a request ${spread(cost, 1)} us${late}`);
  }
}

async function arrivalFigures(workshop: Workshop, runs: number): Promise<void> {
  say(`\narrivals, as the server saw them; ${runs} runs: the middle one (all)`);
  for (const [rate, duration] of [
    [50, "24s"],
    [500, "6s"],
  ] as const) {
    for (const arrival of ["constant", "poisson"]) {
      const gaps: number[][] = [];
      for (let n = 0; n < runs; n += 1) {
        const flags = { rate: String(rate), arrival, duration, seed: String(n + 1), ...NO_WARMUP };
        gaps.push(await gapsAtServer((await load(workshop, "chat", flags)).ledger));
      }
      say(`  ${arrival} at ${rate}/s: ${likeness(gaps, arrival === "poisson" ? rate : undefined)}`);
    }
  }
  const gaps: number[][] = [];
  for (let n = 0; n < runs; n += 1) gaps.push(await segmented(workshop, 50, n + 1));
  say(`  poisson at 50/s, ${SEGMENTS} segments together: ${likeness(gaps, 50)}`);
}

/** Several processes share a load. */
async function segmented(workshop: Workshop, rate: number, seed: number): Promise<number[]> {
  const server = await workshop.serve();
  const flags = {
    target: server.url,
    rate: String(rate),
    arrival: "poisson",
    duration: "24s",
    seed: String(seed),
    ...NO_WARMUP,
  };
  await Promise.all(
    Array.from({ length: SEGMENTS }, async (_, index) => {
      const folder = workshop.path("segment");
      mkdirSync(folder);
      await runLoad(planLoad("chat", { ...flags, segment: `${index + 1}/${SEGMENTS}` }, { env: {} }), folder, SILENT);
    }),
  );
  return gapsAtServer(await server.stop());
}

function likeness(gaps: readonly (readonly number[])[], rate: number | undefined): string {
  const cv = `CV ${spread(gaps.map(variation), 3)}`;
  if (rate === undefined) return cv;
  const distances = gaps.map((one) => distanceFromPoisson(one, rate));
  const critical = Math.min(...gaps.map(({ length }) => criticalDistance(length)));
  return `${cv}, KS distance ${spread(distances, 3)}, critical ${critical.toFixed(3)} (n ${gaps[0]?.length ?? 0})`;
}

const PARTS = { streams: streamFigures, plain: plainFigures, arrivals: arrivalFigures } as const;

const { values } = parseArgs({ options: { runs: { type: "string", default: "5" }, only: { type: "string" } } });
const runs = z.coerce.number().int().positive().parse(values.runs);
const parts = z.enum(["streams", "plain", "arrivals"]).optional().parse(values.only);
const workshop = new Workshop();
try {
  say(machine());
  for (const [name, figures] of Object.entries(PARTS)) {
    if (parts === undefined || parts === name) await figures(workshop, runs);
  }
} finally {
  workshop.remove();
}
