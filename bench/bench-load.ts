/**
 * Measures the load generator: how far its times are from the server's own, its CPU time and memory per stream, how many
 * plain requests it sends, and how arrivals follow each other. Prints results; fails only where the table of rivals says so.
 * `npm run bench [-- --runs N] [--cores N] [--only table|streams|plain|arrivals|collections|outputs|checks|search|disturbed]`, where N (default 5) is the number of runs of each load.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { z } from "zod";
import { coefficientOfVariation, criticalDistance, distanceFromPoisson, gapsAtServer } from "./arrival-statistics.ts";
import { type Flags, load, loadStreams, runScenario, withGo } from "./assay-loads.ts";
import { BenchContext } from "./bench-context.ts";
import { machine, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { benchTable } from "./bench-table.ts";
import { benchDisturbed } from "./disturbed-loads.ts";
import { benchSearch } from "./search-limits.ts";
import { benchStreams } from "./stream-table.ts";

const SEGMENTS = 4;
const NO_WARMUP = { warmup: "0s" };

/** Such as `4 VALID, 1 INVALID`. */
const tally = (verdicts: readonly string[]): string =>
  [...new Set(verdicts)].map((verdict) => `${verdicts.filter((one) => one === verdict).length} ${verdict}`).join(", ");

async function benchPlain(context: BenchContext, runs: number): Promise<void> {
  const prompts = context.shortPrompt();
  say(`\nplain requests; ${runsLabel(runs)}`);
  const loads: readonly (readonly [string, Flags])[] = [
    ["closed loop of 32 users, a short prompt", { vus: "32", prompts }],
    ["closed loop of 32 users, the bundled prompts", { vus: "32" }],
    ["open loop at 8,000/s, a short prompt", { rate: "8000", prompts }],
  ];
  for (const [name, flags] of loads) {
    const results = await repeat(
      runs,
      async () => (await load(context, "chat", { warmup: "2s", duration: "5s", ...flags })).run,
    );
    const rates = results.map((run) => run.metrics["requests_per_s"]?.value ?? Number.NaN);
    const cpu = results.map((run, index) => ((run.client.cpu ?? Number.NaN) * 1e6) / (rates[index] ?? Number.NaN));
    const lags = results.flatMap((run) => run.client.lagP99Ms ?? []);
    const lag = lags.length === 0 ? "" : `, schedule lag p99 ${spread(lags)} ms`;
    say(`  ${name}: ${spread(rates, 0)} requests/s, CPU per request ${spread(cpu, 1)} us${lag}`);
  }
}

async function benchArrivals(context: BenchContext, runs: number): Promise<void> {
  say(`\narrivals, as the server observed them; ${runsLabel(runs)}`);
  for (const [rate, duration] of [
    [50, "24s"],
    [500, "6s"],
  ] as const) {
    for (const arrival of ["constant", "poisson"]) {
      const gaps = await repeat(runs, async (number) => {
        const flags = { rate: String(rate), arrival, duration, seed: String(number), ...NO_WARMUP };
        return gapsAtServer((await load(context, "chat", flags)).ledger);
      });
      say(`  ${arrival} at ${rate}/s: ${distribution(gaps, arrival === "poisson" ? rate : undefined)}`);
    }
  }
  const gaps = await repeat(runs, (number) => segmentedGaps(context, 50, number));
  say(`  poisson at 50/s, ${SEGMENTS} segments together: ${distribution(gaps, 50)}`);
}

/** Gaps at the server of a load that several processes share. */
async function segmentedGaps(context: BenchContext, rate: number, seed: number): Promise<number[]> {
  const server = await context.serve();
  const flags = { target: server.url, rate: String(rate), arrival: "poisson", duration: "24s", seed: String(seed) };
  await Promise.all(
    Array.from({ length: SEGMENTS }, (_, index) =>
      runScenario(
        "chat",
        { ...flags, ...NO_WARMUP, segment: `${index + 1}/${SEGMENTS}` },
        context.newFolder("segment"),
      ),
    ),
  );
  return gapsAtServer(await server.stop());
}

/** How gaps are distributed; with a rate, also how far that is from a Poisson process of the rate. */
function distribution(gaps: readonly (readonly number[])[], rate: number | undefined): string {
  const cv = `CV ${spread(gaps.map(coefficientOfVariation), 3)}`;
  if (rate === undefined) return cv;
  const distances = gaps.map((one) => distanceFromPoisson(one, rate));
  const critical = Math.min(...gaps.map(({ length }) => criticalDistance(length)));
  return `${cv}, KS distance ${spread(distances, 3)}, critical ${critical.toFixed(3)} (n ${gaps[0]?.length ?? 0})`;
}

/** Streams that leave no idle moment, for as long as it takes to make the garbage of a collection or two. */
const COLLECTED = { count: 400, flags: { duration: "150s" } } as const;

