/**
 * The requests of a run as columns of numbers, one row per request: every figure of a result is a fold over them. Gaps
 * and video tasks, which are more than one number per request, are gathered separately.
 */

import { type ClientFault, OPS, OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import { answered, type CountedGaps, type RequestRecord } from "../../../formats/records.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../../scenarios/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { type Column, columnsOf } from "../stats/column.ts";
import { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import { GapTotals } from "./gap-totals.ts";
import { lasted } from "./lasted.ts";

/** Metrics of single requests. */
export const REQUEST_METRICS: readonly MetricName[] = METRIC_NAMES.filter((name) => metric(name).of !== undefined);

/** `turn`: NaN for a request of no conversation; `took`: from the start of the call to the last that was seen of it, in milliseconds. */
const COLUMNS = [
  "scheduled",
  "sent",
  "took",
  "op",
  "phase",
  "outcome",
  "answered",
  "shard",
  "workload",
  "turn",
] as const;
type ColumnName = (typeof COLUMNS)[number] | MetricName;

export const OK = OUTCOMES.indexOf("ok");
const CANCELLED = OUTCOMES.indexOf("cancelled_by_us");
const MEASURE = PHASES.indexOf("measure");

/** How many requests were sent, had a response, and failed on the load generator's own machine. */
export interface Responses {
  readonly requests: number;
  readonly answered: number;
  readonly clientErrors: number;
}

/** Which requests are looked at, with their gaps: those of some operations, or of some workloads; absent: all. */
export interface Rows {
  readonly ops?: readonly string[];
  readonly workloads?: readonly string[];
}

/** The same without their gaps. */
export interface SingleRows extends Rows {
  /** Of this turn of conversations. */
  readonly turn?: number;
}

const isAmong = (name: string | undefined, names: readonly string[] | undefined): boolean =>
  names === undefined || (name !== undefined && names.includes(name));

interface OwnGaps {
  readonly op: string;
  readonly workload: string | undefined;
  readonly gaps: GapTotals;
}

interface TokenSources {
  readonly op: string;
  readonly workload: string | undefined;
  readonly counts: Record<string, number>;
}

export class Requests {
  readonly #store: PageStore;
  readonly #columns: Readonly<Record<ColumnName, Column>>;
  /** The samples that were asked for, which keep their figures. */
  readonly #samples = new Map<string, Sample>();
  /** Gaps of ok requests of the measured phase, by op and workload. */
  readonly #gaps: OwnGaps[] = [];
  /** Where the output token counts of those requests come from, by op and workload. */
  readonly #tokenSources: TokenSources[] = [];
  /** Names of workloads, by their number in the column. */
  readonly #workloads: string[] = [];
  /** How many of those requests have each flag. */
  readonly flags: Record<string, number> = {};
  /** Requests that failed on the machine of each shard, without those of the warm-up. */
  readonly clientFaults: Map<ClientFault, number>[] = [];
  readonly #responses: { requests: number; answered: number; clientErrors: number }[] = [];
  readonly #measuredOps = new Set<string>();
  resent = 0;
  reused = 0;
  length = 0;

  constructor(store = new PageStore()) {
    this.#store = store;
    this.#columns = columnsOf<ColumnName>([...COLUMNS, ...REQUEST_METRICS], store);
  }

  /** Adds a request of a shard, and of a workload where the run has several. */
  add(record: RequestRecord, shard = 0, workload?: string): void {
    const set = (name: ColumnName, value: number | undefined) => this.#columns[name].push(value ?? Number.NaN);
    const isAnswered = answered(record);
    this.#samples.clear();
    this.#countResponse(record, isAnswered, shard);
    if (record.phase === "measure") this.#measuredOps.add(record.op);
    set("scheduled", readInstant(record.scheduled));
    set("sent", readInstant(record.sent));
    set("took", record.e2e ?? record.ttft ?? record.ttfb ?? 0);
    set("op", OPS.indexOf(record.op));
    set("phase", PHASES.indexOf(record.phase));
    set("outcome", OUTCOMES.indexOf(record.outcome));
    set("answered", isAnswered ? 1 : 0);
    set("shard", shard);
    set("workload", workload === undefined ? undefined : this.#numberOf(workload));
    set("turn", record.turn);
    for (const name of REQUEST_METRICS) set(name, knownOf(name, record));
    this.length += 1;
    if (record.reused === true) this.reused += 1;
    if (record.resent !== undefined && record.resent !== false) this.resent += Number(record.resent);
    if (record.outcome === "ok" && record.phase === "measure") this.#addChunks(record, workload);
    if (record.outcome === "client_error" && record.phase !== "warmup") this.#addFault(record, shard);
  }

  /** A record that does not say what was lacking is counted as one without a route. */
  #addFault({ client_fault: fault = "route" }: RequestRecord, shard: number): void {
    const counts = this.clientFaults[shard] ?? new Map<ClientFault, number>();
    this.clientFaults[shard] = counts;
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
  }

  #numberOf(workload: string): number {
    const known = this.#workloads.indexOf(workload);
    return known < 0 ? this.#workloads.push(workload) - 1 : known;
  }

  #addChunks(record: RequestRecord, workload: string | undefined): void {
    const { op, flags = [], output_tokens, token_source } = record;
    for (const flag of flags) this.flags[flag] = (this.flags[flag] ?? 0) + 1;
    if (output_tokens !== undefined && token_source !== undefined) this.#countSource(op, workload, token_source);
    this.#gapsOf(op, workload).add(record);
  }

  #countSource(op: string, workload: string | undefined, source: string): void {
    const known = this.#tokenSources.find((other) => other.op === op && other.workload === workload);
    const counts: Record<string, number> = known?.counts ?? {};
    if (known === undefined) this.#tokenSources.push({ op, workload, counts });
    counts[source] = (counts[source] ?? 0) + 1;
  }

  /** Adds gaps out of a histogram. */
  addCounted(gaps: CountedGaps): void {
    this.#gapsOf(gaps.op, gaps.workload).addCounted(gaps);
  }

  #gapsOf(op: string, workload: string | undefined): GapTotals {
    const known = this.#gaps.find((other) => other.op === op && other.workload === workload);
    if (known !== undefined) return known.gaps;
    const gaps = new GapTotals(this.#store);
    this.#gaps.push({ op, workload, gaps });
    return gaps;
  }

  /** The gaps of all requests that have any, or of some of them. */
  gaps({ ops, workloads }: Rows = {}): GapTotals {
    const chosen = this.#gaps.flatMap(({ op, workload, gaps }) =>
      isAmong(op, ops) && isAmong(workload, workloads) && gaps.listed + gaps.counted + gaps.pool.count > 0
        ? [gaps]
        : [],
    );
    const [only] = chosen;
    if (chosen.length === 1 && only !== undefined) return only;
    const all = new GapTotals(this.#store);
    for (const gaps of chosen) all.merge(gaps);
    return all;
  }

  /** How many ok requests of the measured phase had their output tokens counted in which way. */
  tokenSources({ ops, workloads }: Rows = {}): Record<string, number> {
    const sum: Record<string, number> = {};
    for (const { op, workload, counts } of this.#tokenSources) {
      if (!isAmong(op, ops) || !isAmong(workload, workloads)) continue;
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
  isOf(index: number, { ops, workloads, turn }: SingleRows): boolean {
    return (
      (turn === undefined || this.at("turn", index) === turn) &&
      (ops === undefined || isAmong(OPS[this.at("op", index)], ops)) &&
      (workloads === undefined || isAmong(this.#workloads[this.at("workload", index)], workloads))
    );
  }

  ok(index: number): boolean {
    return this.at("outcome", index) === OK;
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
      (all || this.ok(index)) && (shard === undefined || shards.at(index) === shard) ? column.at(index) : Number.NaN,
    );
  }

  /**
   * Of the requests of the measured phase that we cut off: what their value of a metric is at least. Empty for metrics that
   * are not taken over ok requests.
   */
  unfinished(name: MetricName, rows: Rows = {}): Sample {
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
  #sampleOf(name: string, { ops, workloads, turn }: SingleRows, toValue: (index: number) => number): Sample {
    // Operations that are all that occur need not be looked at.
    const rows: SingleRows = {
      ...(turn !== undefined && { turn }),
      ...(ops !== undefined && !this.ops().every((op) => ops.includes(op)) && { ops }),
      ...(workloads !== undefined && { workloads }),
    };
    const key = `${name} ${JSON.stringify(rows)}`;
    const known = this.#samples.get(key);
    if (known !== undefined) return known;
    const phases = this.#columns.phase;
    const sample = new Sample((take) => {
      for (let index = 0; index < this.length; index += 1) {
        if (phases.at(index) !== MEASURE || !this.isOf(index, rows)) continue;
        const value = toValue(index);
        if (!Number.isNaN(value)) take(value);
      }
    }, this.#store);
    this.#samples.set(key, sample);
    return sample;
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

/** Of a request that we cut off, what is known of a latency. */
function knownOf(name: MetricName, record: RequestRecord): number | undefined {
  const { of, over } = metric(name);
  return record.outcome === "cancelled_by_us" && over !== "all" ? lasted(name, record) : of?.(record);
}
