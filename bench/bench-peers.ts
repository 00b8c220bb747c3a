/**
 * Assay beside k6's own HTTP client and AIPerf, on the same server and the same core, in one run: what each measures of
 * streams, and how far that is from the server's own times. Prints results; sets no limits.
 * `npm run bench:peers [-- --runs N --streams N]` (default 3 runs of 100 and of 400 streams).
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import type { GroundTruthErrors } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM } from "../scripts/calibrate/run-calibration.ts";
import { AIPERF_VERSION, aiperfStreams, installAiperf } from "./aiperf.ts";
import { load, loadStreams } from "./assay-loads.ts";
import { BenchContext } from "./bench-context.ts";
import { machine, median, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { k6Plain, k6Streams } from "./k6-http.ts";

const USERS = 32;
const PLAIN_S = 5;

const errorText = (errors: readonly GroundTruthErrors[]): string =>
  `gap error p99 ${spread(errors.map(({ gap }) => gap.p99))}, max ${spread(errors.map(({ gap }) => gap.max))}; ` +
  `ttft error p99 ${spread(errors.map(({ ttft }) => ttft.p99))}, max ${spread(errors.map(({ ttft }) => ttft.max))} ` +
  `(${errors[0]?.gap.count.toLocaleString("en")} gaps)`;

async function compareStreams(context: BenchContext, count: number, runs: number, withAiperf: boolean) {
  say(
    `\n${count} streams, first token after ${STREAM.ttftMs} ms, then one chunk every ${STREAM.itlMs} ms; times in ms`,
  );
  const assay = await repeat(runs, () => loadStreams(context, count));
  say(`  Assay:   ${errorText(assay.map((result) => result.errors))}`);
  if (withAiperf) say(`  AIPerf:  ${errorText(await repeat(runs, () => aiperfStreams(context, count)))}`);
  const k6 = await repeat(runs, () => k6Streams(context, count));
  say(
    `  k6/http: first token and gaps not measured; time to headers p50 ${spread(k6.map((run) => run.waitingP50))}, ` +
      `end-to-end latency p50 ${spread(k6.map((run) => run.durationP50))}`,
  );
}

async function comparePlain(context: BenchContext, runs: number): Promise<void> {
  const flags = { vus: String(USERS), prompts: context.shortPrompt(), warmup: "1s", duration: `${PLAIN_S}s` };
  // In turn, so that other work of the machine affects both.
  const results = await repeat(runs, async () => ({
    assay: (await load(context, "chat", flags)).run.metrics["requests_per_s"]?.value ?? Number.NaN,
    k6: await k6Plain(context, USERS, PLAIN_S),
  }));
  const [assay, k6] = [results.map((run) => run.assay), results.map((run) => run.k6)];
  say(`\nplain requests of ${USERS} users in a closed loop on one core, requests/s`);
  say(`  Assay:   ${spread(assay, 0)}`);
  say(`  k6/http: ${spread(k6, 0)}; Assay sends ${(median(assay) / median(k6)).toFixed(2)} times as many`);
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
  say(`Assay against AIPerf ${AIPERF_VERSION} and k6/http; ${runsLabel(runs)}`);
  const unavailable = installAiperf(say);
  if (unavailable !== undefined) say(`AIPerf is left out: it could not be installed (${unavailable}).`);
  for (const count of sizes) await compareStreams(context, count, runs, unavailable === undefined);
  await comparePlain(context, runs);
} finally {
  context.remove();
}
