/** One load by Assay's own client, with what it cost and how far it was from the truth. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../formats/file-names.ts";
import type { RunResult } from "../formats/run.ts";
import { compareWithTruth, type Truth } from "../reports/calibration/ground-truth-errors.ts";
import { linesOf } from "../scripts/cli/file-lines.ts";
import { planLoad, runLoad } from "../scripts/load/run-load.ts";
import { loadResultOf } from "../scripts/views/load-views.ts";
import { STREAM, STREAM_S, type Workshop } from "./bench-context.ts";

export const SILENT = { show: () => undefined, say: () => undefined, end: () => undefined };

export type Flags = Readonly<Record<string, string>>;

/** Loads a server that nothing else loads. */
export async function load(
  workshop: Workshop,
  scenario: string,
  flags: Flags,
): Promise<{ run: RunResult; folder: string; ledger: string }> {
  const server = await workshop.serve();
  const folder = workshop.path(scenario);
  mkdirSync(folder);
  await runLoad(planLoad(scenario, { target: server.url, ...flags }, { env: {} }), folder, SILENT);
  const ledger = await server.stop();
  return { run: await loadResultOf([folder]), folder, ledger };
}

/** So many streams at once: as many arrivals a second keep them open. */
export const streamFlags = (streams: number): Flags => ({
  rate: String(streams / STREAM_S),
  warmup: `${Math.ceil(STREAM_S) + 1}s`,
  duration: "8s",
  maxInFlight: String(Math.ceil(streams * 1.1)),
  maxTokens: String(STREAM.tokens),
});

/** Keeps so many streams open and compares what was measured with the server's ledger. */
export async function streams(workshop: Workshop, count: number): Promise<{ run: RunResult; truth: Truth }> {
  const { run, folder, ledger } = await load(workshop, "chat-stream", streamFlags(count));
  return { run, truth: await compareWithTruth(linesOf(join(folder, FILES.records)), linesOf(ledger)) };
}
