/**
 * Requests over time, for charts: what was sent, what ended, and their latencies, apart by operation, workload, model and turn. Kept
 * as counts per interval of time, whose number is bounded: the memory does not grow with the number of requests.
 */

import { endedByUs } from "../../../formats/outcomes.ts";
import type { CountedGaps, RequestRecord } from "../../../formats/records.ts";
import { type MetricName, metric, STALL_MS } from "../../../load/objectives/metrics.ts";
import { LogHistogram } from "../stats/log-histogram.ts";
import type { SubmittedTask } from "./task-histories.ts";
import { isOkEnd } from "./work-units.ts";

/** Latencies of single requests that have charts, by the instant that they count from. */
const OF_REQUESTS = [
  ["ttft", "sent"],
  ["ttft_scheduled", "scheduled"],
  ["e2e", "sent"],
  ["e2e_scheduled", "scheduled"],
  ["video_submit", "sent"],
] as const satisfies readonly (readonly [MetricName, "sent" | "scheduled"])[];

/** Intervals at most; when there would be more, each two become one. */
const MOST_INTERVALS = 240;
const FIRST_WIDTH_MS = 250;
/** Longest run of which every part is shown. */
const MOST_MS = 86_400_000;
/** Kept apart at most; the requests of others count for their operation alone. */
const MOST_CELLS = 64;
const MOST_TURNS = 12;
/** Fewer samples than this are shown one by one. */
export const FEW = 20;

/** What requests are of; undefined: not told apart. */
export interface CellOf {
  readonly op: string;
  readonly workload: string | undefined;
  readonly model: string | undefined;
  readonly turn: number | undefined;
}

/** What happened in an interval. */
export interface Interval {
  sent: number;
  ok: number;
  failed: number;
  tokens: number;
  stalls: number;
  readonly latencies: Map<MetricName, LogHistogram>;
}

/** A single value: when, in milliseconds from the first instant, how much, and of which request. */
export interface Single {
  readonly at: number;
  readonly ms: number;
  readonly id: string | undefined;
}

/** The measured values of a metric. */
export interface Values {
  readonly all: LogHistogram;
  /** Each of them, while they are few. */
  readonly singles: Single[];
}

/** The requests of one operation, workload, model and turn. Latencies in microseconds. */
export class Cell {
  readonly of: CellOf;
  readonly intervals = new Map<number, Interval>();
  readonly measured = new Map<MetricName, Values>();
  /** Time to first token by input tokens: histograms of the latency by the class of the tokens. */
  readonly byTokens = new LogGrid();
  sent = 0;

  constructor(of: CellOf) {
    this.of = of;
  }

  interval(index: number): Interval {
    const known = this.intervals.get(index);
    if (known !== undefined) return known;
    const made: Interval = { sent: 0, ok: 0, failed: 0, tokens: 0, stalls: 0, latencies: new Map() };
    this.intervals.set(index, made);
    return made;
  }

  values(name: MetricName): Values {
    const known = this.measured.get(name);
    if (known !== undefined) return known;
    const made: Values = { all: new LogHistogram(), singles: [] };
    this.measured.set(name, made);
    return made;
  }

  /** Makes one interval of each two. */
  halve(): void {
    const before = [...this.intervals];
    this.intervals.clear();
    for (const [index, interval] of before) addInterval(this.interval(Math.floor(index / 2)), interval);
  }
}

/** Adds all of an interval to another. */
export function addInterval(to: Interval, from: Interval): void {
  for (const name of ["sent", "ok", "failed", "tokens", "stalls"] as const) to[name] += from[name];
  for (const [name, latencies] of from.latencies) histogramOf(to.latencies, name).merge(latencies);
}

const histogramOf = (all: Map<MetricName, LogHistogram>, name: MetricName): LogHistogram => {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = new LogHistogram();
  all.set(name, made);
  return made;
};

