/**
 * What was seen of each video task, gathered from the requests that name it, in columns: some bytes per task, however many
 * polls it had. Instants are in milliseconds since 1970, durations in milliseconds.
 */

import { isTerminal, TERMINAL_STATES } from "../../../contract/service.ts";
import { type CancelReason, endedByUs, type TaskEnd } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import type { TaskFigures } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { type Column, columnsOf } from "../stats/column.ts";
import { PageStore } from "../stats/page-store.ts";
import { IdNumbers } from "./id-set.ts";

/** What was seen of a task that is yes or no, a bit each. */
const SEEN = {
  submitted: 1,
  /** Somebody asked to cancel it, and the target agreed, or said that it cannot be cancelled. */
  asked: 1 << 1,
  askedOk: 1 << 2,
  askedRefused: 1 << 3,
  /** It was cancelled because it was given up. */
  givenUp: 1 << 4,
  /** Such a cancel, or one of the clean-up, was agreed to or refused: the task is over. */
  isOver: 1 << 5,
  /** It was cancelled, and nobody had asked for that. */
  cancelledByUs: 1 << 6,
  /** A poll after a cancel that was asked for showed that it was still processing. */
  wentOn: 1 << 7,
  /** The last poll before it was given up, or its cancel, failed on the load generator's machine. */
  clientError: 1 << 8,
  /** Its video was requested, and could not be read. */
  unfetched: 1 << 9,
} as const;

/** The bits above hold when it was to be cancelled: the number of that point, from 1; 0 for none. */
const FIRST_POINT = 1 << 10;

const COLUMNS = [
  "sent",
  "due",
  "unit",
  "polls",
  "worked",
  "previous",
  "final",
  "state",
  "seen",
  "over",
  "figure",
  "fetched",
  "bytes",
] as const;
type ColumnName = (typeof COLUMNS)[number];

/** A row without anything seen. `due`: NaN in a closed loop; the others as a task reads them. */
const EMPTY: Readonly<Record<ColumnName, number>> = {
  sent: Number.NaN,
  due: Number.NaN,
  unit: -1,
  polls: 0,
  /** End of the first poll that shows work. */
  worked: Number.NaN,
  /** Start of the last poll before the one that shows the end. */
  previous: Number.NaN,
  /** End of the poll that shows the end, and the state that it shows, by its number. */
  final: Number.NaN,
  state: -1,
  seen: 0,
  /** End of the first poll or cancel that showed that the task was over. */
  over: Number.NaN,
  /** Of a completed task its cost, of another the duration of the cancel that was asked for and accepted. */
  figure: Number.NaN,
  /** Duration of the request for its video, and its size. */
  fetched: Number.NaN,
  bytes: Number.NaN,
};

/** A task that was accepted: the unit of work that submitted it, how it ended, and its figures. */
export interface SubmittedTask {
  readonly unit: number;
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

export class TaskHistories {
  readonly #rows: IdNumbers;
  readonly #columns: Readonly<Record<ColumnName, Column>>;
  /** When tasks were to be cancelled, by number. */
  readonly #points: string[] = [];

  constructor(store = new PageStore()) {
    this.#rows = new IdNumbers(store);
    this.#columns = columnsOf(COLUMNS, store);
  }

