/** Stepped loads of the bundled mock, each compared with the mock's ledger; and the memory of the last calibration. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import {
  type Calibration,
  type CalibrationInput,
  type CalibrationStep,
  parseCalibration,
  stepOf,
  TRUSTED_GAP_ERROR_MS,
  trustedOf,
} from "../reports/calibration/calibration.ts";
import { compareWithTruth } from "../reports/calibration/truth.ts";
import type { Progress } from "./console.ts";
import { NoConclusion } from "./exit-codes.ts";
import { FILES, prepareFolder, writeWhole } from "./results.ts";
import { whileInterruptible } from "./runs/interrupt.ts";
import { linesOf } from "./runs/lines.ts";
import { planLoad, runLoad } from "./runs/load.ts";
import { startMockProcess } from "./runs/mock-process.ts";
import { cacheFolder } from "./setup/k6.mjs";
import { TOOL } from "./tool.ts";
import { loadResultOf } from "./views/load.ts";

/** Streams that are open at once, step by step. */
export const STEPS: readonly number[] = [25, 50, 100, 200, 400, 800, 1600];

/** Steps go on until the error is so far beyond the bound that the next one can only be worse. */
const HOPELESS_GAP_ERROR_MS = 4 * TRUSTED_GAP_ERROR_MS;

const STREAM = { ttftMs: 100, itlMs: 20, tokens: 150 };
const STREAM_S = (STREAM.ttftMs + STREAM.itlMs * (STREAM.tokens - 1)) / 1_000;
const TIMING = ["--ttft", `${STREAM.ttftMs}ms`, "--itl", `${STREAM.itlMs}ms`, "--output-tokens", String(STREAM.tokens)];

/**
 * Loads the mock with more and more streams at 50 chunks a second each.
 * @param folder result folder; a folder a step is made in it
 * @param streamsOf how many streams each step keeps open
 * @throws NoConclusion when it is interrupted
 */
export async function calibrate(
  folder: string,
  streamsOf: readonly number[],
  progress: Progress,
): Promise<Calibration> {
  let interrupted = false;
  const { steps, k6 } = await whileInterruptible(
    () => {
      interrupted = true;
    },
    () => climb(folder, streamsOf, progress, () => interrupted),
  );
  const trusted = trustedOf(steps);
  return {
    schema: "assay.calibration/1",
    at: new Date().toISOString(),
    tool: TOOL,
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

async function climb(
  folder: string,
  streamsOf: readonly number[],
  progress: Progress,
  interrupted: () => boolean,
): Promise<{ steps: CalibrationStep[]; k6: string | undefined }> {
  const steps: CalibrationStep[] = [];
  let first: CalibrationInput | undefined;
  let k6: string | undefined;
  for (const streams of streamsOf) {
    progress.say(`${streams} streams …`);
    const { step, run } = await measureStep(
      streams,
      prepareFolder(join(folder, String(streams)), "step"),
      progress,
      first,
    );
    if (interrupted() || run.interrupted)
      throw new NoConclusion("The calibration was interrupted; the one before it stays in force.");
    first ??= { streams, rssMaxMb: run.client.rssMaxMb };
    k6 = run.k6;
    steps.push(step);
    if (step.gapError.p99 > HOPELESS_GAP_ERROR_MS) break;
  }
  return { steps, k6 };
}

async function measureStep(streams: number, folder: string, progress: Progress, first: CalibrationInput | undefined) {
  const ledger = join(folder, FILES.ledger);
  const mock = await startMockProcess([...TIMING, "--ledger", ledger]);
  try {
    // So many arrivals a second keep so many streams open; some more may be, for a late one must not wait.
    const flags = {
      target: mock.url,
      rate: String(streams / STREAM_S),
      warmup: `${Math.ceil(STREAM_S) + 1}s`,
      duration: "8s",
      maxInFlight: String(Math.ceil(streams * 1.25)),
      maxTokens: String(STREAM.tokens),
    };
    await runLoad(planLoad("chat-stream", flags, { env: {} }), folder, progress);
  } finally {
    await mock.stop();
  }
  const run = await loadResultOf([folder]);
  const truth = await compareWithTruth(linesOf(join(folder, FILES.records)), linesOf(ledger));
  return { step: stepOf(streams, run, truth, first), run };
}

const MEMORY = "calibration.json";

/** Keeps a calibration for later loads on this machine. */
export function rememberCalibration(calibration: Calibration): void {
  mkdirSync(cacheFolder(process.env), { recursive: true });
  writeWhole(cacheFolder(process.env), MEMORY, JSON.stringify(calibration));
}

/** The last calibration of this machine; undefined when there is none that can be read. */
export function lastCalibration(): Calibration | undefined {
  const file = join(cacheFolder(process.env), MEMORY);
  if (!existsSync(file)) return undefined;
  try {
    return parseCalibration(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
