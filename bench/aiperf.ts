/** AIPerf under the same load: installed by pip into a folder of the user's cache, and compared with the same ground truth. */

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { RecordHeader, RequestRecord } from "../formats/records.ts";
import { compareWithGroundTruth, type GroundTruthErrors } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM_S } from "../scripts/calibrate/run-calibration.ts";
import { linesOf, readableLinesOf } from "../scripts/cli/file-lines.ts";
import { cacheFolder } from "../scripts/toolchain/find-k6.mjs";
import type { BenchContext } from "./bench-context.ts";

export const AIPERF_VERSION = "0.13.0";
const DURATION_S = 12;

const home = join(cacheFolder(process.env), `aiperf-${AIPERF_VERSION}`);
const python = join(home, "bin", "python");

/** AIPerf requires a tokenizer, and would look for one on the network. */
const MAKE_TOKENIZER = fileURLToPath(new URL("./make-tokenizer.py", import.meta.url));

const call = (program: string, args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(program, args, { encoding: "utf8" });

/** Installs AIPerf unless it is installed; returns the reason when that fails. */
export function installAiperf(say: (line: string) => void): string | undefined {
  if (existsSync(join(home, "installed"))) return undefined;
  say(`Installing AIPerf ${AIPERF_VERSION} with pip (about 1.2 GB) …`);
  for (const [program, args] of [
    ["python3", ["-m", "venv", home]],
    [python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", `aiperf==${AIPERF_VERSION}`]],
    [python, [MAKE_TOKENIZER, join(home, "tokenizer")]],
    [python, ["-c", `open(${JSON.stringify(join(home, "installed"))}, "w").close()`]],
  ] as const) {
    const { status, stderr, error } = call(program, args);
    if (status === 0) continue;
    rmSync(home, { recursive: true, force: true });
    return error?.message ?? (stderr.trim().split("\n").at(-1) || `exit code ${status}`);
  }
  return undefined;
}

const value = z.object({ value: z.number() });
const row = z.object({
  metadata: z.object({ x_request_id: z.string() }),
  metrics: z.object({
    time_to_first_token: value.optional(),
    inter_chunk_latency: z.object({ value: z.array(z.number()) }).optional(),
  }),
});

/** What AIPerf measured of each stream, in the format of Assay's records. */
async function* recordsOf(file: string, target: string): AsyncGenerator<string> {
  const at = new Date(0).toISOString();
  const settings = { scenario: "chat-stream", target, duration: DURATION_S * 1_000, warmup: 0 };
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

/** Keeps this many streams open with AIPerf and compares what it measures with the ground truth. */
export async function aiperfStreams(context: BenchContext, streams: number): Promise<GroundTruthErrors> {
  const server = await context.serve();
  const artifacts = context.path("aiperf");
  const { status, stdout } = call(join(home, "bin", "aiperf"), [
    ...["profile", "-m", "bench", "--endpoint-type", "chat", "--streaming", "--url", server.url],
    ...["--tokenizer", join(home, "tokenizer"), "--ui", "none", "--artifact-dir", artifacts],
    ...["--request-rate", String(streams / STREAM_S), "--arrival-pattern", "constant"],
    ...["--benchmark-duration", String(DURATION_S), "--synthetic-input-tokens-mean", "20"],
  ]);
  const ledger = await server.stop();
  if (status !== 0) throw new Error(`AIPerf ended with exit code ${status}:\n${stdout.slice(-2_000)}`);
  return compareWithGroundTruth(recordsOf(join(artifacts, "profile_export.jsonl"), server.url), linesOf(ledger));
}
