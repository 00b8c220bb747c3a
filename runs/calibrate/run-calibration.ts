/** Loads of increasing size, each compared with the ground truth that its target records. */

import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { Progress } from "../../cli/console.mjs";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { linesOf } from "../../cli/file-lines.ts";
import { whileInterruptible } from "../../cli/interrupt.ts";
import { createResultFolder } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import type { Calibration, CalibrationStep } from "../../formats/calibration.ts";
import { FILES } from "../../formats/file-names.ts";
import type { RunResult } from "../../formats/run.ts";
import {
  type CalibrationInput,
  stepOf,
  TRUSTED_GAP_ERROR_MS,
  trustedOf,
} from "../../reports/calibration/calibration-steps.ts";
import { compareWithGroundTruth } from "../../reports/calibration/ground-truth-errors.ts";
import { planLoad } from "../load/plan-load.ts";
import { runLoad } from "../load/run-load.ts";
import { loadResultOf } from "../views/load-views.ts";
import { type CalibrationServer, mockServer, runningServer } from "./calibration-server.ts";

/** Concurrent streams, step by step. */
export const STEPS: readonly number[] = [25, 50, 100, 200, 400, 800, 1600];

/** Beyond this error the next step can only be worse, so there is none. */
const EXCESSIVE_GAP_ERROR_MS = 4 * TRUSTED_GAP_ERROR_MS;

/** The streams of the mock. */
export const STREAM = { ttftMs: 100, itlMs: 20, tokens: 150 };
/** How long one of them lasts, in seconds. */
export const STREAM_S = (STREAM.ttftMs + STREAM.itlMs * (STREAM.tokens - 1)) / 1_000;
/** Streams, one after another, that show how long a stream of the user's own target lasts. */
const TRIAL_STREAMS = 3;
const TIMING = ["--ttft", `${STREAM.ttftMs}ms`, "--itl", `${STREAM.itlMs}ms`, "--output-tokens", String(STREAM.tokens)];

/** A target of the user's own, which records when it sent each chunk. */
export interface OwnTarget {
  readonly url: string;
  /** The file in which it does. */
  readonly groundTruth: string;
  /** `ASSAY_*` variables of how to connect to it, and the key. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What every step has in common. */
interface Ramp {
  readonly folder: string;
  readonly progress: Progress;
  readonly env: Readonly<Record<string, string>>;
  /** How long a stream lasts, in seconds. */
  readonly streamS: number;
  /** The server of a step. */
  readonly serve: (folder: string) => Promise<CalibrationServer>;
  readonly interrupted: () => boolean;
}

const TRIAL = "one-stream";

/**
 * Loads a target with more and more streams: the bundled mock at 50 chunks per second each, or the user's own.
 * @param folder result folder; each step gets a folder in it
 * @param streamsOf how many streams each step keeps open
 * @throws InconclusiveError when it is interrupted, or the ground truth has none of its requests
 */
export async function calibrate(
  folder: string,
  streamsOf: readonly number[],
  progress: Progress,
  own?: OwnTarget,
): Promise<Calibration> {
  let interrupted = false;
  const { steps, k6 } = await whileInterruptible(
    () => {
      interrupted = true;
    },
    async () => {
      const common = { folder, progress, interrupted: () => interrupted };
      return ramp(own === undefined ? onMock(common) : await onOwn(own, common), streamsOf);
    },
  );
  const trusted = trustedOf(steps);
  return {
    schema: "assay.calibration/1",
    at: new Date().toISOString(),
    tool: TOOL,
    ...(own !== undefined && { target: own.url }),
    ...(k6 !== undefined && { k6 }),
    machine: {
      cpus: availableParallelism(),
      model: cpus()[0]?.model.trim() ?? "unknown",
      memoryGb: Math.round(totalmem() / 2 ** 30),
    },
    steps,
    ...(trusted !== undefined && { trusted }),
  };
}

type Common = Pick<Ramp, "folder" | "progress" | "interrupted">;

const onMock = (common: Common): Ramp => ({
  ...common,
  env: {},
  streamS: STREAM_S,
  serve: (folder) => mockServer(TIMING, folder),
});

async function onOwn({ url, groundTruth, variables: env }: OwnTarget, common: Common): Promise<Ramp> {
  const next = await runningServer(url, groundTruth);
  common.progress.say("measuring how long a single stream lasts …");
  const folder = createResultFolder(join(common.folder, TRIAL), "step");
  const flags = { target: url, vus: "1", warmup: "0", duration: "10m", maxRequests: String(TRIAL_STREAMS) };
  await runLoad(
    planLoad("chat-stream", { ...flags, maxTokens: String(STREAM.tokens) }, { env }),
    folder,
    common.progress,
  );
  const run = await loadResultOf([folder]);
  requireUninterrupted(run, common);
  const meanMs = run.metrics["e2e"]?.mean;
  if (meanMs === undefined) {
    const seen = Object.keys(run.counts.outcomes).join(", ");
    throw new InconclusiveError(
      `Cannot calibrate against ${url}: none of ${TRIAL_STREAMS} streams was ok (${seen}). What was recorded is in ${folder}; assay load chat-stream --target ${url} shows more.`,
    );
  }
  return { ...common, env, streamS: meanMs / 1_000, serve: async () => next() };
}

async function ramp(
  common: Ramp,
  streamsOf: readonly number[],
): Promise<{ steps: CalibrationStep[]; k6: string | undefined }> {
  const steps: CalibrationStep[] = [];
  let first: CalibrationInput | undefined;
  let k6: string | undefined;
  for (const streams of streamsOf) {
    common.progress.say(`${streams} streams …`);
    const { step, run } = await measureStep(streams, common, first);
    first ??= { users: run.client.inFlightLimit, rssMaxMb: run.client.rssMaxMb };
    k6 = run.k6;
    steps.push(step);
    if (step.gapError.p99 > EXCESSIVE_GAP_ERROR_MS) break;
  }
  return { steps, k6 };
}

async function measureStep(streams: number, common: Ramp, first: CalibrationInput | undefined) {
  const folder = createResultFolder(join(common.folder, String(streams)), "step");
  const server = await common.serve(folder);
  try {
    // At this rate, this many streams are open; a quarter more may be, so that a late one does not have to wait.
    const flags = {
      target: server.url,
      rate: String(streams / common.streamS),
      warmup: `${Math.ceil(common.streamS) + 1}s`,
      duration: "8s",
      maxInFlight: String(Math.ceil(streams * 1.25)),
      maxTokens: String(STREAM.tokens),
    };
    await runLoad(planLoad("chat-stream", flags, { env: common.env }), folder, common.progress);
    const run = await loadResultOf([folder]);
    requireUninterrupted(run, common);
    const errors = await compareWithGroundTruth(linesOf(join(folder, FILES.records)), await server.groundTruth(folder));
    if (errors.ttft.count === 0) throw nothingCompared(streams, run, common.folder);
    return { step: stepOf(streams, run, errors, first), run };
  } finally {
    await server.stop();
  }
}

/** Without a stream to compare, the error of this machine is not large: it is not known. */
function nothingCompared(streams: number, { counts }: RunResult, folder: string): InconclusiveError {
  const seen = Object.entries(counts.outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  return new InconclusiveError(
    `Cannot calibrate with ${streams} streams: none of them could be compared with what the target recorded (${seen.join(", ")}). What was recorded is in ${folder}; the previous calibration stays valid. Run it again.`,
  );
}

function requireUninterrupted(run: RunResult, { interrupted }: Common): void {
  if (interrupted() || run.interrupted)
    throw new InconclusiveError("The calibration was interrupted; the previous one stays valid.");
}
