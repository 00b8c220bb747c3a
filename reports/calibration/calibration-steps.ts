/** The steps of a calibration: the measurement error at each load, and the load up to which this machine can be trusted. */

import type { Calibration, CalibrationStep } from "../../formats/calibration.ts";
import type { RunResult } from "../../formats/run.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { formatValue } from "../numbers.ts";
import type { GroundTruthErrors } from "./ground-truth-errors.ts";

/** A load can be trusted while the p99 of its gap error is at most this; milliseconds. */
export const TRUSTED_GAP_ERROR_MS = 5;

/** One step: the figures of the run and its errors. `first` is the smallest step, from which memory is counted. */
export function stepOf(
  streams: number,
  run: Pick<RunResult, "metrics" | "client" | "validity">,
  errors: GroundTruthErrors,
  first: CalibrationInput | undefined,
): CalibrationStep {
  const chunksPerS = run.metrics["output_tokens_per_s"]?.value;
  const { cpu, openMax, lagP99Ms, wakeP99Ms, rssMaxMb, inFlightLimit: users } = run.client;
  return omitUndefined<CalibrationStep>({
    streams,
    openMax,
    chunksPerS,
    ttftError: errors.ttft,
    gapError: errors.gap,
    serverGapError: errors.serverGap,
    unmatched: errors.unmatched,
    lagP99Ms,
    cpuUsPerChunk: cpu !== undefined && chunksPerS ? (cpu * 1e6) / chunksPerS : undefined,
    memoryMbPerUser: first && memoryBetween(first, { users, rssMaxMb }),
    wakeP99Ms,
    validity: run.validity.verdict,
  });
}

/** What the memory of later steps is compared with. */
export interface CalibrationInput {
  readonly users: number | undefined;
  readonly rssMaxMb: number | undefined;
}

/** Memory per further virtual user; undefined when it is not known. */
function memoryBetween(first: CalibrationInput, { users, rssMaxMb }: CalibrationInput): number | undefined {
  if (first.users === undefined || first.rssMaxMb === undefined) return undefined;
  if (users === undefined || rssMaxMb === undefined || users <= first.users) return undefined;
  return (rssMaxMb - first.rssMaxMb) / (users - first.users);
}

/** Whether the measurement error of a step is small enough, and no request is missing. */
const isTrusted = ({ gapError, unmatched }: CalibrationStep): boolean =>
  gapError.count > 0 && unmatched === 0 && gapError.p99 <= TRUSTED_GAP_ERROR_MS;

/** The largest step up to which every one is trusted. */
export function trustedOf(steps: readonly CalibrationStep[]): Calibration["trusted"] {
  const broken = steps.findIndex((step) => !isTrusted(step));
  const last = (broken < 0 ? steps : steps.slice(0, broken)).at(-1);
  return last && omitUndefined({ streams: last.streams, chunksPerS: last.chunksPerS });
}

/**
 * The first step up to the trusted load, or where nothing is trusted the first of all, in which the target itself was late: what
 * was measured is then not the error of the load generator, and says nothing about this machine.
 */
export function lateTargetStep({
  steps,
  trusted,
}: Pick<Calibration, "steps" | "trusted">): CalibrationStep | undefined {
  const last = trusted?.streams ?? steps[0]?.streams ?? 0;
  return steps.find(({ streams, serverGapError }) => streams <= last && serverGapError.p99 > TRUSTED_GAP_ERROR_MS);
}

/** `with 400 streams the target itself was late by 7 ms (p99), …`. */
export const lateTarget = ({ streams, serverGapError }: CalibrationStep): string =>
  `with ${streams} streams the target itself was late by ${formatValue(serverGapError.p99, "ms")} (p99), so the error of this machine is not known`;

/** Why a step is not trusted, or that the target was late; empty when there is nothing to say. */
export function stepNote(step: CalibrationStep): string {
  if (step.unmatched > 0) return `${step.unmatched} requests are not in the ground truth as recorded`;
  if (step.serverGapError.p99 > TRUSTED_GAP_ERROR_MS)
    return "the target itself was late, so that the error is not only the load generator's";
  return isTrusted(step) ? "" : `gap error above ${TRUSTED_GAP_ERROR_MS} ms`;
}

/** A sentence for a load with more requests in flight than the machine was calibrated for; undefined otherwise. */
export function beyondCalibration(openMax: number | undefined, calibration: Calibration): string | undefined {
  const trusted = calibration.trusted?.streams ?? 0;
  if (openMax === undefined || openMax <= trusted) return undefined;
  return `${openMax} requests were in flight at once; this machine is calibrated for ${trusted} streams (assay calibrate, ${calibration.at.slice(0, 10)}). Beyond that its gap error is above ${TRUSTED_GAP_ERROR_MS} ms, or was not measured.`;
}
