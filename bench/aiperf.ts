/** AIPerf under the same load, compared with the same ground truth. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { linesOf, readableLinesOf } from "../cli/file-lines.ts";
import type { RecordHeader, RequestRecord } from "../formats/records.ts";
import { compareWithGroundTruth } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM } from "../runs/calibrate/run-calibration.ts";
import { formatInstant } from "../settings/instants.ts";
import type { BenchContext } from "./bench-context.ts";
import { AIPERF_DEFINITIONS, aiperfFigures } from "./peer-figures.ts";
import { INPUT_TOKENS, type PeerLoad, type PeerRun, rateOf, requestsOf, SENDING_S, truthOf } from "./peer-load.ts";
import { aiperfPrinted, comparePrediction, predictionOf, type ReadStream } from "./peer-predictions.ts";
import { type PythonTool, runTool, tokenizerOf } from "./python-tool.ts";

export const AIPERF: PythonTool = { name: "AIPerf", program: "aiperf", version: "0.13.0", download: "about 1.2 GB" };

const value = z.object({ value: z.number() });
const row = z.object({
  metadata: z.object({ x_request_id: z.string(), request_start_ns: z.number() }),
  metrics: z.object({
    time_to_first_token: value.optional(),
    inter_chunk_latency: z.object({ value: z.array(z.number()) }).optional(),
  }),
});

/** What AIPerf measured of each stream, in the format of Assay's records. */
async function* recordsOf(file: string, target: string): AsyncGenerator<string> {
  const at = new Date(0).toISOString();
  const settings = { scenario: "chat-stream", target, duration: SENDING_S * 1_000, warmup: 0 };
  yield JSON.stringify({ schema: "assay.records/1", settings, startedAt: at } satisfies RecordHeader);
  for await (const line of readableLinesOf(file)) {
    const { metadata, metrics } = row.parse(JSON.parse(line));
    const gaps = metrics.inter_chunk_latency?.value ?? [];
    yield JSON.stringify({
      id: metadata.x_request_id,
      op: "chat.stream",
      phase: "measure",
      scheduled: at,
      sent: at,
      outcome: "ok",
      ttft: metrics.time_to_first_token?.value,
      chunks: gaps.length + 1,
      gaps_us: gaps.map((ms) => Math.round(ms * 1_000)),
    } satisfies RequestRecord);
  }
}

/** The streams as AIPerf read them. */
async function streamsIn(file: string): Promise<ReadStream[]> {
  const streams: ReadStream[] = [];
  for await (const line of readableLinesOf(file)) {
    const { metadata, metrics } = row.parse(JSON.parse(line));
    streams.push({
      id: metadata.x_request_id,
      sent: formatInstant(metadata.request_start_ns / 1e6),
      ttft: metrics.time_to_first_token?.value,
      gaps: metrics.inter_chunk_latency?.value ?? [],
    });
  }
  return streams;
}

/** Loads a stream server that nothing else loads. */
export async function aiperfRun(context: BenchContext, load: PeerLoad): Promise<PeerRun> {
  const server = await context.serve({ failEvery: load.failEvery });
  const artifacts = context.path("aiperf");
  try {
    runTool(AIPERF, [
      ...["profile", "-m", "bench", "--endpoint-type", "chat", "--streaming", "--url", server.url],
      ...["--tokenizer", tokenizerOf(AIPERF), "--use-server-token-count", "--ui", "none", "--artifact-dir", artifacts],
      ...["--request-rate", String(rateOf(load)), "--arrival-pattern", "constant"],
      ...["--request-count", String(requestsOf(load)), "--isl", String(INPUT_TOKENS), "--osl", String(STREAM.tokens)],
    ]);
  } finally {
    await server.stop();
  }
  const records = recordsOf(join(artifacts, "profile_export.jsonl"), server.url);
  const streams = await streamsIn(join(artifacts, "profile_export.jsonl"));
  const printed = readFileSync(join(artifacts, "profile_export_aiperf.json"), "utf8");
  return {
    reported: aiperfFigures(printed),
    predictions: comparePrediction(predictionOf("aiperf", server.ledger, streams), aiperfPrinted(printed)),
    truth: truthOf(server.ledger, AIPERF_DEFINITIONS),
    errors: await compareWithGroundTruth(records, linesOf(server.ledger)),
  };
}
