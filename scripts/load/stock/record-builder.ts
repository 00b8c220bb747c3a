/**
 * Makes records, the journal of video tasks and the counts of the load generator from the facts of a run. Pure: facts in,
 * lines for files out.
 */

import type { ClientLine } from "../../../formats/client.ts";
import { answered } from "../../../formats/records.ts";
import { dueBy, type Ticks } from "../../../scenarios/process/arrival-ticks.ts";
import { shortDetail } from "../../../scenarios/stock/detail-text.ts";
import type { Cancel } from "../../tasks/cancel-leftovers.ts";
import type { ArrivalEnded, Arrived, Ended, Fact, Sent } from "./console-line.ts";
import type { Lines } from "./result-files.ts";
import { TaskJournal } from "./task-journal.ts";

type Write = <Name extends "records" | "tasks">(file: Name, line: Lines[Name]) => void;

export class RecordBuilder {
  /** Records written so far. */
  records = 0;
  scheduleStart: string | undefined;
  readonly #write: Write;
  readonly #journal: TaskJournal;
  readonly #k6: string;
  readonly #open = new Map<string, Sent>();
  /** Those under way. */
  readonly #arrivals = new Map<number, Arrived>();
  readonly #started = { warmup: 0, measure: 0 };
  /** Numbers of the arrivals that ended since the counts were last read. */
  #ended: number[] = [];
  readonly #outcomes: Record<string, number> = {};
  #answered = 0;
  /** Length of the first vectors of each model. */
  readonly #dimensions = new Map<string, number>();
  /** Since the counts were last read: durations, and the peak of requests in flight. */
  #e2e: number[] = [];
  #peak = 0;
  #startedAt: string | undefined;
  #run: Extract<Fact, { line: "run" }> | undefined;

  /** @param k6 version of k6, for the header. */
  constructor(k6: string, write: Write) {
    this.#k6 = k6;
    this.#write = write;
    this.#journal = new TaskJournal((event) => write("tasks", event));
  }

  /** When the run began, by its first arrival or request. */
  get startedAt(): string | undefined {
    return this.#startedAt;
  }

  /** Ids of the video tasks that were not seen to end. */
  get openTasks(): readonly string[] {
    return this.#journal.open;
  }

  take(fact: Fact): void {
    if (fact.line === "run") this.#run ??= fact;
    else if (fact.line === "ended") this.#end(fact);
    else if (fact.line === "sent") this.#begin(fact);
    else if (fact.line === "arrival") this.#arrive(fact);
    else this.#endArrival(fact);
  }

