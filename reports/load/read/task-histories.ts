/**
 * What was seen of each video task, gathered from the requests that name it. Instants are in milliseconds since 1970,
 * durations in milliseconds.
 */

import { isTerminal } from "../../../contract/service.ts";
import type { CancelReason } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import type { TaskFigures } from "../../../scenarios/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";

/** How a task can end, as far as the run could see. */
export const TASK_ENDS = [
  "completed",
  "cancelled",
  "cancel_lost_race",
  "failed",
  "cancelled_by_target",
  "uncancelled",
  "timed_out",
  "orphaned",
  "unfinished",
] as const;
export type TaskEnd = (typeof TASK_ENDS)[number];

interface Poll {
  readonly sent: number;
  readonly end: number;
  readonly state: string | undefined;
  readonly progress: number | undefined;
}

interface Cancel {
  readonly reason: CancelReason;
  readonly ok: boolean;
  /** By a status from 400 to 499 other than 429: the target says that it cannot be cancelled. */
  readonly refused: boolean;
}

interface Submission {
  readonly sent: number;
  /** When its arrival was due; undefined in a closed loop. */
  readonly due: number | undefined;
  readonly unit: number;
}

interface Task {
  submitted: Submission | undefined;
  pollCount: number;
  /** Those that matter: the first one that shows work, the last one before the end, and the one that shows the end. */
  readonly polls: Poll[];
  readonly cancels: Cancel[];
  /** A poll after a cancel that was asked for showed that it was still processing. */
  wentOn: boolean;
  /** Whether the last poll before it was given up, or its cancel, failed on the load generator's machine. */
  clientError: boolean;
}

/** A task that was accepted: the unit of work that submitted it, how it ended, and its figures. */
export interface SubmittedTask {
  readonly unit: number;
  readonly end: TaskEnd;
  /** Its end could not be seen because requests failed on the load generator's machine. */
  readonly unseen: boolean;
  readonly figures: TaskFigures;
}

export class TaskHistories {
  readonly #tasks = new Map<string, Task>();

  /** Adds a request; `unit`: the unit of work that it belongs to. Requests of one task are added in the order of time. */
  add(record: RequestRecord, unit: number): void {
    if (!record.op.startsWith("video.") || record.task === undefined) return;
    const task = this.#tasks.get(record.task) ?? newTask();
    this.#tasks.set(record.task, task);
    const ok = record.outcome === "ok";
    const here = record.outcome === "client_error";
    if (here) task.clientError = true;
    else if (ok && record.op === "video.poll" && !task.cancels.some(isOurs)) task.clientError = false;
    if (record.op === "video.submit" && ok) task.submitted = submissionOf(record, unit);
    if (record.op === "video.poll") {
      task.pollCount += 1;
      if (ok) addPoll(task, pollOf(record));
    }
    const isCancel = record.op === "video.cancel" && !(here && record.cancel_reason === "asked");
    if (isCancel) task.cancels.push(cancelOf(record));
  }

  /** Tasks whose submission was accepted, in the order of their first request. */
  submitted(): SubmittedTask[] {
    return [...this.#tasks.values()].flatMap((task) => {
      const { submitted, clientError } = task;
      if (submitted === undefined) return [];
      const end = endOf(task);
      const unseen = clientError && (end === "timed_out" || end === "orphaned");
      return [{ unit: submitted.unit, end, unseen, figures: figuresOf(task, submitted) }];
    });
  }
}

/** A cancel that nobody asked for: the task was given up, or cleaned up. */
const isOurs = ({ reason }: Cancel): boolean => reason !== "asked";

const newTask = (): Task => ({
  submitted: undefined,
  pollCount: 0,
  polls: [],
  cancels: [],
  wentOn: false,
  clientError: false,
});

const submissionOf = ({ sent, scheduled, lag }: RequestRecord, unit: number): Submission => ({
  sent: readInstant(sent),
  due: lag === undefined ? undefined : readInstant(scheduled),
  unit,
});

function pollOf({ sent, e2e = 0, task_state: state, progress }: RequestRecord): Poll {
  const begin = readInstant(sent);
  return { sent: begin, end: begin + e2e, state, progress };
}

function cancelOf({ outcome, status = 0, phase, cancel_reason }: RequestRecord): Cancel {
  const refused = outcome === "http_error" && status >= 400 && status < 500;
  return { reason: cancel_reason ?? (phase === "drain" ? "clean_up" : "asked"), ok: outcome === "ok", refused };
}

function addPoll(task: Task, poll: Poll): void {
  const last = task.polls.at(-1);
  if (isTerminal(last?.state)) return;
  if (poll.state === "processing" && task.cancels.some(({ reason }) => reason === "asked")) task.wentOn = true;
  const firstWork = last !== undefined && showsWork(last) && !task.polls.slice(0, -1).some(showsWork);
  if (last !== undefined && !firstWork && !isTerminal(poll.state)) task.polls.pop();
  task.polls.push(poll);
}

const showsWork = ({ state, progress }: Poll): boolean => state === "processing" && (progress ?? 0) > 0;
const finalPoll = ({ polls }: Task): Poll | undefined => polls.find(({ state }) => isTerminal(state));

function figuresOf(task: Task, { sent, due }: Submission): TaskFigures {
  const final = finalPoll(task);
  const until = (poll: Poll | undefined, from: number | undefined) =>
    poll === undefined || from === undefined ? undefined : poll.end - from;
  const previous = task.polls.findLast(({ state }) => !isTerminal(state));
  const completed = final?.state === "completed" ? final : undefined;
  return {
    queue: until(task.polls.find(showsWork), sent),
    work: until(completed, sent),
    workScheduled: until(completed, due),
    polls: final === undefined ? undefined : task.pollCount,
    detectionError: until(final, previous?.sent ?? sent),
  };
}

function endOf(task: Task): TaskEnd {
  const { cancels, wentOn } = task;
  const by = (reason: CancelReason) => cancels.filter((cancel) => cancel.reason === reason);
  const [asked, givenUp, cleanUp] = [by("asked"), by("given_up"), by("clean_up")];
  const state = finalPoll(task)?.state;
  if (state === "completed" || state === "failed") {
    const lostRace = asked.some(({ refused }) => refused) && !wentOn;
    if (asked.length > 0 && !lostRace) return "uncancelled";
    return state === "completed" && lostRace ? "cancel_lost_race" : state;
  }
  if (state === "cancelled") {
    if (asked.length > 0) return "cancelled";
    return givenUp.length > 0 ? "timed_out" : "cancelled_by_target";
  }
  if (asked.length > 0 && wentOn) return "uncancelled";
  if (asked.some(({ ok }) => ok)) return "cancelled";
  const isOver = [...givenUp, ...cleanUp].some(({ ok, refused }) => ok || refused);
  if (!isOver) return "orphaned";
  return givenUp.length > 0 ? "timed_out" : "unfinished";
}
