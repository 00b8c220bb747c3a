/**
 * The requests of a run that failed, in groups of one operation, outcome and status, each with its first reason: gathered
 * from the records, which hold reasons that are redacted already.
 */

import { isTerminal } from "../../../contract/service.ts";
import { type ClientFault, endedByUs } from "../../../formats/outcomes.ts";
import { type ArrivalLine, answered, type RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import type { Unit, UnitOutcome } from "./work-units.ts";

/** Failures of one kind. Instants in milliseconds since 1970. */
export interface FailureGroup {
  /** The operation; `arrival` of arrivals that did not come to a request, `video` of video tasks. */
  readonly op: string;
  readonly outcome: string;
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Of a `client_error`. */
  readonly clientFault?: ClientFault | undefined;
  readonly warmup: boolean;
  count: number;
  /** When the first was sent, and when the last ended. */
  first: number;
  last: number;
  /** Of the first one that has a reason. */
  reason: string | undefined;
}

/** Requests of one operation, in the warm-up or after it. */
export interface OpTotal {
  readonly op: string;
  readonly warmup: boolean;
  requests: number;
  answered: number;
}

/** Arrivals that did not come to a request, or not to the end of their scenario, are listed under this name. */
export const ARRIVAL = "arrival";

/** Video tasks that went wrong are listed under this name. */
export const TASK = "video";

export const TASK_REASONS: Readonly<Partial<Record<UnitOutcome, string>>> = {
  task_failed: "The task ended with the status failed.",
  task_cancelled: "The task ended with the status cancelled, and nobody had asked for that.",
  task_uncancelled: "The task went on after it was to be cancelled.",
  task_timed_out: "The task did not end in time, or its polls failed; it was cancelled.",
  task_orphaned: "The task was never seen to end, and may still run.",
};

/** One failure, which is a group of its own until it is counted. */
interface Failure extends Pick<FailureGroup, "first" | "last" | "reason"> {
  readonly kind: Pick<FailureGroup, "op" | "outcome" | "status" | "clientFault" | "warmup">;
}

function failureOf(record: RequestRecord): Failure {
  const { op, outcome, status, phase, detail: reason, client_fault: clientFault } = record;
  const first = readInstant(record.sent);
  const last = first + (record.e2e ?? record.ttft ?? record.ttfb ?? 0);
  return {
    kind: { op, outcome, status: status || undefined, clientFault, warmup: phase === "warmup" },
    first,
    last,
    reason,
  };
}

export class FailedRequests {
  readonly #groups = new Map<string, FailureGroup & { reasonAt: number }>();
  readonly #totals = new Map<string, OpTotal>();
  /** Refused cancels by task, as long as it is not known whether the task had ended by itself. */
  readonly #refusedCancels = new Map<string, Failure[]>();
  readonly #hasEnded: (task: string) => boolean;
  /** What a response says of the first video task that failed. */
  #taskError: string | undefined;

  /** @param hasEnded whether a poll before this request showed that a video task had ended */
  constructor(hasEnded: (task: string) => boolean) {
    this.#hasEnded = hasEnded;
  }

  /** Adds any request: those without failure are what the others are a share of. */
  add(record: RequestRecord): void {
    const { op, phase, outcome } = record;
    // What clean-up could not cancel is a warning of its own, and says nothing about the load.
    if (record.cancel_reason === "clean_up") return;
    const total = this.#total(op, phase === "warmup");
    total.requests += 1;
    if (answered(record)) total.answered += 1;
    if (op === "video.poll" && outcome === "ok") this.#follow(record);
    if (op === "video.poll" && record.task_state === "failed") this.#taskError ??= record.detail;
    if (outcome === "ok" || endedByUs(outcome)) return;
    if (op === "video.cancel" && outcome === "http_error" && record.task !== undefined) {
      if (this.#hasEnded(record.task)) return;
      this.#refusedCancels.set(record.task, [...(this.#refusedCancels.get(record.task) ?? []), failureOf(record)]);
    } else this.#count(failureOf(record));
  }

  /** Adds an arrival that failed without a request of it saying so; what we cut off ourselves is no failure. */
  addArrival({ end, phase, scheduled, detail }: ArrivalLine): void {
    if (end === "unfinished") return;
    const at = readInstant(scheduled);
    const kind = { op: ARRIVAL, outcome: end, status: undefined, warmup: phase === "warmup" };
    this.#count({ kind, first: at, last: at, reason: detail });
  }

  /** Adds a unit of work whose video task went wrong, although its requests were answered as they must be. */
  addTask({ outcome, measured, scheduled, end }: Unit): void {
    if (TASK_REASONS[outcome] === undefined) return;
    const reason = outcome === "task_failed" && this.#taskError !== undefined ? this.#taskError : TASK_REASONS[outcome];
    const kind = { op: TASK, outcome, status: undefined, warmup: !measured };
    this.#count({ kind, first: scheduled, last: end, reason });
  }

  /** A poll that shows the task still processing says that the cancel before it was refused for no good reason. */
  #follow({ task, task_state }: RequestRecord): void {
    if (task === undefined) return;
    if (!isTerminal(task_state)) for (const cancel of this.#refusedCancels.get(task) ?? []) this.#count(cancel);
    this.#refusedCancels.delete(task);
  }

  #count({ kind, first, last, reason }: Failure): void {
    const key = [kind.op, kind.outcome, kind.status, kind.clientFault, kind.warmup].join(" ");
    const group = this.#groups.get(key) ?? { ...kind, count: 0, first, last, reason: undefined, reasonAt: first };
    this.#groups.set(key, group);
    group.count += 1;
    group.first = Math.min(group.first, first);
    group.last = Math.max(group.last, last);
    if (reason === undefined || (group.reason !== undefined && group.reasonAt <= first)) return;
    group.reason = reason;
    group.reasonAt = first;
  }

  #total(op: string, warmup: boolean): OpTotal {
    const key = `${op} ${warmup}`;
    const total = this.#totals.get(key) ?? { op, warmup, requests: 0, answered: 0 };
    this.#totals.set(key, total);
    return total;
  }

  /** All failures; a cancel that was refused because its task had ended by itself is none. Call it once, at the end. */
  groups(): readonly FailureGroup[] {
    for (const cancels of this.#refusedCancels.values()) for (const cancel of cancels) this.#count(cancel);
    this.#refusedCancels.clear();
    return [...this.#groups.values()];
  }

  totals(): readonly OpTotal[] {
    return [...this.#totals.values()];
  }
}
