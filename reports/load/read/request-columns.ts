/**
 * The requests of a run as columns of numbers, one row per request: every figure of a result is a fold over them. Gaps
 * and video tasks, which are more than one number per request, are gathered separately.
 */

import { type ClientFault, OPS, OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import { answered, type CountedGaps, type RequestRecord } from "../../../formats/records.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { type Column, columnsOf } from "../stats/column.ts";
import { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import { type ClockError, type ErrorRange, EXACT, timeSince } from "./clock-error.ts";
import { GapTotals } from "./gap-totals.ts";
import { isKnownOfLeaving, lasted } from "./lasted.ts";
import { type WorkloadModel, WorkloadModels } from "./workload-models.ts";

/** Metrics of single requests. */
export const REQUEST_METRICS: readonly MetricName[] = METRIC_NAMES.filter((name) => metric(name).of !== undefined);

/** `turn`: NaN for a request of no conversation; `took`: from the start of the call to the last that was seen of it, in milliseconds. */
/** `reused` is 1 or 0; `digest` is that of the input. */
const COLUMNS = [
  "scheduled",
  "sent",
  "took",
  "op",
  "phase",
  "outcome",
  "answered",
  "shard",
  "of",
  "turn",
  "reused",
  "digest",
] as const;
type ColumnName = (typeof COLUMNS)[number] | MetricName;

export const OK = OUTCOMES.indexOf("ok");
const CANCELLED = OUTCOMES.indexOf("cancelled_by_us");
const LEFT = OUTCOMES.indexOf("left");
const MEASURE = PHASES.indexOf("measure");

/** When a request was due and sent, in milliseconds since 1970. */
export interface RequestTimes {
  readonly scheduled: number;
  readonly sent: number;
}

export const timesOf = ({ scheduled, sent }: Pick<RequestRecord, keyof RequestTimes>): RequestTimes => ({
  scheduled: readInstant(scheduled),
  sent: readInstant(sent),
});

/** How many requests were sent, had a response, and failed on the load generator's own machine. */
export interface Responses {
  readonly requests: number;
  readonly answered: number;
  readonly clientErrors: number;
}

/** Which requests are looked at, with their gaps: those of some operations, workloads or models; absent: all. */
export interface Rows {
  readonly ops?: readonly string[];
  readonly workloads?: readonly string[];
  readonly models?: readonly string[];
}

/** The same without their gaps. */
export interface SingleRows extends Rows {
  /** Of this turn of conversations. */
  readonly turn?: number;
  /** Of these load generators, by their number. */
  readonly shards?: readonly number[];
  /** Of these rows alone, such as those of a part of the run. */
  readonly numbers?: readonly number[];
}

const isAmong = (name: string | undefined, names: readonly string[] | undefined): boolean =>
  names === undefined || (name !== undefined && names.includes(name));

/** What requests are of; the workload and the model are undefined where they are not told apart. */
interface Of extends WorkloadModel {
  readonly op: string;
}

interface OwnGaps extends Of {
  readonly gaps: GapTotals;
}

interface TokenSources extends Of {
  readonly counts: Record<string, number>;
}

const isSame = (one: Of, other: Of): boolean =>
  one.op === other.op && one.workload === other.workload && one.model === other.model;

const isOneOf = ({ op, workload, model }: Of, { ops, workloads, models }: Rows): boolean =>
  isAmong(op, ops) && isAmong(workload, workloads) && isAmong(model, models);

export class Requests {
  readonly #store: PageStore;
  readonly #columns: Readonly<Record<ColumnName, Column>>;
  /** The columns of `REQUEST_METRICS`, with their names. */
  readonly #metrics: readonly (readonly [Column, MetricName])[];
  /** The samples that were asked for, which keep their figures. */
  readonly #samples = new Map<string, Sample>();
  /** Gaps of ok requests of the measured phase, by op, workload and model. */
  readonly #gaps: OwnGaps[] = [];
  /** Where the output token counts of those requests come from, by op, workload and model. */
  readonly #tokenSources: TokenSources[] = [];
  /** Workloads and models, by their numbers in the column. */
  readonly #of = new WorkloadModels();
  /** How many of those requests have each flag. */
  readonly flags: Record<string, number> = {};
  /** Requests that failed on the machine of each shard, without those of the warm-up. */
  readonly clientFaults: Map<ClientFault, number>[] = [];
  readonly #clocks: ClockError[] = [];
  readonly #responses: { requests: number; answered: number; clientErrors: number }[] = [];
  readonly #measuredOps = new Set<string>();
  /** Measured requests whose client was to leave, and when; undefined without any. */
  leaving: { readonly at: string; requests: number } | undefined;
  resent = 0;
  reused = 0;
  length = 0;

  constructor(store = new PageStore()) {
    this.#store = store;
    this.#columns = columnsOf<ColumnName>([...COLUMNS, ...REQUEST_METRICS], store);
    this.#metrics = REQUEST_METRICS.map((name) => [this.#columns[name], name]);
  }

  /** What is known of the times of a shard; before any request of it is added. */
  setClock(shard: number, clock: ClockError): void {
    this.#clocks[shard] = clock;
  }

  #clockOf(shard: number): ClockError {
    return this.#clocks[shard] ?? EXACT;
  }

  /** The largest error of any time, and how long load generators did not run in all; milliseconds. */
  get clocks(): { readonly largest: number; readonly interruptedMs: number } {
    return {
      largest: this.#clocks.reduce((max, { largest }) => Math.max(max, largest), 0),
      interruptedMs: this.#clocks.reduce((sum, { interruptedMs }) => sum + interruptedMs, 0),
    };
  }

  /**
   * Adds a request of a shard, of a workload where the run has several, and of a model where a workload has several.
   */
  add(record: RequestRecord, times = timesOf(record), shard = 0, workload?: string, model?: string): void {
    const columns = this.#columns;
    const isAnswered = answered(record);
    this.#samples.clear();
    this.#countResponse(record, isAnswered, shard);
    if (record.phase === "measure") this.#measuredOps.add(record.op);
    if (record.phase === "measure" && record.leave !== undefined) {
      this.leaving ??= { at: record.leave, requests: 0 };
      this.leaving.requests += 1;
    }
    columns.scheduled.push(times.scheduled);
    columns.sent.push(times.sent);
    columns.took.push(record.e2e ?? record.ttft ?? record.ttfb ?? 0);
    columns.op.push(OPS.indexOf(record.op));
    columns.phase.push(PHASES.indexOf(record.phase));
    columns.outcome.push(OUTCOMES.indexOf(record.outcome));
    columns.answered.push(isAnswered ? 1 : 0);
    columns.shard.push(shard);
    columns.of.push(this.#of.numberOf({ workload, model }));
    columns.turn.push(record.turn ?? Number.NaN);
    columns.reused.push(record.reused === undefined ? Number.NaN : Number(record.reused));
    columns.digest.push(record.input_digest ?? Number.NaN);
    for (const [column, name] of this.#metrics) column.push(knownOf(name, record) ?? Number.NaN);
    this.length += 1;
    if (record.reused === true) this.reused += 1;
    if (record.resent !== undefined && record.resent !== false) this.resent += Number(record.resent);
    if (record.outcome === "ok" && record.phase === "measure")
      this.#addChunks(record, { op: record.op, workload, model }, shard);
    if (record.outcome === "client_error" && record.phase !== "warmup") this.#addFault(record, shard);
  }

  /** A record that does not say what was lacking is counted as one without a route. */
  #addFault({ client_fault: fault = "route" }: RequestRecord, shard: number): void {
    const counts = this.clientFaults[shard] ?? new Map<ClientFault, number>();
    this.clientFaults[shard] = counts;
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
  }

  #addChunks(record: RequestRecord, of: Of, shard: number): void {
    const { flags = [], output_tokens, token_source } = record;
    for (const flag of flags) this.flags[flag] = (this.flags[flag] ?? 0) + 1;
    if (output_tokens !== undefined && token_source !== undefined) this.#countSource(of, token_source);
    this.#gapsOf(of).add(record, this.#clockOf(shard));
  }

  #countSource(of: Of, source: string): void {
    const known = this.#tokenSources.find((other) => isSame(of, other));
    const counts: Record<string, number> = known?.counts ?? {};
    if (known === undefined) this.#tokenSources.push({ ...of, counts });
    counts[source] = (counts[source] ?? 0) + 1;
  }

  /** Adds gaps out of a histogram. */
  addCounted(gaps: CountedGaps, shard = 0): void {
    const of = { op: gaps.op, workload: gaps.workload, model: undefined };
    this.#gapsOf(of).addCounted(gaps, this.#clockOf(shard));
  }

  #gapsOf(of: Of): GapTotals {
    const known = this.#gaps.find((other) => isSame(of, other));
    if (known !== undefined) return known.gaps;
    const gaps = new GapTotals(this.#store);
    this.#gaps.push({ ...of, gaps });
    return gaps;
  }

  /** The gaps of all requests that have any, or of some of them. */
  gaps(rows: Rows = {}): GapTotals {
    const chosen = this.#gaps.flatMap(({ gaps, ...of }) =>
      isOneOf(of, rows) && gaps.listed + gaps.counted + gaps.pool.count > 0 ? [gaps] : [],
    );
    const [only] = chosen;
    if (chosen.length === 1 && only !== undefined) return only;
    const all = new GapTotals(this.#store);
    for (const gaps of chosen) all.merge(gaps);
    return all;
  }

  /** How many ok requests of the measured phase had their output tokens counted in which way. */
  tokenSources(rows: Rows = {}): Record<string, number> {
    const sum: Record<string, number> = {};
    for (const { counts, ...of } of this.#tokenSources) {
      if (!isOneOf(of, rows)) continue;
      for (const [source, count] of Object.entries(counts)) sum[source] = (sum[source] ?? 0) + count;
    }
    return sum;
  }

  /** Value of column `name` in row `index`; NaN where absent. Times in milliseconds, instants since 1970. */
  at(name: ColumnName, index: number): number {
    return this.#columns[name].at(index);
  }

  /** When the last of a request was seen, in milliseconds since 1970. */
  end(index: number): number {
    return this.at("sent", index) + this.at("took", index);
  }

  /** When the first content of an ok request was read; of one without, when it ended. In milliseconds since 1970. */
  first(index: number): number {
    const ttft = this.at("ttft", index);
    return this.at("sent", index) + (Number.isNaN(ttft) ? this.at("took", index) : ttft);
  }

  measured(index: number): boolean {
    return this.at("phase", index) === MEASURE;
  }

  /** Whether a row is one of these. */
  isOf(index: number, { ops, workloads, models, turn, shards }: SingleRows): boolean {
    const { workload, model } = this.#of.at(this.at("of", index));
    return (
      (turn === undefined || this.at("turn", index) === turn) &&
      (shards?.includes(this.at("shard", index)) ?? true) &&
      (ops === undefined || isAmong(OPS[this.at("op", index)], ops)) &&
      isAmong(workload, workloads) &&
      isAmong(model, models)
    );
  }

  /** Undefined where they are not told apart. */
  workloadModel(index: number): WorkloadModel {
    return this.#of.at(this.at("of", index));
  }

  ok(index: number): boolean {
    return this.at("outcome", index) === OK;
  }

  /** Whether its client left. */
  left(index: number): boolean {
    return this.at("outcome", index) === LEFT;
  }

  /** Whether its metrics count: those of one that was left are known, or absent. */
  counts(index: number): boolean {
    return this.ok(index) || this.left(index);
  }

  /** Whether we cut the request off ourselves. */
  isCutOff(index: number): boolean {
    return this.at("outcome", index) === CANCELLED;
  }

  /**
   * The values of a metric over those rows of the measured phase that it is taken over; `rows` and `shard` narrow them.
   */
  sample(name: MetricName, rows: SingleRows = {}, shard?: number): Sample {
    const all = metric(name).over === "all";
    const column = this.#columns[name];
    const shards = this.#columns.shard;
    return this.#sampleOf(["all", name, shard].join(" "), rows, (index) =>
      (all || this.counts(index)) && (shard === undefined || shards.at(index) === shard)
        ? column.at(index)
        : Number.NaN,
    );
  }

  /**
   * How many values of that sample are independent: those of the turns of one conversation are not, so that there are as many of
   * conversations as of the turn that most of them have.
   */
  independent(name: MetricName, rows: SingleRows = {}): number {
    const values = this.#columns[name];
    const all = metric(name).over === "all";
    const byTurn = new Map<number, number>();
    let single = 0;
    this.#eachMeasured(rows, (index) => {
      if ((!all && !this.counts(index)) || Number.isNaN(values.at(index))) return;
      const turn = this.at("turn", index);
      if (Number.isNaN(turn)) single += 1;
      else byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1);
    });
    return single + Math.max(0, ...byTurn.values());
  }

  /**
   * The least, or the most, that the values of a latency may truly be, as far as the load generator was late; undefined of a
   * metric that is none, and where it cannot have been measured too short.
   */
  bounds(name: MetricName, rows: SingleRows, end: keyof ErrorRange): Sample | undefined {
    const { unit, over } = metric(name);
    if (unit !== "ms" || name === "schedule_lag" || this.clocks.largest === 0) return undefined;
    if (end === "high" && name !== "tpot") return undefined;
    const column = this.#columns[name];
    return this.#sampleOf([end, name].join(" "), rows, (index) => {
      const value = over === "all" || this.counts(index) ? column.at(index) : Number.NaN;
      return Number.isNaN(value) ? value : this.#rangeOf(name, index, value)[end];
    });
  }

  /** The least that the value of a row may truly be, as far as the load generator was late. */
  least(name: MetricName, index: number): number {
    const value = this.at(name, index);
    return metric(name).unit === "ms" ? this.#rangeOf(name, index, value).low : value;
  }

  #rangeOf(name: MetricName, index: number, value: number): ErrorRange {
    const clock = this.#clockOf(this.at("shard", index));
    if (name === "tpot") return this.#rangePerToken(index, value, clock);
    if (metric(name).scheduled !== true && name !== "slot_wait") return timeSince(clock, this.at("sent", index), value);
    const { low, high } = timeSince(clock, this.at("scheduled", index), value);
    const lag = name === "slot_wait" ? 0 : this.at("schedule_lag", index);
    return { low: Math.max(0, low - (Number.isNaN(lag) ? 0 : Math.max(0, lag))), high };
  }

  /** The time of all tokens is between two readings, as a gap is. */
  #rangePerToken(index: number, value: number, clock: ClockError): ErrorRange {
    const reasoning = this.at("reasoning_tokens", index);
    const tokens = this.at("output_tokens", index) - (Number.isNaN(reasoning) ? 0 : reasoning);
    const [first, end] = [this.first(index), this.end(index)];
    if (clock.isInterrupted(first, end)) return { low: 0, high: value };
    const gaps = Math.max(1, tokens - 1);
    return { low: Math.max(0, value - clock.at(end) / gaps), high: value + clock.at(first) / gaps };
  }

  /**
   * Of the requests of the measured phase that we cut off: what their value of a metric is at least. Empty for metrics that
   * are not taken over ok requests.
   */
  unfinished(name: MetricName, rows: SingleRows = {}): Sample {
    const { over, ops } = metric(name);
    const possible: Rows = ops === undefined ? {} : { ops };
    const column = this.#columns[name];
    return this.#sampleOf(["unfinished", name].join(" "), rows, (index) => {
      if (over === "all" || !this.isCutOff(index) || !this.isOf(index, possible)) return Number.NaN;
      const atLeast = column.at(index);
      return Number.isNaN(atLeast) ? 0 : atLeast;
    });
  }

  /** Of the requests of the measured phase that have a value. */
  #sampleOf(
    name: string,
    { ops, workloads, models, turn, shards, numbers }: SingleRows,
    toValue: (index: number) => number,
  ): Sample {
    // Operations that are all that occur need not be looked at.
    const rows: SingleRows = {
      ...(turn !== undefined && { turn }),
      ...(shards !== undefined && { shards }),
      ...(ops !== undefined && !this.ops().every((op) => ops.includes(op)) && { ops }),
      ...(workloads !== undefined && { workloads }),
      ...(models !== undefined && { models }),
    };
    const key = `${name} ${JSON.stringify(rows)}`;
    const known = numbers === undefined ? this.#samples.get(key) : undefined;
    if (known !== undefined) return known;
    const sample = new Sample((take) => {
      this.#eachMeasured({ ...rows, ...(numbers && { numbers }) }, (index) => {
        const value = toValue(index);
        if (!Number.isNaN(value)) take(value);
      });
    }, this.#store);
    if (numbers === undefined) this.#samples.set(key, sample);
    return sample;
  }

  /** Visits the requests of the measured phase. */
  #eachMeasured({ numbers, ...rows }: SingleRows, visit: (index: number) => void): void {
    const phases = this.#columns.phase;
    const length = numbers?.length ?? this.length;
    for (let place = 0; place < length; place += 1) {
      const index = numbers?.[place] ?? place;
      if (phases.at(index) === MEASURE && this.isOf(index, rows)) visit(index);
    }
  }

  /** Of one shard, requests of any phase. */
  responses(shard: number): Responses {
    return this.#responses[shard] ?? { requests: 0, answered: 0, clientErrors: 0 };
  }

  #countResponse({ outcome }: RequestRecord, isAnswered: boolean, shard: number): void {
    const count = this.#responses[shard] ?? { requests: 0, answered: 0, clientErrors: 0 };
    this.#responses[shard] = count;
    count.requests += 1;
    if (isAnswered) count.answered += 1;
    if (outcome === "client_error") count.clientErrors += 1;
  }

  /** Ops that occur in the measured phase. */
  ops(): string[] {
    return OPS.filter((op) => this.#measuredOps.has(op));
  }
}

/** What is known of a metric: of a request that we cut off, what it is at least. */
function knownOf(name: MetricName, record: RequestRecord): number | undefined {
  const { of, over } = metric(name);
  if (record.leave !== undefined && over !== "all" && !isKnownOfLeaving(name, record, record.leave)) return undefined;
  return record.outcome === "cancelled_by_us" && over !== "all" ? lasted(name, record) : of?.(record);
}