/** Histograms by the size of another value. */
export class LogGrid {
  readonly rows = new Map<number, LogHistogram>();

  add(size: number, value: number): void {
    // Eight sizes from each power of two to the next.
    const row = Math.round(8 * Math.log2(Math.max(1, size)));
    const known = this.rows.get(row) ?? new LogHistogram();
    this.rows.set(row, known);
    known.add(value);
  }

  merge(other: LogGrid): void {
    for (const [row, values] of other.rows) {
      const known = this.rows.get(row) ?? new LogHistogram();
      this.rows.set(row, known);
      known.merge(values);
    }
  }
}

const STALL_US = STALL_MS * 1_000;

export class RequestSeries {
  readonly #cells = new Map<string, Cell>();
  #last: Cell | undefined;
  /** The instant from which the intervals count, in milliseconds since 1970. */
  start = Number.NaN;
  widthMs = FIRST_WIDTH_MS;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;

  /** Sets the first instant, unless it is set. */
  startAt(instant: number): void {
    if (Number.isNaN(this.start)) this.start = instant;
  }

  get cells(): Iterable<Cell> {
    return this.#cells.values();
  }

  /**
   * Adds a request.
   * @param times when it was due and sent, in milliseconds since 1970
   */
  add(
    record: RequestRecord,
    times: { readonly scheduled: number; readonly sent: number },
    of: { readonly workload: string | undefined; readonly model: string | undefined },
  ): void {
    const { op, outcome, phase, e2e = 0 } = record;
    const isVideo = op.startsWith("video.");
    const cell = this.#cellOf({ op: isVideo ? "video" : op, ...of, turn: record.turn });
    const [sent, scheduled] = [times.sent - this.start, times.scheduled - this.start];
    // A task is sent with its submission, and ends when a poll says so.
    if (isVideo && op !== "video.submit") return;
    this.#at(cell, sent, (interval) => (interval.sent += 1));
    cell.sent += 1;
    if (endedByUs(outcome)) return;
    if (outcome !== "ok") {
      this.#at(cell, sent + e2e, (interval) => (interval.failed += 1));
      return;
    }
    if (!isVideo) this.#at(cell, sent + e2e, (interval) => (interval.ok += 1));
    const isMeasured = phase === "measure";
    for (const [name, from] of OF_REQUESTS) {
      const ms = metric(name).of?.(record);
      if (ms !== undefined)
        this.#addValue(cell, name, { at: from === "sent" ? sent : scheduled, ms, id: record.id }, isMeasured);
    }
    this.#addChunks(cell, record, sent, isMeasured);
    const { ttft, input_tokens: input } = record;
    if (isMeasured && ttft !== undefined && input !== undefined) cell.byTokens.add(input, ttft * 1_000);
  }

  /** Adds a video task that was accepted. */
  addTask(
    { end, overAt, submittedAt, figures }: SubmittedTask,
    of: Omit<CellOf, "op" | "turn">,
    isMeasured: boolean,
  ): void {
    const cell = this.#cellOf({ op: "video", ...of, turn: undefined });
    if (overAt !== undefined && end !== "unfinished")
      this.#at(cell, overAt - this.start, (interval) => (interval[isOkEnd(end) ? "ok" : "failed"] += 1));
    const at = submittedAt - this.start;
    for (const name of ["video_work", "video_work_scheduled"] as const) {
      const ms = metric(name).ofTask?.(figures);
      if (ms !== undefined) this.#addValue(cell, name, { at, ms, id: undefined }, isMeasured);
    }
  }

  /** Adds gaps out of a histogram, of which nobody knows when they were. */
  addCounted({ op, phase, workload, us, n }: CountedGaps): void {
    if (phase !== "measure") return;
    const { all } = this.#cellOf({ op, workload, model: undefined, turn: undefined }).values("icl");
    for (const [index, gap] of us.entries()) all.add(gap, n[index] ?? 0);
  }

