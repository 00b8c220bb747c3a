/**
 * What was seen of each video task, gathered from the requests that name it. Instants are in milliseconds since 1970,
 * durations in milliseconds.
 */

import { isTerminal } from "../../../contract/service.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import type { TaskFigures } from "../../../scenarios/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";

/** How a task can end, as far as the run could see. */
export const TASK_ENDS = ["completed", "failed", "cancelled", "cancel_lost_race", "timed_out", "orphaned"] as const;
type TaskEnd = (typeof TASK_ENDS)[number];

interface Poll {
  readonly sent: number;
  readonly end: number;
  readonly state: string | undefined;
  readonly progress: number | undefined;
}

interface Cancel {
  readonly ok: boolean;
  /** Sent by the clean-up after the run: in the drain, and not right after a poll, as a user would. */
  readonly cleanUp: boolean;
  readonly refused: boolean;
  readonly measured: boolean;
}

interface Task {
  submitted: { readonly sent: number; readonly measured: boolean } | undefined;
  pollCount: number;
  /** Those that matter: the first one that shows work, the last one before the end, and the one that shows the end. */
  readonly polls: Poll[];
  readonly cancels: Cancel[];
}

/** A task of the measured phase: how it ended, and its figures. */
export interface MeasuredTask {
  readonly end: TaskEnd;
  readonly figures: TaskFigures;
}

/** A user who cancels does so this soon after a poll, in milliseconds. */
const AT_ONCE_MS = 25;

export class TaskHistories {
  readonly #tasks = new Map<string, Task>();

  add(record: RequestRecord): void {
    if (!record.op.startsWith("video.") || record.task === undefined) return;
    const task = this.#tasks.get(record.task) ?? { submitted: undefined, pollCount: 0, polls: [], cancels: [] };
    this.#tasks.set(record.task, task);
    const sent = readInstant(record.sent);
    const measured = record.phase === "measure";
    const ok = record.outcome === "ok";
    if (record.op === "video.submit" && ok) task.submitted = { sent, measured };
    if (record.op === "video.poll") {
      task.pollCount += 1;
      const { e2e = 0, task_state: state, progress } = record;
      if (ok) addPoll(task, { sent, end: sent + e2e, state, progress });
    }
    if (record.op === "video.cancel") {
      const status = record.status ?? 0;
      const refused = record.outcome === "http_error" && status >= 400 && status < 500;
      const cleanUp = record.phase === "drain" && sent - (task.polls.at(-1)?.end ?? 0) > AT_ONCE_MS;
      task.cancels.push({ ok, refused, measured, cleanUp });
    }
  }

  /** Cancels of the measured phase that were refused because their task had already ended by itself. */
  lostRaces(): number {
    let count = 0;
    for (const task of this.#tasks.values()) {
      const state = finalPoll(task)?.state;
      if (state !== "completed" && state !== "failed") continue;
      count += task.cancels.filter(({ refused, measured }) => refused && measured).length;
    }
    return count;
  }

  /** Tasks whose submission was accepted in the measured phase. */
  measured(): MeasuredTask[] {
    return [...this.#tasks.values()].flatMap((task) =>
      task.submitted?.measured === true ? [{ end: endOf(task), figures: figuresOf(task, task.submitted.sent) }] : [],
    );
  }
}

function addPoll(task: Task, poll: Poll): void {
  const last = task.polls.at(-1);
  if (isTerminal(last?.state)) return;
  const firstWork = last !== undefined && showsWork(last) && !task.polls.slice(0, -1).some(showsWork);
  if (last !== undefined && !firstWork && !isTerminal(poll.state)) task.polls.pop();
  task.polls.push(poll);
}

const showsWork = ({ state, progress }: Poll): boolean => state === "processing" && (progress ?? 0) > 0;
const finalPoll = ({ polls }: Task): Poll | undefined => polls.find(({ state }) => isTerminal(state));

function figuresOf(task: Task, begin: number): TaskFigures {
  const final = finalPoll(task);
  const until = (poll: Poll | undefined, from = begin) => (poll === undefined ? undefined : poll.end - from);
  const previous = task.polls.findLast(({ state }) => !isTerminal(state));
  return {
    queue: until(task.polls.find(showsWork)),
    work: final?.state === "completed" ? until(final) : undefined,
    polls: final === undefined ? undefined : task.pollCount,
    detectionError: until(final, previous?.sent),
  };
}

function endOf(task: Task): TaskEnd {
  const state = finalPoll(task)?.state;
  const byUser = task.cancels.filter(({ cleanUp }) => !cleanUp);
  if (state === "completed" || state === "failed") return byUser.length > 0 ? "cancel_lost_race" : state;
  if (state === "cancelled" || byUser.some(({ ok }) => ok)) return "cancelled";
  return task.cancels.some(({ ok }) => ok) ? "timed_out" : "orphaned";
}
