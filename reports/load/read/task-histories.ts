/**
 * What was seen of each video task, from the requests that name it. Instants are in milliseconds since 1970, durations in
 * milliseconds.
 */

import { z } from "zod";
import { isTerminal } from "../../../contract/service.ts";
import { CANCEL_REASONS, endedByUs, type TaskEnd } from "../../../formats/outcomes.ts";
import type { TaskFigures } from "../../../load/objectives/metrics.ts";
import { type Database, optionalCell } from "../../tables/database.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import type { BoundCheck } from "./bound-check.ts";

/** A request that names a task. */
export interface TaskRequest {
  readonly op: string;
  readonly outcome: string;
  readonly status?: number | undefined;
  readonly phase: string;
  readonly sent: number;
  readonly scheduled: number;
  readonly e2e?: number | undefined;
  /** Absent in a closed loop. */
  readonly lag?: number | undefined;
  readonly task_state?: string | undefined;
  readonly progress?: number | undefined;
  readonly cost?: number | undefined;
  readonly cancel_reason?: string | undefined;
  readonly cancel_at?: string | undefined;
  readonly bytes?: number | undefined;
}

/** A task that was accepted: how it ended, and its figures. */
export interface SubmittedTask {
  readonly end: TaskEnd;
  /** Its end could not be seen because requests failed on the load generator's machine. */
  readonly unseen: boolean;
  readonly figures: TaskFigures;
  /** When it was to be cancelled, as `--set cancel-at` has it; undefined where it was not. */
  readonly cancelAt: string | undefined;
  /** Duration of the cancel that was asked for, if it was accepted and the task did not complete all the same. */
  readonly cancelMs: number | undefined;
  /** Instants: when it was submitted, and when it was seen to be over; undefined where it was not. */
  readonly submittedAt: number;
  readonly overAt: number | undefined;
}

/** One task, whose requests are added in the order of time. */
export class TaskHistory {
  #submission: Pick<TaskRequest, "sent" | "scheduled" | "lag" | "cancel_at"> | undefined;
  #polls = 0;
  /** End of the first poll that shows work. */
  #worked: number | undefined;
  /** Start of the last poll before the one that shows the end. */
  #previous: number | undefined;
  /** The poll that shows the end: when it ended, and the state that it shows. */
  #final: { readonly at: number; readonly state: string; readonly cost: number | undefined } | undefined;
  /** A poll shows an end in another form than the contract has: `completed` without an address of the video. */
  #brokenEnd = false;
  /** End of the first poll or cancel that showed that the task was over. */
  #over: number | undefined;
  #cancelMs: number | undefined;
  #fetched: Pick<TaskRequest, "e2e" | "bytes"> | undefined;
  /** Somebody asked to cancel it, and the target agreed, or said that it cannot be cancelled. */
  #asked = false;
  #askedOk = false;
  #askedRefused = false;
  /** It was cancelled because it was given up. */
  #givenUp = false;
  /** Such a cancel, or one of the clean-up, was agreed to or refused: the task is over. */
  #isOver = false;
  /** It was cancelled, and nobody had asked for that. */
  #cancelledByUs = false;
  /** A poll after a cancel that was asked for showed that it was still processing. */
  #wentOn = false;
  /** The last poll before it was given up, or its cancel, failed on the load generator's machine. */
  #clientError = false;
  /** Its video was requested, and could not be read. */
  #unfetched = false;