  #cellOf(of: CellOf): Cell {
    const last = this.#last?.of;
    if (
      this.#last !== undefined &&
      last?.op === of.op &&
      last.workload === of.workload &&
      last.model === of.model &&
      last.turn === of.turn
    )
      return this.#last;
    const turn = of.turn === undefined || of.turn > MOST_TURNS ? undefined : of.turn;
    const key = JSON.stringify([of.op, of.workload, of.model, turn]);
    const known = this.#cells.get(key) ?? this.#newCell({ ...of, turn }, key);
    if (turn === of.turn && known.of.workload === of.workload) this.#last = known;
    return known;
  }

  #newCell(of: CellOf, key: string): Cell {
    const isFull = this.#cells.size >= MOST_CELLS;
    const own = isFull ? { op: of.op, workload: undefined, model: undefined, turn: undefined } : of;
    const name = isFull ? JSON.stringify([of.op]) : key;
    const made = this.#cells.get(name) ?? new Cell(own);
    this.#cells.set(name, made);
    return made;
  }

  #addValue(cell: Cell, name: MetricName, single: Single, isMeasured: boolean): void {
    const us = single.ms * 1_000;
    this.#at(cell, single.at, ({ latencies }) => histogramOf(latencies, name).add(us));
    if (!isMeasured) return;
    const { all, singles } = cell.values(name);
    all.add(us);
    if (all.count < FEW) singles.push(single);
    else singles.length = 0;
  }

  /** Each chunk counts when it came, with its part of the tokens; each gap when it ended. */
  #addChunks(cell: Cell, record: RequestRecord, sent: number, isMeasured: boolean): void {
    const { gaps_us: gaps = [], ttft, e2e = 0, output_tokens: tokens = 0, flags } = record;
    if (ttft === undefined || gaps.length === 0 || flags?.includes("buffered")) {
      if (tokens > 0) this.#at(cell, sent + e2e, (interval) => (interval.tokens += tokens));
      return;
    }
    const all = isMeasured ? cell.values("icl").all : undefined;
    const perChunk = tokens / (gaps.length + 1);
    let us = (sent + ttft) * 1_000;
    let [end, interval] = this.#intervalAt(cell, us / 1_000);
    if (interval !== undefined) interval.tokens += perChunk;
    for (const gap of gaps) {
      us += gap;
      if (us >= end) [end, interval] = this.#intervalAt(cell, us / 1_000);
      all?.add(gap);
      if (interval === undefined) continue;
      interval.tokens += perChunk;
      if (gap > STALL_US) interval.stalls += 1;
      histogramOf(interval.latencies, "icl").add(gap);
    }
  }

  #at(cell: Cell, ms: number, change: (interval: Interval) => void): void {
    const [, interval] = this.#intervalAt(cell, ms);
    if (interval !== undefined) change(interval);
  }

  /** The interval of a time in milliseconds from the first instant, and its end in microseconds; undefined out of bounds. */
  #intervalAt(cell: Cell, ms: number): [end: number, interval: Interval | undefined] {
    if (!(ms > -MOST_MS && ms < MOST_MS)) return [Number.POSITIVE_INFINITY, undefined];
    let index = Math.floor(ms / this.widthMs);
    while (Math.max(this.#most, index) - Math.min(this.#least, index) >= MOST_INTERVALS) {
      this.#halve();
      index = Math.floor(ms / this.widthMs);
    }
    this.#least = Math.min(this.#least, index);
    this.#most = Math.max(this.#most, index);
    return [(index + 1) * this.widthMs * 1_000, cell.interval(index)];
  }

  #halve(): void {
    this.widthMs *= 2;
    for (const cell of this.#cells.values()) cell.halve();
    if (Number.isFinite(this.#least)) this.#least = Math.floor(this.#least / 2);
    if (Number.isFinite(this.#most)) this.#most = Math.floor(this.#most / 2);
  }
}
