/**
 * Assay beside AIPerf, GuideLLM and k6's own HTTP client, on the same server and the same core, with the same streams: what
 * each reports and what the server's own times say, as Markdown. Prints results; sets no limits.
 * `npm run bench:peers [-- --runs N --streams N]` (default 3 runs; 100 and 400 streams, and the first number with failures).
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import { STREAM } from "../runs/calibrate/run-calibration.ts";
import { AIPERF, aiperfRun } from "./aiperf.ts";
import { assayRun } from "./assay-peer.ts";
import { BenchContext } from "./bench-context.ts";
import { machine, median, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { GUIDELLM, guidellmRun } from "./guidellm.ts";
import { k6Streams } from "./k6-http.ts";
import type { Figures } from "./peer-figures.ts";
import { INPUT_TOKENS, type PeerLoad, type PeerRun, requestsOf, SENDING_S } from "./peer-load.ts";
import { installTool } from "./python-tool.ts";

const FAIL_EVERY = 10;

interface Peer {
  readonly name: string;
  readonly run: (context: BenchContext, load: PeerLoad) => Promise<PeerRun>;
}

const FIGURES: readonly (readonly [label: string, of: (figures: Figures) => number, decimals: number])[] = [
  ["TTFT p50, ms", ({ ttftP50 }) => ttftP50, 1],
  ["TTFT p95, ms", ({ ttftP95 }) => ttftP95, 1],
  ["ICL mean, ms", ({ iclMean }) => iclMean, 2],
  ["ICL p95, ms", ({ iclP95 }) => iclP95, 2],
  ["ok requests/s", ({ requestsPerS }) => requestsPerS, 2],
  ["output tokens/s", ({ tokensPerS }) => tokensPerS, 0],
  ["requests ok", ({ ok }) => ok, 0],
  ["requests failed", ({ failed }) => failed, 0],
];

const row = (cells: readonly string[]): void => say(`| ${cells.join(" | ")} |`);

function head(first: string, names: readonly string[]): void {
  row([first, ...names]);
  row(["---", ...names.map(() => "---")]);
}

/** `101.2 of 101.0 (+0.1 to +0.3)`: medians of reported and true, and by how much reported exceeds true in the runs. */
function beside(runs: readonly PeerRun[], of: (figures: Figures) => number, decimals: number): string {
  if (runs.some(({ reported }) => Number.isNaN(of(reported)))) return "not reported";
  const value = (figures: readonly Figures[]): string => spread([median(figures.map(of))], decimals);
  const off = runs.map(({ reported, truth }) => of(reported) - of(truth));
  const zero = spread([0], decimals);
  const signed = (number: number): string => {
    const size = spread([Math.abs(number)], decimals);
    return size === zero ? zero : `${number < 0 ? "−" : "+"}${size}`;
  };
  const range = [...new Set([Math.min(...off), Math.max(...off)].map(signed))].join(" to ");
  return `${value(runs.map(({ reported }) => reported))} of ${value(runs.map(({ truth }) => truth))}${range === zero ? "" : ` (${range})`}`;
}

/** How many of the figures that a tool printed are as `assay report --as` predicts them for its streams, and which are not. */
function sayPredictions({ name }: Peer, runs: readonly PeerRun[]): void {
  const compared = runs.flatMap(({ predictions = [] }) => predictions);
  if (compared.length === 0) return;
  const others = compared.filter(({ isAlike }) => !isAlike);
  say(
    `${name}: ${compared.length - others.length} of ${compared.length} figures are within 1 % or 1 ms of the prediction.`,
  );
  for (const { figure, predicted, printed } of others) {
    say(`  ${figure}: predicted ${predicted.toFixed(2)}, printed ${printed.toFixed(2)}`);
  }
}

async function compareStreams(context: BenchContext, peers: readonly Peer[], load: PeerLoad, runs: number) {
  const results = new Map<Peer, PeerRun[]>(peers.map((peer) => [peer, []]));
  const k6: string[] = [];
  await repeat(runs, async () => {
    for (const [peer, list] of results) list.push(await peer.run(context, load));
    if (load.failEvery === 0) return;
    const { ok, failed } = await k6Streams(context, load);
    k6.push(`${ok} ok and ${failed} failed`);
  });
  say(
    `\n${load.streams} streams at once, ${requestsOf(load)} in all` +
      `${load.failEvery === 0 ? "" : `, of which one in ${load.failEvery} fails`}; reported of true (difference)\n`,
  );
  const all = [...results.values()];
  for (const [peer, list] of results) sayPredictions(peer, list);
  head(
    `${load.streams} streams${load.failEvery === 0 ? "" : ", some failing"}`,
    peers.map(({ name }) => name),
  );
  for (const [label, of, decimals] of FIGURES) row([label, ...all.map((list) => beside(list, of, decimals))]);
  if (load.failEvery > 0) {
    const timed = (list: readonly PeerRun[]) => list.map(({ reported, truth }) => reported.timed - truth.ok);
    row(["failed streams in TTFT", ...all.map((list) => spread(timed(list), 0))]);
    say(`\nk6/http, whose check is for status 200 and a body: ${k6.join("; ")}.`);
    return;
  }
  for (const [label, of] of [
    ["error of each gap p99, ms", (list: readonly PeerRun[]) => list.map(({ errors }) => errors?.gap.p99)],
    ["error of each TTFT p99, ms", (list: readonly PeerRun[]) => list.map(({ errors }) => errors?.ttft.p99)],
  ] as const) {
    const known = all.map((list) => of(list).filter((value) => value !== undefined));
    row([label, ...known.map((values) => (values.length === 0 ? "not reported" : spread(values)))]);
  }
}

const positive = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: { runs: { type: "string", default: "3" }, streams: { type: "string", multiple: true } },
});
const runs = positive.parse(values.runs);
const sizes = z.array(positive).parse(values.streams ?? ["100", "400"]);
const context = new BenchContext();
try {
  say(machine());
  say(`${new Date().toISOString().slice(0, 10)}; ${runsLabel(runs)}, in which the tools take turns`);
  const peers: Peer[] = [{ name: "Assay", run: assayRun }];
  for (const [tool, run] of [
    [AIPERF, aiperfRun],
    [GUIDELLM, guidellmRun],
  ] as const) {
    const unavailable = installTool(tool, say);
    if (unavailable === undefined) peers.push({ name: `${tool.name} ${tool.version}`, run });
    else say(`${tool.name} is left out: it could not be installed (${unavailable}).`);
  }
  say(
    `Streams of ${STREAM.tokens} tokens, one chunk each: the first after ${STREAM.ttftMs} ms, then one every ${STREAM.itlMs} ms; ` +
      `prompts of ${INPUT_TOKENS} tokens; constant rate for ${SENDING_S} s, no warm-up`,
  );
  for (const streams of sizes) await compareStreams(context, peers, { streams, failEvery: 0 }, runs);
  await compareStreams(context, peers, { streams: sizes[0] ?? 100, failEvery: FAIL_EVERY }, runs);
} finally {
  context.remove();
}
