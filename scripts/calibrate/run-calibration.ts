/** Stepped loads, each compared with the ledger of its target; and the memory of the last calibration. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import type { RunResult } from "../../formats/run.ts";
import {
  type Calibration,
  type CalibrationInput,
  type CalibrationStep,
  parseCalibration,
  stepOf,
  TRUSTED_GAP_ERROR_MS,
  trustedOf,
} from "../../reports/calibration/calibration.ts";
import { compareWithTruth } from "../../reports/calibration/ground-truth-errors.ts";
import { cacheFolder } from "../build/find-k6.mjs";
import type { Progress } from "../cli/console.ts";
import { NoConclusion } from "../cli/exit-codes.ts";
import { linesOf } from "../cli/file-lines.ts";
import { whileInterruptible } from "../cli/interrupt.ts";
import { prepareFolder, writeWhole } from "../cli/result-folder.ts";
import { TOOL } from "../cli/tool.ts";
import { planLoad, runLoad } from "../load/run-load.ts";
import { loadResultOf } from "../views/load-views.ts";
import { type CalibrationServer, mockServer, runningServer } from "./calibration-server.ts";

/** Streams that are open at once, step by step. */
export const STEPS: readonly number[] = [25, 50, 100, 200, 400, 800, 1600];

/** Steps go on until the error is so far beyond the bound that the next one can only be worse. */
const HOPELESS_GAP_ERROR_MS = 4 * TRUSTED_GAP_ERROR_MS;

/** The streams of the mock. */
export const STREAM = { ttftMs: 100, itlMs: 20, tokens: 150 };
/** How long one of them lasts, in seconds. */
export const STREAM_S = (STREAM.ttftMs + STREAM.itlMs * (STREAM.tokens - 1)) / 1_000;
/** Streams, one after another, that show how long one of an own target lasts. */
const TRIAL_STREAMS = 3;
const TIMING = ["--ttft", `${STREAM.ttftMs}ms`, "--itl", `${STREAM.itlMs}ms`, "--output-tokens", String(STREAM.tokens)];

/** A target of the user's own, which writes down when it sent each chunk. */
export interface OwnTarget {
  readonly url: string;
  /** The file in which it does. */
  readonly groundTruth: string;
  /** `ASSAY_*` variables of how to connect to it, and the key. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What every step has in common. */
interface Climb {
  readonly folder: string;
  readonly progress: Progress;
  readonly env: Readonly<Record<string, string>>;
  /** How long a stream lasts, in seconds. */
  readonly streamS: number;
  /** The server of a step. */
  readonly serve: (folder: string) => Promise<CalibrationServer>;
  readonly interrupted: () => boolean;
}

/** Folders in the result folder that a calibration makes. */
export const calibrationFolders = (streamsOf: readonly number[]): string[] => [TRIAL, ...streamsOf.map(String)];
const TRIAL = "one-stream";

/**
 * Loads a target with more and more streams: the bundled mock at 50 chunks a second each, or the user's own.
 * @param folder result folder; a folder a step is made in it
 * @param streamsOf how many streams each step keeps open
 * @throws NoConclusion when it is interrupted, or nothing of it is in the ledger
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
      return climb(own === undefined ? onMock(common) : await onOwn(own, common), streamsOf);
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

type Common = Pick<Climb, "folder" | "progress" | "interrupted">;

const onMock = (common: Common): Climb => ({
  ...common,
  env: {},
  streamS: STREAM_S,
  serve: (folder) => mockServer(TIMING, folder),
});

async function onOwn({ url, groundTruth, variables: env }: OwnTarget, common: Common): Promise<Climb> {
  const next = await runningServer(url, groundTruth);
  common.progress.say("one stream at a time, to see how long one lasts …");
  const folder = prepareFolder(join(common.folder, TRIAL), "step");
  const flags = { target: url, vus: "1", warmup: "0", duration: "10m", maxRequests: String(TRIAL_STREAMS) };
  await runLoad(
    planLoad("chat-stream", { ...flags, maxTokens: String(STREAM.tokens) }, { env }),
    folder,
    common.progress,
  );
  const run = await loadResultOf([folder]);
  requireGoingOn(run, common);
  const meanMs = run.metrics["e2e"]?.mean;
  if (meanMs === undefined) {
    const seen = Object.keys(run.counts.outcomes).join(", ");
    throw new NoConclusion(
      `Cannot calibrate against ${url}: none of ${TRIAL_STREAMS} streams ended well (${seen}). What was recorded is in ${folder}; assay load chat-stream --target ${url} shows more.`,
    );
  }
  return { ...common, env, streamS: meanMs / 1_000, serve: async () => next() };
}

async function climb(
  common: Climb,
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
    if (step.gapError.p99 > HOPELESS_GAP_ERROR_MS) break;
  }
  return { steps, k6 };
}

async function measureStep(streams: number, common: Climb, first: CalibrationInput | undefined) {
  const folder = prepareFolder(join(common.folder, String(streams)), "step");
  const server = await common.serve(folder);
  try {
    // So many arrivals a second keep so many streams open; some more may be, for a late one must not wait.
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
    requireGoingOn(run, common);
    const truth = await compareWithTruth(linesOf(join(folder, FILES.records)), await server.ledger(folder));
    return { step: stepOf(streams, run, truth, first), run };
  } finally {
    await server.stop();
  }
}

function requireGoingOn(run: RunResult, { interrupted }: Common): void {
  if (interrupted() || run.interrupted)
    throw new NoConclusion("The calibration was interrupted; the one before it stays in force.");
}

/** Keeps a calibration for later loads on this machine. */
export function rememberCalibration(calibration: Calibration): void {
  mkdirSync(cacheFolder(process.env), { recursive: true });
  writeWhole(cacheFolder(process.env), FILES.calibration, JSON.stringify(calibration));
}

/** The last calibration of this machine; undefined when there is none that can be read. */
export function lastCalibration(): Calibration | undefined {
  const file = join(cacheFolder(process.env), FILES.calibration);
  if (!existsSync(file)) return undefined;
  try {
    return parseCalibration(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