/** What collections cost: pairs of loads, one with the collector as it is, one without a collection. */
async function benchCollections(context: BenchContext, runs: number): Promise<void> {
  const { count, flags } = COLLECTED;
  say(`\ncollections of garbage while ${count} streams are open; errors in ms; pairs, ${runsLabel(runs)}`);
  const pairs = await repeat(runs, async () => ({
    collected: await loadStreams(context, count, flags),
    never: await withGo({ GOGC: "off" }, () => loadStreams(context, count, flags)),
  }));
  const cycles = pairs.map(({ collected }) => collected.run.client.gcCycles ?? Number.NaN);
  say(`  ${spread(cycles, 0)} collections; ${tally(pairs.map(({ collected }) => collected.run.validity.verdict))}`);
  for (const name of ["gap", "ttft"] as const) {
    const of = (which: "collected" | "never") => pairs.map((pair) => pair[which].errors[name].p99);
    const ratios = of("collected").map((error, index) => error / (of("never")[index] ?? Number.NaN));
    say(`    ${name} error p99 ${spread(of("collected"))}, without ${spread(of("never"))}, ratio ${spread(ratios)}`);
  }
  const wakes = (which: "collected" | "never") => pairs.map((pair) => pair[which].run.client.wakeP99Ms ?? Number.NaN);
  say(`    wake-up latency p99 ${spread(wakes("collected"))}, without ${spread(wakes("never"))}`);
  const memory = (which: "collected" | "never") => pairs.map((pair) => pair[which].run.client.rssMaxMb ?? Number.NaN);
  say(`    memory at most ${spread(memory("collected"), 0)} MB, without ${spread(memory("never"), 0)} MB`);
}

/** Streams with which outputs and checks are compared. */
const KIND_STREAMS = 400;

/** Every output, one after the other, against a load without any; the receiver does nothing with what it gets. */
async function benchOutputs(context: BenchContext, runs: number): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "text/plain" }).end("up 1\n"));
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const address = receiver.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const kinds: Readonly<Record<string, () => Flags>> = {
    none: () => ({}),
    "web-dashboard": () => ({ output: "web-dashboard" }),
    csv: () => ({ output: `csv=${context.path("samples.csv")}` }),
    json: () => ({ output: `json=${context.path("samples.json")}` }),
    prometheus: () => ({ output: `prometheus=${url}` }),
    otlp: () => ({ output: `otlp=${url}` }),
    scrape: () => ({ scrape: url }),
  };
  try {
    await benchKinds(context, runs, "each output", kinds);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

/** A load without a check of what it receives, and with checks of a share and of all. */
const benchChecks = (context: BenchContext, runs: number): Promise<void> =>
  benchKinds(context, runs, "a check of a sample", {
    none: () => ({}),
    "--check 1%": () => ({ check: "1%" }),
    "--check 100%": () => ({ check: "100%" }),
  });

/** Loads with different flags in turn, so that what changes on the machine meanwhile meets all of them. */
async function benchKinds(
  context: BenchContext,
  runs: number,
  title: string,
  kinds: Readonly<Record<string, () => Flags>>,
): Promise<void> {
  say(`\n${KIND_STREAMS} streams with ${title}; errors against the ground truth in ms; ${runsLabel(runs)}, in turn`);
  const rounds = await repeat(runs, async () => {
    const results = new Map<string, Awaited<ReturnType<typeof loadStreams>>>();
    for (const [kind, flags] of Object.entries(kinds)) {
      results.set(kind, await loadStreams(context, KIND_STREAMS, flags()));
    }
    return results;
  });
  for (const kind of Object.keys(kinds)) {
    const all = rounds.flatMap((results) => results.get(kind) ?? []);
    const of = (read: (result: (typeof all)[number]) => number | undefined): string =>
      spread(all.map((result) => read(result) ?? Number.NaN));
    const checked = all.flatMap(({ run }) => run.check?.exchanges.judged ?? []);
    say(
      `  ${kind}: gap error p99 ${of(({ errors }) => errors.gap.p99)}, max ${of(({ errors }) => errors.gap.max)}; ttft error p99 ${of(({ errors }) => errors.ttft.p99)}; ` +
        `CPU cores ${of(({ run }) => run.client.cpu)}; schedule lag p99 ${of(({ run }) => run.client.lagP99Ms)}; ${tally(all.map(({ run }) => run.validity.verdict))}` +
        (checked.length === 0 ? "" : `; ${spread(checked, 0)} exchanges checked`),
    );
  }
}

const PARTS = {
  table: async (context: BenchContext, runs: number): Promise<void> => {
    const excesses = await benchTable(context, runs);
    for (const excess of excesses) say(excess);
    if (excesses.length > 0) process.exitCode = 1;
  },
  streams: benchStreams,
  plain: benchPlain,
  arrivals: benchArrivals,
  collections: benchCollections,
  search: benchSearch,
  outputs: benchOutputs,
  checks: benchChecks,
  disturbed: benchDisturbed,
} as const;

const { values } = parseArgs({
  options: { runs: { type: "string", default: "5" }, only: { type: "string" }, cores: { type: "string" } },
});
const runs = z.coerce.number().int().positive().parse(values.runs);
const only = z
  .enum(["table", "streams", "plain", "arrivals", "collections", "outputs", "checks", "search", "disturbed"])
  .optional()
  .parse(values.only);
const context = new BenchContext();
try {
  say(machine());
  for (const [name, bench] of Object.entries(PARTS)) {
    if (only === undefined || only === name) await bench(context, runs);
  }
} finally {
  context.remove();
}
