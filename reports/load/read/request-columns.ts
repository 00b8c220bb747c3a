/**
 * The requests of a run as columns of numbers, one row per request: every figure of a result is a fold over them. Gaps
 * and video tasks, which are more than one number per request, are gathered separately.
 */

import { type ClientFault, OPS, OUTCOMES, PHASES } from "../../../formats/outcomes.ts";
import { answered, type CountedGaps, type RequestRecord } from "../../../formats/records.ts";
import { METRIC_NAMES, type MetricName, metric, STALL_MS } from "../../../scenarios/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { FloatVector } from "../stats/float-vector.ts";
import { PooledGaps } from "../stats/pooled-gaps.ts";
import { lasted } from "./lasted.ts";

/** Metrics of single requests. */
export const REQUEST_METRICS: readonly MetricName[] = METRIC_NAMES.filter((name) => metric(name).of !== undefined);

const COLUMNS = ["scheduled", "sent", "end", "first", "op", "phase", "outcome", "answered", "tokens", "items", "shard"];
type Column = (typeof COLUMNS)[number];

export const OK = OUTCOMES.indexOf("ok");
const CLIENT_ERROR = OUTCOMES.indexOf("client_error");
const CANCELLED = OUTCOMES.indexOf("cancelled_by_us");
const MEASURE = PHASES.indexOf("measure");
const STALL_US = STALL_MS * 1_000;

/** How many requests were sent, had a response, and failed on the load generator's own machine. */
export interface Responses {
  readonly requests: number;
  readonly answered: number;
  readonly clientErrors: number;
}

