/**
 * Gathers exchanges about video tasks into one history per task, in the order of time. Bounded: of a task that is polled
 * for long the middle polls are dropped, and the task that was heard of least recently is forgotten when there are many.
 */

import type { Exchange } from "../../formats/exchanges.ts";
import { operationOf } from "../judges/exchange-kinds.ts";
import { memberOf } from "../judges/json-path.ts";
import { isSuccess, UNDECIDED_STATUSES } from "../judges/status.ts";
import { partOf } from "../judges/task-history.ts";
import type { Finding } from "../model/findings.ts";

const MOST_TASKS = 10_000;
const MOST_EXCHANGES = 64;

/** Statuses that say nothing about a task: those of a gateway, and of a key that was refused. */
const NOT_ABOUT_THE_TASK: readonly number[] = [...UNDECIDED_STATUSES, 401, 403, 502, 504];

/** What a unit of a clause came to: `unusable` when its exchanges are no evidence, `blocked` when they violate what the clause needs. */
export type ClauseOutcome = Finding["kind"] | "unusable" | "blocked" | "error";

/** What is known of one task. */
export interface TaskRecord {
  /** Exchanges that followed one another; of two at the same time the later one is left out, as their order is unknown. */
  readonly history: Exchange[];
  /** Ids of clauses that an exchange with this task violates. */
  readonly violated: Set<string>;
  /** What each clause about the whole history came to last. */
  readonly outcomes: Map<string, ClauseOutcome>;
  /** When the last exchange of the history had ended. */
  endedMs: number;
  /** A cancel is not in the history, which the target may have done. */
  mayBeCancelled: boolean;
}

export class TaskHistories {
  readonly #tasks = new Map<string, TaskRecord>();

  /**
   * The task that an exchange is about, with the exchange in its history unless it says nothing of the order of states.
   * Undefined when it is about no task that exists.
   */
  add(exchange: Exchange): TaskRecord | undefined {
    const id = taskOf(exchange);
    if (id === undefined) return undefined;
    const before = this.#tasks.get(id);
    const task: TaskRecord = before ?? {
      history: [],
      violated: new Set(),
      outcomes: new Map(),
      endedMs: Number.NEGATIVE_INFINITY,
      mayBeCancelled: false,
    };
    // What was added last is forgotten last.
    this.#tasks.delete(id);
    this.#tasks.set(id, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MOST_TASKS && oldest !== undefined) this.#tasks.delete(oldest);
    const [start, end] = timesOf(exchange);
    const follows = start >= task.endedMs;
    task.endedMs = Math.max(task.endedMs, end);
    const isCancel = partOf(exchange) === "cancel";
    if (!follows || saysNothing(exchange)) task.mayBeCancelled ||= isCancel;
    else {
      task.history.push(isCancel && task.mayBeCancelled ? { ...exchange, resent: true } : exchange);
      if (task.history.length > MOST_EXCHANGES) shortenHistory(task.history);
    }
    return task;
  }
}

/** The id of the task, as it stands in addresses; undefined for a submission that was not accepted. */
function taskOf(exchange: Exchange): string | undefined {
  const operation = operationOf(exchange);
  if (operation === "submit") {
    const id = isSuccess(exchange) ? memberOf(exchange, "id") : undefined;
    return typeof id === "string" ? id : undefined;
  }
  if (operation !== "poll" && operation !== "cancel") return undefined;
  const parts = (exchange.request.url.split("?", 1)[0] ?? "").split("/");
  const part = parts.at(operation === "poll" ? -1 : -2) ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const saysNothing = ({ answer, failure }: Exchange): boolean =>
  answer === undefined || failure !== undefined || answer.truncated || NOT_ABOUT_THE_TASK.includes(answer.status);

/**
 * When an exchange began, at the latest, and when it ended, at the earliest, in milliseconds: a time that is recorded in
 * whole milliseconds may be later by one.
 */
function timesOf({ startedAt, answer }: Exchange): readonly [number, number] {
  const [whole = startedAt, fraction = ""] = startedAt.replace(/Z$/, "").split(".");
  const start = Date.parse(`${whole}Z`) + Number(`0.${fraction || "0"}`) * 1_000;
  return [start + (fraction.length > 3 ? 0 : 1), start + (answer?.endMs ?? 0)];
}

/** Drops the first poll between two that reported the same state, or else the second exchange. */
function shortenHistory(history: Exchange[]): void {
  const state = (exchange: Exchange | undefined): unknown =>
    exchange !== undefined && partOf(exchange) === "poll" ? memberOf(exchange, "status") : undefined;
  const middle = history.findIndex(
    (exchange, i) =>
      i > 0 &&
      state(exchange) !== undefined &&
      state(history[i - 1]) === state(exchange) &&
      state(history[i + 1]) === state(exchange),
  );
  history.splice(Math.max(1, middle), 1);
}
