/**
 * The units of work of a run: one per arrival, which is a whole chat, an embedding batch or a video task from submission
 * to end. Objectives, error rate, throughput and goodput count them; requests are counted separately, per operation.
 */

import {
  ARRIVAL_ENDS,
  type ArrivalEnd,
  FOLLOWS_TASK,
  OUTCOMES,
  type Outcome,
  PHASES,
  type TaskEnd,
  WORKLOAD_KINDS,
  type WorkloadKind,
} from "../../../formats/outcomes.ts";
import type { ArrivalLine, RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";
import { type Column, columnsOf } from "../stats/column.ts";
import { PageStore } from "../stats/page-store.ts";
import type { RequestTimes } from "./request-columns.ts";
import { RowIndex } from "./row-index.ts";
import type { RunWorkload } from "./run-workloads.ts";
import type { SubmittedTask } from "./task-histories.ts";
import { type WorkloadModel, WorkloadModels } from "./workload-models.ts";

/** Failures of video tasks whose requests were all answered. */
const TASK_FAILURES = {
  failed: "task_failed",
  cancelled_by_target: "task_cancelled",
  uncancelled: "task_uncancelled",
  timed_out: "task_timed_out",
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

/** Every outcome of a unit, by its number in a column. */
export const UNIT_OUTCOMES: readonly UnitOutcome[] = [
  ...OUTCOMES.filter((outcome) => outcome !== "cancelled_by_us"),
  ...Object.values(TASK_FAILURES),
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

/** Statuses below 500 that a pause of the load generator can cause: it sent too late, and then all at once. */
const OF_LATE_OR_MANY: readonly number[] = [408, 425, 429];
const SERVER_ERRORS = 500;

/** Whether a status refuses what was asked for, whenever it was asked. A server error can follow from many requests at once. */
const refuses = (status = 0): boolean => status > 0 && status < SERVER_ERRORS && !OF_LATE_OR_MANY.includes(status);

/** Whether units of this outcome are neither ok nor failed: cut off by us, left, or failed on the load generator's machine. */
export const isNeither = (outcome: UnitOutcome): boolean =>
  outcome === "unfinished" || outcome === "left" || outcome === "client_error";

/** How a request, or a unit of work, compares with bounds that hold for each request: a bit per bound, by its number. */
export interface BoundCheck {
  /** Bounds whose metric it has, and does not exceed. */
  readonly met: number;
  readonly broken: number;
  /** Those of the broken that it exceeds even if the load generator was as late as it can have been. */
  readonly surely: number;
  /** Bounds that are so near that the lateness of the load generator decides: met or broken as measured. */
  readonly near: number;
  /** Bounds for which its record does not contain enough to decide. */
  readonly unknown: number;
}

/** Of a request that has none of the metrics. */
export const NO_BOUNDS: BoundCheck = { met: 0, broken: 0, surely: 0, near: 0, unknown: 0 };

/** A unit of work, once all its requests are known. Instants in milliseconds since 1970. */
export interface Unit {
  readonly outcome: UnitOutcome;
  /** Whether it failed by a status that no pause of the load generator causes, such as 400. */
  readonly refused: boolean;
  /** Whether its arrival was due in the measured window. */
  readonly measured: boolean;
  /** Undefined when no request was sent for it, or its workload is a scenario, which may send any. */
  readonly part: WorkloadKind | undefined;
  /** Name of its workload; undefined where the run has one. */
  readonly workload: string | undefined;
  /** Its model; undefined where no workload has several. */
  readonly model: string | undefined;
  readonly scheduled: number;
  /** End of its last request; NaN without one. */
  readonly end: number;
  /** Of one that submitted a video task: whether it was completed. */
  readonly task: "completed" | "other" | undefined;
  /** How it compares with the bounds that hold for each request. */
  readonly bounds: BoundCheck;
  /** Of a conversation: the last of its turns, and how many it was to have; 0 for any other. */
  readonly turn: number;
  readonly turns: number;
}

const KIND_NAMES: readonly WorkloadKind[] = ["chat-stream", "chat", "embeddings", "video"];
const partOf = (op: RequestRecord["op"]): number =>
  KIND_NAMES.findIndex((part) => WORKLOAD_KINDS[part].some((candidate) => candidate === op));

const UNFINISHED = UNIT_OUTCOMES.indexOf("unfinished");
const OK = UNIT_OUTCOMES.indexOf("ok");
const MEASURE = PHASES.indexOf("measure");

const unitOutcomeOf = (outcome: Outcome): number =>
  outcome === "cancelled_by_us" ? UNFINISHED : UNIT_OUTCOMES.indexOf(outcome);

const COLUMNS = [
  "scheduled",
  "end",
  "phase",
  "part",
  "of",
  "outcome",
  "submitted",
  "followed",
  "completed",
  "met",
  "broken",
  "surely",
  "near",
  "unknown",
  "told",
  "turn",
  "turns",
  "refused",
] as const;
type ColumnName = (typeof COLUMNS)[number];
/** What a unit is before anything is known of it but its arrival. */
const AT_FIRST: Readonly<Record<Exclude<ColumnName, "scheduled" | "phase">, number>> = {
  ...NO_BOUNDS,
  end: Number.NaN,
  part: -1,
  of: 0,
  outcome: OK,
  submitted: 0,
  followed: OK,
  completed: 0,
  told: 0,
  turn: 0,
  turns: 0,
  refused: 0,
};
/** Bits of the column `refused`, by the column whose outcome it is about. */
const REFUSED = { outcome: 1, followed: 2 } as const;
const CHECKS = ["met", "broken", "surely", "near", "unknown"] as const satisfies readonly (keyof BoundCheck)[];

const COMPLETED: readonly TaskEnd[] = ["completed", "cancel_lost_race"];

const failureOf = (end: TaskEnd): UnitOutcome | undefined =>
  Object.entries(TASK_FAILURES).find(([name]) => name === end)?.[1];

/** Whether a task ended as it was asked to. */
export const isOkEnd = (end: TaskEnd): boolean => end !== "unfinished" && failureOf(end) === undefined;

export class Units {
  readonly #store: PageStore;
  readonly #columns: Readonly<Record<ColumnName, Column>>;
  /** The columns of `AT_FIRST`, with what is in them. */
  readonly #atFirst: readonly (readonly [Column, number])[];
  /** Rows by the number of their arrival, per shard. */
  readonly #rows: RowIndex[] = [];
  /** Workloads and models, by their numbers in the column. */
  readonly #of = new WorkloadModels();
  #length = 0;
  /** Whether every unit has the number of its arrival, so that no arrival can have two. */
  numbered = true;

  constructor(store = new PageStore()) {
    this.#store = store;
    this.#columns = columnsOf(COLUMNS, store);
    this.#atFirst = Object.entries(AT_FIRST).map(([name, value]) => [
      this.#columns[name as keyof typeof AT_FIRST],
      value,
    ]);
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Adds a request to the unit of its arrival and returns the row of that unit. A request without an arrival is a unit of
   * its own, unless it follows a task: -1 then. Requests of one arrival are added in the order of time.
   * @param times when it was due and sent, in milliseconds since 1970
   * @param of the workload that the request is of, where the run has several, and the model, where a workload has several
   */
  add(
    record: RequestRecord,
    times: RequestTimes,
    check: BoundCheck,
    shard = 0,
    of: Partial<WorkloadModel> & { readonly sendsAny?: boolean } = {},
  ): number {
    const { sendsAny = false } = of;
    if (record.arrival === undefined && FOLLOWS_TASK.includes(record.op)) return -1;
    const row = this.#rowOf(record.arrival, shard, record.phase, times.scheduled);
    if (record.op !== "video.fetch")
      this.#set("end", row, times.sent + (record.e2e ?? record.ttft ?? record.ttfb ?? 0));
    if (!sendsAny && this.#at("part", row) < 0) this.#set("part", row, partOf(record.op));
    this.#name(row, of);
    if (record.turn !== undefined) {
      this.#set("turn", row, Math.max(record.turn, this.#at("turn", row)));
      this.#set("turns", row, record.turns ?? record.turn);
    }
    if (record.op === "video.submit") this.#set("submitted", row, 1);
    const decides = FOLLOWS_TASK.includes(record.op) ? "followed" : "outcome";
    if (this.#at(decides, row) === OK) {
      this.#set(decides, row, unitOutcomeOf(record.outcome));
      if (record.outcome === "http_error" && refuses(record.status)) {
        this.#set("refused", row, this.#at("refused", row) | REFUSED[decides]);
      }
    }
    this.#addBounds(row, check);
    return row;
  }

  /** Whether a line has said how an arrival ended. */
  isTold(arrival: number, shard = 0): boolean {
    const row = this.#rows[shard]?.get(arrival);
    return row !== undefined && this.#at("told", row) === 1;
  }

  /** The model of a unit; undefined where none was added. */
  modelOf(row: number): string | undefined {
    return this.#of.at(this.#at("of", row)).model;
  }

  /** Adds what a line says of an arrival, its workload where the run has several, and its model where a workload has. */
  addArrival(
    { index, phase, scheduled, end }: ArrivalLine,
    of: RunWorkload | undefined,
    shard = 0,
    model?: string,
  ): void {
    const row = this.#rowOf(index, shard, phase, readInstant(scheduled));
    this.#name(row, { model });
    this.#set("told", row, 1);
    if (of !== undefined && this.#at("part", row) < 0) {
      if (of.operation !== undefined) this.#set("part", row, KIND_NAMES.indexOf(of.operation));
      this.#name(row, { workload: of.name });
    }
    if (this.#at("outcome", row) === OK) this.#set("outcome", row, UNIT_OUTCOMES.indexOf(end));
  }

  /** Everything of a shard has been added: the numbers of its arrivals are not needed any more. */
  closeShard(shard: number): void {
    this.#rows[shard]?.release();
    delete this.#rows[shard];
  }

  /** Adds how a video task ended. */
  addTask({ unit, end, unseen }: Pick<SubmittedTask, "unit" | "end" | "unseen">, check: BoundCheck): void {
    if (unit < 0) return;
    const failure = unseen ? "client_error" : failureOf(end);
    if (COMPLETED.includes(end)) this.#set("completed", unit, 1);
    const outcome = this.#at("outcome", unit);
    if (failure !== undefined && (outcome === OK || outcome === UNFINISHED)) {
      this.#set("outcome", unit, UNIT_OUTCOMES.indexOf(failure));
    } else if (end === "unfinished" && outcome === OK) this.#set("outcome", unit, UNFINISHED);
    this.#addBounds(unit, check);
  }

  /** The unit of a row. */
  unit(row: number): Unit {
    const decides = this.#at("outcome", row) === OK && this.#at("submitted", row) === 0 ? "followed" : "outcome";
    const outcome = UNIT_OUTCOMES[this.#at(decides, row)] ?? "ok";
    const refused = outcome === "http_error" && (this.#at("refused", row) & REFUSED[decides]) !== 0;
    const part = KIND_NAMES[this.#at("part", row)];
    const bounds = {
      met: this.#at("met", row),
      broken: this.#at("broken", row),
      surely: this.#at("surely", row),
      near: this.#at("near", row),
      unknown: this.#at("unknown", row),
    };
    return {
      outcome,
      refused,
      part,
      ...this.#of.at(this.#at("of", row)),
      bounds,
      measured: this.#at("phase", row) === MEASURE,
      turn: this.#at("turn", row),
      turns: this.#at("turns", row),
      scheduled: this.#at("scheduled", row),
      end: this.#at("end", row),
      task: this.#at("submitted", row) === 0 ? undefined : this.#at("completed", row) === 1 ? "completed" : "other",
    };
  }

  /** Names the workload or the model of a unit that has none yet. */
  #name(row: number, { workload, model }: Partial<WorkloadModel>): void {
    const known = this.#of.at(this.#at("of", row));
    const named = { workload: known.workload ?? workload, model: known.model ?? model };
    this.#set("of", row, this.#of.numberOf(named));
  }

  #rowOf(arrival: number | undefined, shard: number, phase: RequestRecord["phase"], scheduled: number): number {
    this.#rows[shard] ??= new RowIndex(this.#store);
    const known = arrival === undefined ? undefined : this.#rows[shard].get(arrival);
    if (known !== undefined) return known;
    const row = this.#length;
    this.#length += 1;
    if (arrival === undefined) this.numbered = false;
    else this.#rows[shard].set(arrival, row);
    this.#columns.scheduled.push(scheduled);
    this.#columns.phase.push(PHASES.indexOf(phase));
    for (const [column, value] of this.#atFirst) column.push(value);
    return row;
  }

  #addBounds(row: number, check: BoundCheck): void {
    if (check === NO_BOUNDS) return;
    for (const name of CHECKS) this.#set(name, row, this.#at(name, row) | check[name]);
  }

  #at(name: ColumnName, row: number): number {
    return this.#columns[name].at(row);
  }

  #set(name: ColumnName, row: number, value: number): void {
    this.#columns[name].set(row, value);
  }
}