export class Requests {
  readonly #columns = new Map<string, FloatVector>(
    [...COLUMNS, ...REQUEST_METRICS].map((name) => [name, new FloatVector()]),
  );
  /** Gaps by op, of ok requests of the measured phase. */
  readonly gaps = new Map<string, PooledGaps>();
  /** Where the output token counts of those requests come from, by op. */
  readonly #tokenSources = new Map<string, Record<string, number>>();
  /** How many of those requests have each flag. */
  readonly flags: Record<string, number> = {};
  /** Gaps that the records of those requests list, and that they only count because a histogram holds them. */
  readonly gapCounts = { listed: 0, counted: 0 };
  /** Those of the requests that have gaps. */
  requestsWithGaps = 0;
  /** Those longer than a stall; undefined once a record does not contain it. */
  stalls: number | undefined = 0;
  coalesced = 0;
  /** Requests that failed on the machine of each shard, without those of the warm-up. */
  readonly clientFaults: Map<ClientFault, number>[] = [];
  resent = 0;
  reused = 0;
  length = 0;

  /** Adds a request of a shard. */
  add(record: RequestRecord, shard = 0): void {
    const sent = readInstant(record.sent);
    const set = (name: Column, value: number | undefined) => this.column(name).push(value ?? Number.NaN);
    set("scheduled", readInstant(record.scheduled));
    set("sent", sent);
    set("end", sent + (record.e2e ?? record.ttft ?? record.ttfb ?? 0));
    set("first", sent + (record.ttft ?? record.e2e ?? 0));
    set("op", OPS.indexOf(record.op));
    set("phase", PHASES.indexOf(record.phase));
    set("outcome", OUTCOMES.indexOf(record.outcome));
    set("answered", answered(record) ? 1 : 0);
    set("tokens", record.output_tokens);
    set("items", record.op === "embeddings" ? record.items : undefined);
    set("shard", shard);
    for (const name of REQUEST_METRICS) set(name, knownOf(name, record));
    this.length += 1;
    if (record.reused === true) this.reused += 1;
    if (record.resent !== undefined && record.resent !== false) this.resent += Number(record.resent);
    if (record.outcome === "ok" && record.phase === "measure") this.#addChunks(record);
    if (record.outcome === "client_error" && record.phase !== "warmup") this.#addFault(record, shard);
  }

  /** A record that does not say what was lacking is counted as one without a route. */
  #addFault({ client_fault: fault = "route" }: RequestRecord, shard: number): void {
    const counts = this.clientFaults[shard] ?? new Map<ClientFault, number>();
    this.clientFaults[shard] = counts;
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
  }

  #addChunks(record: RequestRecord): void {
    for (const flag of record.flags ?? []) this.flags[flag] = (this.flags[flag] ?? 0) + 1;
    this.coalesced += record.coalesced ?? 0;
    if (record.output_tokens !== undefined && record.token_source !== undefined) {
      const sources = this.#tokenSources.get(record.op) ?? {};
      sources[record.token_source] = (sources[record.token_source] ?? 0) + 1;
      this.#tokenSources.set(record.op, sources);
    }
    const { gaps_us, gaps_over_us, chunks = 0, flags } = record;
    if (gaps_us === undefined && gaps_over_us === undefined) return;
    if (flags?.includes("buffered")) return;
    const stalls = gaps_us === undefined ? gaps_over_us?.[STALL_US] : countOver(gaps_us, STALL_US);
    this.stalls = this.stalls === undefined || stalls === undefined ? undefined : this.stalls + stalls;
    const count = gaps_us?.length ?? Math.max(0, chunks - 1);
    if (count > 0) this.requestsWithGaps += 1;
    if (gaps_us === undefined) {
      this.gapCounts.counted += count;
      return;
    }
    this.gapCounts.listed += gaps_us.length;
    this.#pool(record.op).add(gaps_us);
  }

  /** Adds gaps out of a histogram. */
  addCounted(gaps: CountedGaps): void {
    if (gaps.phase === "measure") this.#pool(gaps.op).addCounted(gaps);
  }

  #pool(op: string): PooledGaps {
    const pool = this.gaps.get(op) ?? new PooledGaps();
    this.gaps.set(op, pool);
    return pool;
  }

  /** How many ok requests of the measured phase had their output tokens counted in which way; `ops` narrows them. */
  tokenSources(ops: readonly string[] = OPS): Record<string, number> {
    const sum: Record<string, number> = {};
    for (const [source, count] of ops.flatMap((op) => Object.entries(this.#tokenSources.get(op) ?? {}))) {
      sum[source] = (sum[source] ?? 0) + count;
    }
    return sum;
  }

  /** A column, one value per request; NaN where absent. Times in milliseconds, instants since 1970. */
  column(name: Column | MetricName): FloatVector {
    const column = this.#columns.get(name);
    if (column === undefined) throw new Error(`There is no column ${name}`);
    return column;
  }

  /** Value of column `name` in row `index`. */
  at(name: Column | MetricName, index: number): number {
    return this.column(name).at(index);
  }

  measured(index: number): boolean {
    return this.at("phase", index) === MEASURE;
  }

  /** Whether the operation of a row is one of these; true when none are given. */
  isOf(index: number, ops: readonly string[] | undefined): boolean {
    return ops === undefined || ops.includes(OPS[this.at("op", index)] ?? "");
  }

  ok(index: number): boolean {
    return this.at("outcome", index) === OK;
  }

  /**
   * Ascending values of a metric over those rows of the measured phase that it is taken over; `ops` and `shard`
   * narrow them.
   */
  values(name: MetricName, ops?: readonly string[], shard?: number): Float64Array {
    const all = metric(name).over === "all";
    const values = new FloatVector();
    for (let index = 0; index < this.length; index += 1) {
      if (!this.measured(index) || !(all || this.ok(index))) continue;
      if (!this.isOf(index, ops)) continue;
      if (shard !== undefined && this.at("shard", index) !== shard) continue;
      const value = this.at(name, index);
      if (!Number.isNaN(value)) values.push(value);
    }
    return values.sorted();
  }

  /**
   * Ascending, of the requests of the measured phase that we cut off: what their value of a metric is at least. Empty for
   * metrics that are not taken over ok requests.
   */
  unfinished(name: MetricName, ops?: readonly string[]): Float64Array {
    const values = new FloatVector();
    if (metric(name).over === "all") return values.sorted();
    for (let index = 0; index < this.length; index += 1) {
      if (!this.measured(index) || this.at("outcome", index) !== CANCELLED) continue;
      if (!this.isOf(index, metric(name).ops) || !this.isOf(index, ops)) continue;
      const atLeast = this.at(name, index);
      values.push(Number.isNaN(atLeast) ? 0 : atLeast);
    }
    return values.sorted();
  }

  /** Of one shard, requests of any phase. */
  responses(shard: number): Responses {
    const count = { requests: 0, answered: 0, clientErrors: 0 };
    for (let index = 0; index < this.length; index += 1) {
      if (this.at("shard", index) !== shard) continue;
      count.requests += 1;
      count.answered += this.at("answered", index);
      if (this.at("outcome", index) === CLIENT_ERROR) count.clientErrors += 1;
    }
    return count;
  }

  /** Ops that occur in the measured phase. */
  ops(): string[] {
    const seen = new Set<number>();
    for (let index = 0; index < this.length; index += 1) if (this.measured(index)) seen.add(this.at("op", index));
    return OPS.filter((_, index) => seen.has(index));
  }
}

/** Of a request that we cut off, what is known of a latency. */
function knownOf(name: MetricName, record: RequestRecord): number | undefined {
  const { of, over } = metric(name);
  return record.outcome === "cancelled_by_us" && over !== "all" ? lasted(name, record) : of?.(record);
}

function countOver(gapsUs: readonly number[], us: number): number {
  let count = 0;
  for (const gap of gapsUs) if (gap > us) count += 1;
  return count;
}
