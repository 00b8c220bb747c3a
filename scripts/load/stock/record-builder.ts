/**
 * What the facts of a run add up to: records, the journal of video tasks, and the client's counts. Pure: facts in, lines
 * for files out.
 */

import { TERMINAL_STATES } from "../../../contract/service.ts";
import type { ClientLine } from "../../../formats/client.ts";
import { dueBy, type Ticks } from "../../../scenarios/stock/arrival-ticks.ts";
import type { Cancel } from "../../tasks/clean-up.ts";
import type { Ended, Fact, Sent } from "./console-line.ts";

type Write = (file: "records" | "tasks", line: Readonly<Record<string, unknown>>) => void;

export class Ledger {
  /** Records written so far. */
  records = 0;
  scheduleStart: string | undefined;
  readonly #write: Write;
  readonly #k6: string;
  readonly #open = new Map<string, Sent>();
  readonly #started = { warmup: 0, measure: 0 };
  readonly #outcomes: Record<string, number> = {};
  /** Since the counts were last asked for: durations, and the most requests that were open at once. */
  #e2e: number[] = [];
  #peak = 0;
  #header: { readonly startedAt: string } | undefined;
  #run: Extract<Fact, { line: "run" }> | undefined;

  /** @param k6 version of k6, as the header says it. */
  constructor(k6: string, write: Write) {
    this.#k6 = k6;
    this.#write = write;
  }

  /** When the run began, by its first arrival or request. */
  get startedAt(): string | undefined {
    return this.#header?.startedAt;
  }

  take(fact: Fact): void {
    if (fact.line === "run") this.#run ??= fact;
    else if (fact.line === "ended") this.#end(fact);
    else if (fact.line === "sent") this.#begin(fact);
    else {
      this.#startAt(fact.start);
      this.scheduleStart ??= fact.start;
      this.#started[fact.phase] += 1;
    }
  }

  /** Writes the header, once. */
  #startAt(startedAt: string): void {
    if (this.#header !== undefined) return;
    this.#header = { startedAt };
    const { settings = {}, seed } = this.#run ?? {};
    this.#write("records", { schema: "assay.records/1", settings, seed, k6: this.#k6, stock: true, startedAt });
  }

  #begin(sent: Sent): void {
    this.#startAt(sent.sent);
    this.#open.set(sent.id, sent);
    this.#peak = Math.max(this.#peak, this.#open.size);
    if (sent.op === "video.submit") this.#write("tasks", { event: "submitting", id: sent.id });
  }

  #end(ended: Ended): void {
    const sent = this.#open.get(ended.id);
    if (sent === undefined) return;
    this.#open.delete(ended.id);
    this.#record(sent, ended);
    if (ended.e2e !== undefined && ended.outcome === "ok") this.#e2e.push(ended.e2e);
    this.#journal(sent, ended);
  }

  #record({ line: _, ...sent }: Sent, { line: __, ...ended }: Ended): void {
    const record = { ...sent, ...ended };
    this.#write("records", { ...record, scheduled: record.sent });
    this.records += 1;
    this.#outcomes[ended.outcome] = (this.#outcomes[ended.outcome] ?? 0) + 1;
  }

  /** Keeps the journal of video tasks by the rules of the extension. */
  #journal(sent: Sent, ended: Ended): void {
    const over = TERMINAL_STATES.some((state) => state === ended.task_state);
    const task = ended.task ?? sent.task;
    if (sent.op === "video.submit") {
      const event = ended.task === undefined ? eventOf(ended) : "accepted";
      this.#write("tasks", { event, id: sent.id, ...(ended.task !== undefined && { task: ended.task }) });
    }
    if (over && task !== undefined) this.#write("tasks", { event: "ended", task, state: ended.task_state });
  }

  /** The requests that k6 cut off when the run ended: their scripts never came to say how they went. */
  cutOff(): void {
    for (const [id, sent] of this.#open) {
      const ended: Ended = {
        line: "ended",
        id,
        outcome: "cancelled_by_us",
        detail: "The run ended before the answer did.",
      };
      this.#record(sent, ended);
      if (sent.op === "video.submit") this.#write("tasks", { event: "unknown", id });
    }
    this.#open.clear();
  }

  /** A cancel after the run, recorded as `teardown` with the extension records it. */
  cleanedUp({ id, task, sentMs, tookMs, status }: Cancel): void {
    const sent = new Date(sentMs).toISOString();
    const outcome = status === 200 ? "ok" : status === 0 ? "timeout" : status === 429 ? "rate_limited" : "http_error";
    const answer = { outcome, task, e2e: tookMs, ...(status > 0 && { status }) };
    this.#write("records", { id, op: "video.cancel", phase: "drain", scheduled: sent, sent, ...answer });
    this.records += 1;
  }

  /** The counts of the client so far; those of the second begin anew. */
  counts(): Pick<ClientLine, "open" | "started" | "completed" | "ok" | "outcomes" | "e2e_p50_ms"> {
    const sorted = this.#e2e.sort((a, b) => a - b);
    const open = this.#peak;
    this.#e2e = [];
    this.#peak = this.#open.size;
    const completed = Object.values(this.#outcomes).reduce((sum, count) => sum + count, 0);
    return {
      open,
      started: { ...this.#started },
      completed,
      ok: this.#outcomes["ok"] ?? 0,
      outcomes: { ...this.#outcomes },
      e2e_p50_ms: sorted[Math.ceil(sorted.length / 2) - 1],
    };
  }

  /**
   * Arrivals that were due, by phase: by the plan in an open loop, those that started in a closed one.
   * @param stoppedMs when the run was stopped before its end, since 1970; undefined: it was not
   */
  offered(ticks: Ticks | undefined, stoppedMs: number | undefined): ClientLine["offered"] {
    if (ticks === undefined || this.scheduleStart === undefined) return { ...this.#started };
    const { warmup, measure } = this.#started;
    const ran = stoppedMs === undefined ? Number.POSITIVE_INFINITY : stoppedMs - Date.parse(this.scheduleStart);
    const due = Math.max(dueBy(ticks, ran), warmup + measure);
    const missing = due - warmup - measure;
    // An arrival that the client was late with counts where it started; none is missing from both phases.
    const measured = Math.min(missing, Math.max(0, due - Math.min(due, ticks.warmup) - measure));
    return { warmup: warmup + missing - measured, measure: measure + measured };
  }
}

/** What a submission without a task's id leaves to be known. */
const eventOf = ({ status = 0, outcome }: Ended): "refused" | "unknown" => {
  const mayHaveMade = status === 0 ? outcome !== "refused" && outcome !== "tls" : status >= 200 && status < 300;
  return mayHaveMade ? "unknown" : "refused";
};
