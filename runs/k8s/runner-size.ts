/** How many runners a load needs, and how large each is, from what this machine was measured to manage. Pure. */

import type { Calibration } from "../../formats/calibration.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** A runner is planned for this part of what the calibrated machine can be trusted with. */
export const HEAD_ROOM = 0.67;

/** Of a runner when there is no calibration, or one that says too little. */
const DEFAULT_CPUS = 2;
const DEFAULT_MEMORY_BYTES = 2 * 2 ** 30;

/** What k6 and its bundle take before the first virtual user, with room for the garbage collector; megabytes. */
const BASE_MEMORY_MB = 512;
/** Memory per request in flight that is planned for, as a multiple of what was measured. */
const MEMORY_MARGIN = 2;
/** What a virtual user takes that waits for a response (`docs/decisions.md`); a calibration has none. */
const USER_MB = 0.25;
const MB = 1e6;

export interface RunnerSize {
  readonly runners: number;
  /** Cores, in thousandths. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** The arithmetic, a sentence each. */
  readonly reasons: readonly string[];
}

type KnownCalibration = Pick<Calibration, "machine" | "steps" | "trusted">;

/**
 * @param runners their number, or `auto`
 * @param users the number of requests in flight at most, of the whole load
 * @param waiting how many of them have a virtual user that waits for the response
 * @throws UsageError when the number is left to a calibration that is missing or trusts nothing
 */
export function runnerSize(
  runners: number | "auto",
  users: number,
  calibration: KnownCalibration | undefined,
  waiting = 0,
): RunnerSize {
  const trusted = calibration?.trusted?.streams;
  if (runners === "auto" && trusted === undefined) {
    throw new UsageError(
      "Cannot find the number of runners: this machine was not calibrated, or cannot be trusted with any load. Run assay calibrate on a machine like the nodes of the cluster, or name a number with --runners.",
    );
  }
  const each = Math.max(1, Math.floor((trusted ?? 1) * HEAD_ROOM));
  const count = runners === "auto" ? Math.ceil(users / each) : runners;
  const share = Math.ceil(users / count);
  return {
    runners: count,
    ...resourcesOf(share, Math.ceil(waiting / count), calibration),
    reasons: [
      ...(runners === "auto"
        ? [
            `${users} requests in flight at most / ${each} per runner (${HEAD_ROOM * 100}% of the ${trusted} streams for which this machine is calibrated) = ${count} runners`,
          ]
        : []),
      ...(runners !== "auto" && trusted !== undefined && share > trusted
        ? [
            `${share} requests in flight per runner are more than the ${trusted} streams for which this machine is calibrated: the runners may end CLIENT-LIMITED`,
          ]
        : []),
    ],
  };
}

function resourcesOf(
  users: number,
  waiting: number,
  calibration: KnownCalibration | undefined,
): Pick<RunnerSize, "cpuMillis" | "memoryBytes"> {
  const trusted = calibration?.trusted?.streams;
  const perUser = Math.max(0, ...(calibration?.steps ?? []).map(({ memoryMbPerUser = 0 }) => memoryMbPerUser));
  return {
    cpuMillis:
      calibration === undefined || trusted === undefined
        ? DEFAULT_CPUS * 1_000
        : Math.max(1_000, Math.ceil(((users / trusted / HEAD_ROOM) * calibration.machine.cpus * 1_000) / 500) * 500),
    memoryBytes:
      perUser === 0
        ? DEFAULT_MEMORY_BYTES
        : Math.max(DEFAULT_MEMORY_BYTES, (BASE_MEMORY_MB + MEMORY_MARGIN * (perUser * users + USER_MB * waiting)) * MB),
  };
}
