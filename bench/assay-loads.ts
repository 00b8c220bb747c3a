/** Loads by Assay itself, with what they cost and how far their times are from the ground truth. */

import { join } from "node:path";
import type { Progress } from "../cli/console.mjs";
import { linesOf } from "../cli/file-lines.ts";
import { FILES } from "../formats/file-names.ts";
import type { RunResult } from "../formats/run.ts";
import { compareWithGroundTruth, type GroundTruthErrors } from "../reports/calibration/ground-truth-errors.ts";
import { STREAM, STREAM_S } from "../runs/calibrate/run-calibration.ts";
import { planLoad } from "../runs/load/plan-load.ts";
import { runLoad } from "../runs/load/run-load.ts";
import { loadResultOf } from "../runs/views/load-views.ts";
import type { BenchContext, Serving } from "./bench-context.ts";

export const SILENT: Progress = { show: () => undefined, say: () => undefined, end: () => undefined };

export type Flags = Readonly<Record<string, string>>;

/** Runs a scenario with these flags and no other source of settings; its records go into the folder. */
export async function runScenario(scenario: string, flags: Flags, folder: string): Promise<void> {
  await runLoad(planLoad(scenario, flags, { env: {} }), folder, SILENT);
}

/** Loads a stream server that nothing else loads. @param serving how it serves */
export async function load(
  context: BenchContext,
  scenario: string,
  flags: Flags,
  serving: Serving = {},
): Promise<{ run: RunResult; folder: string; ledger: string }> {
  const server = await context.serve(serving);
  const folder = context.newFolder(scenario);
  await runScenario(scenario, { target: server.url, ...flags }, folder);
  const ledger = await server.stop();
  return { run: await loadResultOf([folder]), folder, ledger };
}

/** The flags that keep this many streams open: one arrival for each that ends. */
const streamFlags = (streams: number): Flags => ({
  rate: String(streams / STREAM_S),
  warmup: `${Math.ceil(STREAM_S) + 1}s`,
  duration: "8s",
  maxInFlight: String(Math.ceil(streams * 1.1)),
  maxTokens: String(STREAM.tokens),
});

/**
 * Keeps this many streams open and compares what was measured with the ground truth.
 * @param more flags in addition to those that keep the streams open
 */
export const loadStreams = (
  context: BenchContext,
  count: number,
  more: Flags = {},
  serving: Serving = {},
): ReturnType<typeof loadAndCompare> => loadAndCompare(context, { ...streamFlags(count), ...more }, serving);

/** Loads streams with these flags, and compares what was measured with the ground truth. */
export async function loadAndCompare(
  context: BenchContext,
  flags: Flags,
  serving: Serving = {},
): Promise<{ run: RunResult; errors: GroundTruthErrors }> {
  const { run, folder, ledger } = await load(context, "chat-stream", flags, serving);
  return { run, errors: await compareWithGroundTruth(linesOf(join(folder, FILES.records)), linesOf(ledger)) };
}

/** Runs something with variables of the Go runtime for the load generator. */
export async function withGo<T>(variables: Readonly<Record<string, string>>, run: () => Promise<T>): Promise<T> {
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}
