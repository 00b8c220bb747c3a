/**
 * Assay beside k6's own HTTP client and AIPerf, on the same server and the same core, in one run: what each says of
 * streams, and how far that is from the server's own times. Prints and judges nothing.
 * `npm run bench:peers [-- --runs N --streams N]` (default 3 runs of 100 and of 400 streams).
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { Truth } from "../reports/calibration/ground-truth-errors.ts";
import { AIPERF_VERSION, aiperfStreams, installAiperf } from "./aiperf.ts";
import { load, streams } from "./assay-loads.ts";
import { STREAM, Workshop } from "./bench-context.ts";
import { machine, median, say, spread } from "./bench-output.ts";
import { k6Plain, k6Streams } from "./k6-http.ts";

const USERS = 32;
const PLAIN_S = 5;

async function times<T>(runs: number, once: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < runs; n += 1) results.push(await once());
  return results;
}

const errors = (truths: readonly Truth[]): string =>
  `gap error p99 ${spread(truths.map(({ gap }) => gap.p99))}, max ${spread(truths.map(({ gap }) => gap.max))}; ` +
  `ttft error p99 ${spread(truths.map(({ ttft }) => ttft.p99))}, max ${spread(truths.map(({ ttft }) => ttft.max))} ` +
  `(${truths[0]?.gap.count.toLocaleString("en")} gaps)`;

async function streamFigures(workshop: Workshop, count: number, runs: number, noAiperf: string | undefined) {
  say(`\n${count} streams, first token after ${STREAM.ttftMs} ms, then a chunk every ${STREAM.itlMs} ms; ms`);
  const assay = await times(runs, () => streams(workshop, count));
  say(`  Assay:   ${errors(assay.map(({ truth }) => truth))}`);
  if (noAiperf === undefined) {
    say(`  AIPerf:  ${errors(await times(runs, () => aiperfStreams(workshop, count)))}`);
  }
  const plain = await times(runs, () => k6Streams(workshop, count));
  say(
    `  k6/http: first token and gaps not measured; time to headers p50 ${spread(plain.map((run) => run.waitingP50))}, ` +
      `whole answer p50 ${spread(plain.map((run) => run.durationP50))}`,
  );
}

async function plainFigures(workshop: Workshop, runs: number): Promise<void> {
  const prompts = workshop.path("short.jsonl");
  writeFileSync(prompts, `${JSON.stringify({ prompt: "Why is the sky blue?" })}\n`);
  const flags = { vus: String(USERS), prompts, warmup: "1s", duration: `${PLAIN_S}s` };
  const assay: number[] = [];
  const k6: number[] = [];
  // In turn, so that what else the machine does falls on both.
  for (let n = 0; n < runs; n += 1) {
    assay.push((await load(workshop, "chat", flags)).run.metrics["requests_per_s"]?.value ?? Number.NaN);
    k6.push(await k6Plain(workshop, USERS, PLAIN_S));
  }
  say(`\nplain requests of ${USERS} users, as fast as one core sends them, requests/s`);
  say(`  Assay:   ${spread(assay, 0)}`);
  say(`  k6/http: ${spread(k6, 0)}; Assay sends ${(median(assay) / median(k6)).toFixed(2)} times as many`);
}

const positive = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: { runs: { type: "string", default: "3" }, streams: { type: "string", multiple: true } },
});
const runs = positive.parse(values.runs);
const sizes = z.array(positive).parse(values.streams ?? ["100", "400"]);
const workshop = new Workshop();
try {
  say(machine());
  say(`Assay against AIPerf ${AIPERF_VERSION} and k6/http; ${runs} runs each: the middle one (all)`);
  const noAiperf = installAiperf(say);
  if (noAiperf !== undefined) say(`AIPerf is left out: it could not be installed (${noAiperf}).`);
  for (const count of sizes) await streamFigures(workshop, count, runs, noAiperf);
  await plainFigures(workshop, runs);
} finally {
  workshop.remove();
}
