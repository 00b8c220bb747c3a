/** How a unit of work can end. Objectives, error rate, throughput and goodput count units; requests are counted separately. */

import { ARRIVAL_ENDS, type ArrivalEnd, OUTCOMES, type Outcome, type TaskEnd } from "../../../formats/outcomes.ts";

/** Failures of video tasks whose requests were all answered, and of those whose end breaks the contract. */
export const TASK_FAILURES = {
  failed: "task_failed",
  cancelled_by_target: "task_cancelled",
  uncancelled: "task_uncancelled",
  timed_out: "task_timed_out",
  contract: "contract",
  orphaned: "task_orphaned",
} as const satisfies Partial<Record<TaskEnd, string>>;

/**
 * How a unit of work can end. What our own drain or an interrupt cut off is `unfinished`, what failed on the load generator's
 * machine is `client_error`, whose client left as planned is `left`; every outcome but these and `ok` is a failure.
 */
export type UnitOutcome =
  | Exclude<Outcome, "cancelled_by_us">
  | (typeof TASK_FAILURES)[keyof typeof TASK_FAILURES]
  | ArrivalEnd;

/** Every outcome of a unit. */
export const UNIT_OUTCOMES: readonly UnitOutcome[] = [
  ...new Set([...OUTCOMES.filter((outcome) => outcome !== "cancelled_by_us"), ...Object.values(TASK_FAILURES)]),
  ...ARRIVAL_ENDS,
];

/** Whether units of this outcome count as failures. */
export const isFailure = (outcome: UnitOutcome): boolean => outcome !== "ok" && !isNeither(outcome);

/** What a response says, or what became of a task, however late the load generator was. */
const BY_CONTENT: readonly UnitOutcome[] = [
  "malformed",
  "contract",
  "too_large",
  "task_failed",
  "task_cancelled",
  "task_uncancelled",
];

/** Whether a load generator that did not run for some time can have caused this failure. */
export const canBeOurs = (outcome: UnitOutcome): boolean => isFailure(outcome) && !BY_CONTENT.includes(outcome);

/** Whether units of this outcome are neither ok nor failed: cut off by us, left, or failed on the load generator's machine. */
export const isNeither = (outcome: UnitOutcome): boolean =>
  outcome === "unfinished" || outcome === "left" || outcome === "client_error";

const FAILURES: Readonly<Partial<Record<TaskEnd, UnitOutcome>>> = TASK_FAILURES;

/** What a task that ended so makes of a unit of work whose submission was accepted. */
export const outcomeOfTask = (end: TaskEnd): UnitOutcome => FAILURES[end] ?? (end === "unfinished" ? end : "ok");

/** Whether a task ended as it was asked to. */
export const isOkEnd = (end: TaskEnd): boolean => end !== "unfinished" && !Object.hasOwn(TASK_FAILURES, end);