  add(request: TaskRequest): void {
    const { op } = request;
    const ok = request.outcome === "ok";
    const here = request.outcome === "client_error";
    if (here && op !== "video.fetch") this.#clientError = true;
    else if (ok && op === "video.poll" && !this.#cancelledByUs) this.#clientError = false;
    if (op === "video.submit" && ok) this.#submission = request;
    if (op === "video.poll") {
      this.#polls += 1;
      if (ok) this.#addPoll(request);
      else if (request.outcome === "contract" && isTerminal(request.task_state)) {
        this.#brokenEnd = true;
        this.#over ??= request.sent + (request.e2e ?? 0);
      }
    }
    if (op === "video.fetch") this.#addFetch(request);
    const isCancel = op === "video.cancel" && !(here && request.cancel_reason === "asked");
    if (isCancel) this.#addCancel(request);
  }

  /** Whether a poll has shown that it had ended. */
  get hasEnded(): boolean {
    return this.#final !== undefined;
  }

  /** Undefined unless its submission was accepted. */
  submitted(): SubmittedTask | undefined {
    if (this.#submission === undefined) return undefined;
    const end = this.#end();
    return {
      end,
      unseen: this.#clientError && (end === "timed_out" || end === "orphaned"),
      figures: this.#figures(this.#submission),
      cancelAt: this.#submission.cancel_at,
      cancelMs: this.#final?.state === "completed" ? undefined : this.#cancelMs,
      submittedAt: this.#submission.sent,
      overAt: this.#over,
    };
  }

  /** A poll after the one that showed the end says nothing more. */
  #addPoll({ sent, e2e = 0, task_state: state, progress = 0, cost }: TaskRequest): void {
    if (this.#final !== undefined) return;
    if (isTerminal(state)) {
      this.#final = { at: sent + e2e, state: state ?? "", cost };
      this.#over ??= sent + e2e;
      return;
    }
    this.#previous = sent;
    if (state !== "processing") return;
    this.#over = undefined;
    if (this.#asked) this.#wentOn = true;
    if (progress > 0) this.#worked ??= sent + e2e;
  }

  #addCancel({ sent, e2e = 0, outcome, status = 0, phase, cancel_reason }: TaskRequest): void {
    const reason = CANCEL_REASONS.find((name) => name === cancel_reason) ?? (phase === "drain" ? "clean_up" : "asked");
    const ok = outcome === "ok";
    // By a status from 400 to 499 other than 429: the target says that it cannot be cancelled.
    const refused = outcome === "http_error" && status >= 400 && status < 500;
    if (ok) this.#over ??= sent + e2e;
    if (reason === "asked") {
      if (ok) this.#cancelMs = e2e;
      this.#asked = true;
      this.#askedOk ||= ok;
      this.#askedRefused ||= refused;
    } else {
      this.#cancelledByUs = true;
      this.#givenUp ||= reason === "given_up";
      this.#isOver ||= ok || refused;
    }
  }

  /** What we ended ourselves, or failed on this machine, says nothing of the video. */
  #addFetch({ outcome, e2e, bytes }: TaskRequest): void {
    if (outcome === "ok") this.#fetched = { e2e, bytes };
    else if (!endedByUs(outcome) && outcome !== "client_error") this.#unfetched = true;
  }

  #figures({ sent, scheduled, lag }: Pick<TaskRequest, "sent" | "scheduled" | "lag">): TaskFigures {
    const final = this.#final;
    const completed = final?.state === "completed" ? final : undefined;
    return {
      queue: this.#worked === undefined ? undefined : this.#worked - sent,
      work: completed && completed.at - sent,
      workScheduled: lag === undefined ? undefined : completed && completed.at - scheduled,
      polls: final && this.#polls,
      detectionError: final && final.at - (this.#previous ?? sent),
      cost: completed?.cost,
      fetch: this.#fetched?.e2e,
      bytes: this.#fetched?.bytes,
      unfetched: this.#unfetched,
    };
  }

  #end(): TaskEnd {
    const state = this.#final?.state;
    if (state === "completed" || state === "failed") {
      const lostRace = this.#askedRefused && !this.#wentOn;
      if (this.#asked && !lostRace) return "uncancelled";
      return state === "completed" && lostRace ? "cancel_lost_race" : state;
    }
    if (state === "cancelled") {
      if (this.#asked) return "cancelled";
      return this.#givenUp ? "timed_out" : "cancelled_by_target";
    }
    if (this.#brokenEnd) return "contract";
    if (this.#asked && this.#wentOn) return "uncancelled";
    if (this.#askedOk) return "cancelled";
    if (!this.#isOver) return "orphaned";
    return this.#givenUp ? "timed_out" : "unfinished";
  }
}

/** Of what is known of tasks, the table that holds it. */
export const MAKE_TASKS = `CREATE TABLE tasks_seen (place DOUBLE, shard DOUBLE, own DOUBLE, "end" VARCHAR, unseen BOOLEAN, cancel_at VARCHAR, cancel DOUBLE,
  submitted_at DOUBLE, over_at DOUBLE, queue DOUBLE, work DOUBLE, work_scheduled DOUBLE, polls DOUBLE, detection_error DOUBLE, cost DOUBLE,
  fetched DOUBLE, bytes DOUBLE, unfetched BOOLEAN, met DOUBLE, broken DOUBLE, surely DOUBLE, near DOUBLE, unknown DOUBLE)`;
/** Cancels that were refused because their task had ended by itself: no failures. */
export const MAKE_NEEDLESS = "CREATE TABLE needless_cancels (n DOUBLE)";

const REQUESTS = `SELECT task, op, outcome, status, phase, sent_us / 1000 AS sent, scheduled_us / 1000 AS scheduled, e2e_us / 1000 AS e2e, lag_us / 1000 AS lag,
  task_state, progress, cost, cancel_reason, cancel_at, bytes, shard - 1 AS shard, CASE WHEN arrival IS NULL THEN -1 - n ELSE arrival END AS own, n
  FROM ${NUMBERED} WHERE op LIKE 'video.%' AND task IS NOT NULL ORDER BY task, shard, line`;

const text = optionalCell(z.string());
const number = optionalCell(z.number());

const taskRequest = z.object({
  task: z.string(),
  op: z.string(),
  outcome: z.string(),
  status: number,
  phase: z.string(),
  sent: z.number(),
  scheduled: z.number(),
  e2e: number,
  lag: number,
  task_state: text,
  progress: number,
  cost: number,
  cancel_reason: text,
  cancel_at: text,
  bytes: number,
  shard: z.number(),
  own: z.number(),
  n: z.number(),
});
type Row = z.infer<typeof taskRequest>;

/** A task with what is said of it while its requests are read. */
class Gathered {
  readonly history = new TaskHistory();
  /** Number of its first request. */
  readonly place: number;
  /** The unit of work that submitted it: its shard and number. */
  unit: Pick<Row, "shard" | "own"> | undefined;
  /** Refused cancels, as long as it is not known whether the task had ended by itself; and those of which it is. */
  #refused: number[] = [];
  readonly needless: number[] = [];

  constructor({ n }: Row) {
    this.place = n;
  }

  add(row: Row): void {
    const { op, outcome, cancel_reason } = row;
    if (cancel_reason !== "clean_up") {
      // A poll that shows the task still processing says that the cancel before it was refused for no good reason.
      if (op === "video.poll" && outcome === "ok") {
        if (isTerminal(row.task_state)) this.needless.push(...this.#refused);
        this.#refused = [];
      }
      if (op === "video.cancel" && outcome === "http_error") {
        (this.history.hasEnded ? this.needless : this.#refused).push(row.n);
      }
    }
    if (op === "video.submit" && outcome === "ok") this.unit = row;
    this.history.add(row);
  }
}

type Appended = string | number | boolean | null;

/**
 * Fills the tables of tasks from the requests of all shards.
 * @param checkOf compares a task with the bounds
 */
export async function gatherTasks(database: Database, checkOf: (figures: TaskFigures) => BoundCheck): Promise<void> {
  await database.run(MAKE_TASKS);
  await database.run(MAKE_NEEDLESS);
  const [tasks, needless]: [Appended[][], Appended[][]] = [[], []];
  const close = (gathered: Gathered): void => {
    needless.push(...gathered.needless.map((n) => [n]));
    const submitted = gathered.history.submitted();
    if (submitted !== undefined) tasks.push(rowOf(gathered, submitted, checkOf(submitted.figures)));
  };
  let [name, gathered]: [string | undefined, Gathered | undefined] = [undefined, undefined];
  for await (const rows of database.batches(REQUESTS, taskRequest)) {
    for (const row of rows) {
      if (gathered === undefined || row.task !== name) {
        if (gathered !== undefined) close(gathered);
        gathered = new Gathered(row);
        name = row.task;
      }
      gathered.add(row);
    }
    await database.append("tasks_seen", tasks.splice(0));
    await database.append("needless_cancels", needless.splice(0));
  }
  if (gathered === undefined) return;
  close(gathered);
  await database.append("tasks_seen", tasks);
  await database.append("needless_cancels", needless);
}

function rowOf({ place, unit }: Gathered, task: SubmittedTask, check: BoundCheck): Appended[] {
  const { figures } = task;
  return [
    ...[place, unit?.shard ?? null, unit?.own ?? null, task.end, task.unseen, task.cancelAt ?? null],
    ...[task.cancelMs ?? null, task.submittedAt, task.overAt ?? null],
    ...[figures.queue ?? null, figures.work ?? null, figures.workScheduled ?? null, figures.polls ?? null],
    ...[figures.detectionError ?? null, figures.cost ?? null, figures.fetch ?? null, figures.bytes ?? null],
    ...[figures.unfetched, check.met, check.broken, check.surely, check.near, check.unknown],
  ];
}