  /** Adds a request; `unit`: the unit of work that it belongs to. Requests of one task are added in the order of time. */
  add(record: RequestRecord, unit: number): void {
    if (!record.op.startsWith("video.") || record.task === undefined) return;
    const row = this.#rows.numberOf(record.task);
    if (row === this.#columns.seen.length) for (const name of COLUMNS) this.#columns[name].push(EMPTY[name]);
    const ok = record.outcome === "ok";
    const here = record.outcome === "client_error";
    if (here && record.op !== "video.fetch") this.#note(row, SEEN.clientError);
    else if (ok && record.op === "video.poll" && !this.#saw(row, SEEN.cancelledByUs)) {
      this.#set("seen", row, this.#at("seen", row) & ~SEEN.clientError);
    }
    if (record.op === "video.submit" && ok) this.#addSubmission(row, record, unit);
    if (record.op === "video.poll") {
      this.#set("polls", row, this.#at("polls", row) + 1);
      if (ok) this.#addPoll(row, record);
    }
    if (record.op === "video.fetch") this.#addFetch(row, record);
    const isCancel = record.op === "video.cancel" && !(here && record.cancel_reason === "asked");
    if (isCancel) this.#addCancel(row, record);
  }

  /** Whether a poll has shown that a task had ended. */
  hasEnded(task: string): boolean {
    const row = this.#rows.get(task);
    return row !== undefined && this.#at("state", row) >= 0;
  }

  /** Tasks whose submission was accepted, in the order of their first request; made anew at each call. */
  *submitted(): Generator<SubmittedTask> {
    for (let row = 0; row < this.#rows.size; row += 1) {
      if (!this.#saw(row, SEEN.submitted)) continue;
      const end = this.#endOf(row);
      const unseen = this.#saw(row, SEEN.clientError) && (end === "timed_out" || end === "orphaned");
      yield {
        unit: this.#at("unit", row),
        end,
        unseen,
        figures: this.#figuresOf(row),
        cancelAt: this.#points[Math.floor(this.#at("seen", row) / FIRST_POINT) - 1],
        cancelMs: this.#stateOf(row) === "completed" ? undefined : known(this.#at("figure", row)),
        submittedAt: this.#at("sent", row),
        overAt: known(this.#at("over", row)),
      };
    }
  }

  #addSubmission(row: number, { sent, scheduled, lag, cancel_at }: RequestRecord, unit: number): void {
    this.#note(row, SEEN.submitted);
    this.#set("sent", row, readInstant(sent));
    if (cancel_at !== undefined) this.#note(row, (this.#numberOf(cancel_at) + 1) * FIRST_POINT);
    this.#set("due", row, lag === undefined ? Number.NaN : readInstant(scheduled));
    this.#set("unit", row, unit);
  }

  #numberOf(point: string): number {
    const known = this.#points.indexOf(point);
    return known < 0 ? this.#points.push(point) - 1 : known;
  }

  /** A poll after the one that showed the end says nothing more. */
  #addPoll(row: number, { sent, e2e = 0, task_state: state, progress, cost }: RequestRecord): void {
    if (this.#at("state", row) >= 0) return;
    const begin = readInstant(sent);
    if (isTerminal(state)) {
      this.#set("state", row, STATES.indexOf(state ?? ""));
      this.#set("final", row, begin + e2e);
      this.#setOver(row, begin + e2e);
      if (state === "completed") this.#set("figure", row, cost ?? Number.NaN);
      return;
    }
    this.#set("previous", row, begin);
    if (state !== "processing") return;
    this.#set("over", row, Number.NaN);
    if (this.#saw(row, SEEN.asked)) this.#note(row, SEEN.wentOn);
    if ((progress ?? 0) > 0 && Number.isNaN(this.#at("worked", row))) this.#set("worked", row, begin + e2e);
  }

  /** What showed first that a task was over. */
  #setOver(row: number, instant: number): void {
    if (Number.isNaN(this.#at("over", row))) this.#set("over", row, instant);
  }

  #addCancel(row: number, { sent, e2e = 0, outcome, status = 0, phase, cancel_reason }: RequestRecord): void {
    const reason: CancelReason = cancel_reason ?? (phase === "drain" ? "clean_up" : "asked");
    const ok = outcome === "ok";
    // By a status from 400 to 499 other than 429: the target says that it cannot be cancelled.
    const refused = outcome === "http_error" && status >= 400 && status < 500;
    if (ok) this.#setOver(row, readInstant(sent) + e2e);
    if (ok && reason === "asked") this.#set("figure", row, e2e);
    if (reason === "asked") {
      this.#note(row, SEEN.asked | (ok ? SEEN.askedOk : 0) | (refused ? SEEN.askedRefused : 0));
    } else {
      const givenUp = reason === "given_up" ? SEEN.givenUp : 0;
      this.#note(row, SEEN.cancelledByUs | givenUp | (ok || refused ? SEEN.isOver : 0));
    }
  }

  /** What we ended ourselves, or failed on this machine, says nothing of the video. */
  #addFetch(row: number, { outcome, e2e, bytes = Number.NaN }: RequestRecord): void {
    if (outcome === "ok") {
      this.#set("fetched", row, e2e ?? Number.NaN);
      this.#set("bytes", row, bytes);
    } else if (!endedByUs(outcome) && outcome !== "client_error") this.#note(row, SEEN.unfetched);
  }

  #figuresOf(row: number): TaskFigures {
    const [sent, final] = [this.#at("sent", row), this.#at("final", row)];
    const previous = this.#at("previous", row);
    const ended = !Number.isNaN(final);
    const completed = this.#stateOf(row) === "completed" ? final : Number.NaN;
    return {
      queue: known(this.#at("worked", row) - sent),
      work: known(completed - sent),
      workScheduled: known(completed - this.#at("due", row)),
      polls: ended ? this.#at("polls", row) : undefined,
      detectionError: known(final - (Number.isNaN(previous) ? sent : previous)),
      cost: this.#stateOf(row) === "completed" ? known(this.#at("figure", row)) : undefined,
      fetch: known(this.#at("fetched", row)),
      bytes: known(this.#at("bytes", row)),
      unfetched: this.#saw(row, SEEN.unfetched),
    };
  }

  #endOf(row: number): TaskEnd {
    const saw = (what: number): boolean => this.#saw(row, what);
    const state = this.#stateOf(row);
    if (state === "completed" || state === "failed") {
      const lostRace = saw(SEEN.askedRefused) && !saw(SEEN.wentOn);
      if (saw(SEEN.asked) && !lostRace) return "uncancelled";
      return state === "completed" && lostRace ? "cancel_lost_race" : state;
    }
    if (state === "cancelled") {
      if (saw(SEEN.asked)) return "cancelled";
      return saw(SEEN.givenUp) ? "timed_out" : "cancelled_by_target";
    }
    if (saw(SEEN.asked) && saw(SEEN.wentOn)) return "uncancelled";
    if (saw(SEEN.askedOk)) return "cancelled";
    if (!saw(SEEN.isOver)) return "orphaned";
    return saw(SEEN.givenUp) ? "timed_out" : "unfinished";
  }

  #stateOf(row: number): string | undefined {
    return STATES[this.#at("state", row)];
  }

  #saw(row: number, what: number): boolean {
    return (this.#at("seen", row) & what) !== 0;
  }

  #note(row: number, what: number): void {
    this.#set("seen", row, this.#at("seen", row) | what);
  }

  #at(name: ColumnName, row: number): number {
    return this.#columns[name].at(row);
  }

  #set(name: ColumnName, row: number, value: number): void {
    this.#columns[name].set(row, value);
  }
}

/** The states that are an end, by their number in a column. */
const STATES: readonly string[] = TERMINAL_STATES;

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);
