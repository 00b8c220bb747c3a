/** What `assay calibrate` found out about this machine: its error at each load, and the load it can be trusted with. */

import { z } from "zod";
import type { RunResult } from "../../formats/run.ts";
import { errorSize, type Truth } from "./ground-truth-errors.ts";

/** A load is within the machine's means while the p99 of its gap error is no larger; milliseconds. */
export const TRUSTED_GAP_ERROR_MS = 5;

const optional = z.number().optional();

const calibrationStep = z.object({
  /** Streams that were to be open at once, and how many were at most. */
  streams: z.number(),
  openMax: optional,
  chunksPerS: optional,
  ttftError: errorSize,
  gapError: errorSize,
  /** How far the server was from its own plan. */
  serverGapError: errorSize,
  unmatched: z.number(),
  lagP99Ms: optional,
  cpuUsPerChunk: optional,
  /** Above the first step, divided by the virtual users above it: some more than streams, and each has its memory. */
  memoryMbPerUser: optional,
  /** How late the client's wake-ups were: what a run knows of its own error. */
  wakeP99Ms: optional,
  validity: z.string(),
});
export type CalibrationStep = z.infer<typeof calibrationStep>;

const calibrationShape = z.object({
  schema: z.literal("assay.calibration/1"),
  at: z.string(),
  tool: z.string(),
  k6: z.string().optional(),
  /** The user's own; absent: the bundled mock, on the same machine. */
  target: z.string().optional(),
  machine: z.object({ cpus: z.number(), model: z.string(), memoryGb: z.number() }),
  steps: z.array(calibrationStep),
  /** The largest load with a p99 gap error within the bound; absent when no step held it. */
  trusted: z.object({ streams: z.number(), chunksPerS: optional }).optional(),
});
export type Calibration = z.infer<typeof calibrationShape>;

/** Reads a calibration that was parsed from JSON. @throws ZodError */
export const parseCalibration = (value: unknown): Calibration => calibrationShape.parse(value);

export const calibrationJson = (calibration: Calibration): string =>
  `${JSON.stringify(calibrationShape.parse(calibration), null, 2)}\n`;

/** One step: the run's own figures beside its truth. `first` is the smallest step, from which memory is counted. */
export function stepOf(
  streams: number,
  run: Pick<RunResult, "metrics" | "client" | "validity">,
  truth: Truth,
  first: CalibrationInput | undefined,
): CalibrationStep {
  const chunksPerS = run.metrics["output_tokens_per_s"]?.value;
  const { cpu, openMax, lagP99Ms, wakeP99Ms, rssMaxMb, inFlightLimit: users } = run.client;
  const memoryMbPerUser = first && memoryBetween(first, { users, rssMaxMb });
  return {
    streams,
    ...(openMax !== undefined && { openMax }),
    ...(chunksPerS !== undefined && { chunksPerS }),
    ttftError: truth.ttft,
    gapError: truth.gap,
    serverGapError: truth.serverGap,
    unmatched: truth.unmatched,
    ...(lagP99Ms !== undefined && { lagP99Ms }),
    ...(cpu !== undefined && chunksPerS ? { cpuUsPerChunk: (cpu * 1e6) / chunksPerS } : {}),
    ...(memoryMbPerUser !== undefined && { memoryMbPerUser }),
    ...(wakeP99Ms !== undefined && { wakeP99Ms }),
    validity: run.validity.verdict,
  };
}

/** What the memory of later steps is compared with. */
export interface CalibrationInput {
  readonly users: number | undefined;
  readonly rssMaxMb: number | undefined;
}

/** Memory that each virtual user more took; undefined when it is not known. */
function memoryBetween(first: CalibrationInput, { users, rssMaxMb }: CalibrationInput): number | undefined {
  if (first.users === undefined || first.rssMaxMb === undefined) return undefined;
  if (users === undefined || rssMaxMb === undefined || users <= first.users) return undefined;
  return (rssMaxMb - first.rssMaxMb) / (users - first.users);
}

/** Whether a step's own measurement error is small enough, with nothing lost. */
export const isTrusted = ({ gapError, unmatched }: CalibrationStep): boolean =>
  gapError.count > 0 && unmatched === 0 && gapError.p99 <= TRUSTED_GAP_ERROR_MS;

/** The largest step up to which every one is trusted. */
export function trustedOf(steps: readonly CalibrationStep[]): Calibration["trusted"] {
  const broken = steps.findIndex((step) => !isTrusted(step));
  const last = (broken < 0 ? steps : steps.slice(0, broken)).at(-1);
  if (last === undefined) return undefined;
  return { streams: last.streams, ...(last.chunksPerS !== undefined && { chunksPerS: last.chunksPerS }) };
}

/** Why a step is not trusted, or that the server was no better; empty when there is nothing to say. */
export function stepNote(step: CalibrationStep): string {
  if (step.unmatched > 0) return `${step.unmatched} requests are not in the ledger as recorded`;
  if (step.serverGapError.p99 > TRUSTED_GAP_ERROR_MS)
    return "the target itself was late: it is the limit, not only the client";
  return isTrusted(step) ? "" : `gap error above ${TRUSTED_GAP_ERROR_MS} ms`;
}

/** A sentence for a load that opened more streams than the machine was calibrated for; undefined when it did not. */
export function beyondCalibration(openMax: number | undefined, calibration: Calibration): string | undefined {
  const trusted = calibration.trusted?.streams ?? 0;
  if (openMax === undefined || openMax <= trusted) return undefined;
  return `${openMax} requests were open at once; this machine is calibrated for ${trusted} streams (assay calibrate, ${calibration.at.slice(0, 10)}): beyond that its gap error is above ${TRUSTED_GAP_ERROR_MS} ms, or was not measured.`;
}