  #arrive(arrived: Arrived): void {
    this.#startAt(arrived.start);
    this.scheduleStart ??= arrived.start;
    this.#started[arrived.phase] += 1;
    this.#arrivals.set(arrived.index, arrived);
  }

  #endArrival({ index, end, detail }: Pick<ArrivalEnded, "index" | "end" | "detail">): void {
    const arrived = this.#arrivals.get(index);
    this.#arrivals.delete(index);
    if (arrived !== undefined) this.#ended.push(index);
    if (arrived === undefined || end === undefined) return;
    const { phase, at: scheduled } = arrived;
    const arrival = { index, phase, scheduled, end, ...(detail !== undefined && { detail }) };
    this.#write("records", { arrival });
  }

  /** Writes the header, once. */
  #startAt(startedAt: string): void {
    if (this.#startedAt !== undefined || this.#run === undefined) return;
    this.#startedAt = startedAt;
    const { settings, seed } = this.#run;
    this.#write("records", { schema: "assay.records/1", settings, seed, k6: this.#k6, stock: true, startedAt });
  }

  #begin(sent: Sent): void {
    this.#startAt(sent.sent);
    this.#open.set(sent.id, sent);
    this.#peak = Math.max(this.#peak, this.#open.size);
    this.#journal.begin(sent);
  }

  #end(fact: Ended): void {
    const sent = this.#open.get(fact.id);
    if (sent === undefined) return;
    this.#open.delete(fact.id);
    const ended = this.#withTaskChecked(sent, this.#withDimensionsChecked(sent, fact));
    this.#record(sent, ended);
    if (ended.e2e !== undefined && ended.outcome === "ok") this.#e2e.push(ended.e2e);
    this.#journal.end(sent, ended);
  }

  /** Compares the length of the vectors with that of the first ones of the model, by the rule of the extension. */
  #withDimensionsChecked({ model = "" }: Sent, ended: Ended): Ended {
    const { dimensions, outcome } = ended;
    if (dimensions === undefined || outcome !== "ok") return ended;
    const first = this.#dimensions.get(model) ?? dimensions;
    this.#dimensions.set(model, first);
    if (dimensions === first) return ended;
    const detail = `The vectors have length ${dimensions}, where ${first} was expected, that of the first vectors of the model ${model} in this run.`;
    return { ...ended, outcome: "contract", detail };
  }

  #record({ line: _, ...sent }: Sent, { line: __, ...ended }: Ended): void {
    const record = { ...sent, ...ended, sent: ended.sent ?? sent.sent };
    this.#write("records", { ...record, scheduled: record.sent });
    this.records += 1;
    this.#outcomes[ended.outcome] = (this.#outcomes[ended.outcome] ?? 0) + 1;
    if (answered(record)) this.#answered += 1;
  }

  /** A task belongs to one submission, by the rule of the extension. */
  #withTaskChecked(sent: Sent, ended: Ended): Ended {
    if (ended.outcome !== "ok" || !this.#journal.isGivenTwice(sent, ended)) return ended;
    const detail = shortDetail(`The id ${JSON.stringify(ended.task)} was given to an earlier submission too.`);
    return { ...ended, outcome: "contract", detail };
  }

  /** Records the requests and arrivals that k6 cut off when the run ended: their scripts could not tell how they ended. */
  cutOff(): void {
    for (const [id, sent] of this.#open) {
      const detail = "The run ended before the response was complete.";
      this.#record(sent, { line: "ended", id, outcome: "cancelled_by_us", detail });
      this.#journal.cutOff(sent);
    }
    this.#open.clear();
    for (const index of this.#arrivals.keys()) this.#endArrival({ index, end: "unfinished" });
  }

  /** Records a cancel that was sent after the run, as `teardown` does with the extension. */
  cleanedUp({ id, task, sentMs, tookMs, status }: Cancel): void {
    const sent = new Date(sentMs).toISOString();
    const outcome = status === 200 ? "ok" : status === 0 ? "timeout" : status === 429 ? "rate_limited" : "http_error";
    const known = {
      id,
      op: "video.cancel",
      phase: "drain",
      scheduled: sent,
      sent,
      task,
      cancel_reason: "clean_up",
    } as const;
    this.#write("records", { ...known, outcome, e2e: tookMs, ...(status > 0 && { status }) });
    this.records += 1;
  }

  /** The counts so far; durations, arrivals that ended and the peak start again. */
  counts(): Pick<
    ClientLine,
    "open" | "started" | "ended" | "completed" | "ok" | "answered" | "outcomes" | "e2e_p50_ms"
  > {
    const ended = this.#ended;
    this.#ended = [];
    const sorted = this.#e2e.sort((a, b) => a - b);
    const open = this.#peak;
    this.#e2e = [];
    this.#peak = this.#open.size;
    const completed = Object.values(this.#outcomes).reduce((sum, count) => sum + count, 0);
    return {
      open,
      started: { ...this.#started },
      ...(ended.length > 0 && { ended }),
      completed,
      ok: this.#outcomes["ok"] ?? 0,
      answered: this.#answered,
      outcomes: { ...this.#outcomes },
      e2e_p50_ms: sorted[Math.ceil(sorted.length / 2) - 1],
    };
  }

  /**
   * Arrivals that were due, by phase: those of the schedule in an open loop, those that started in a closed one.
   * @param stoppedMs when the run was stopped before its end, in milliseconds since 1970; undefined: it was not stopped
   */
  offered(ticks: Ticks | undefined, stoppedMs: number | undefined): ClientLine["offered"] {
    if (ticks === undefined || this.scheduleStart === undefined) return { ...this.#started };
    const { warmup, measure } = this.#started;
    const ran = stoppedMs === undefined ? Number.POSITIVE_INFINITY : stoppedMs - Date.parse(this.scheduleStart);
    const due = Math.max(dueBy(ticks, ran), warmup + measure);
    const missing = due - warmup - measure;
    // A late arrival counts in the phase in which it started; none is missing from both phases.
    const measured = Math.min(missing, Math.max(0, due - Math.min(due, ticks.warmup) - measure));
    return { warmup: warmup + missing - measured, measure: measure + measured };
  }
}
