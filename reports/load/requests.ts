/**
 * The requests of a run as columns of numbers, a row a request: every figure of a result is a fold over them. Gaps
 * and video tasks, which are more than a number a request, are gathered beside.
 */

import { METRIC_NAMES, type MetricName, metric } from "../../scenarios/metrics.ts";
import { PooledGaps } from "./gaps.ts";
import { Growable } from "./growable.ts";
import { answered, OPS, OUTCOMES, PHASES, type RequestRecord } from "./records.ts";

/** Metrics that one request decides. */
export const REQUEST_METRICS: readonly MetricName[] = METRIC_NAMES.filter((name) => metric(name).of !== undefined);

const COLUMNS = ["scheduled", "sent", "end", "first", "op", "phase", "outcome", "answered", "met", "tokens", "items"];
type Column = (typeof COLUMNS)[number];

export const OK = OUTCOMES.indexOf("ok");
const MEASURE = PHASES.indexOf("measure");

export class Requests {
  readonly #columns = new Map<string, Growable>([...COLUMNS, ...REQUEST_METRICS].map((name) => [name, new Growable()]));
  /** Gaps by op, of ok requests of the measured phase. */
  readonly gaps = new Map<string, PooledGaps>();
  /** Where the output token counts of those requests come from. */
  readonly tokenSources: Record<string, number> = {};
  coalesced = 0;
  resent = 0;
  reused = 0;
  length = 0;

  /** Adds a request; `met` says whether it met the bound of every latency SLO. */
  add(record: RequestRecord, met: boolean): void {
    const sent = Date.parse(record.sent);
    const set = (name: Column, value: number | undefined) => this.column(name).push(value ?? Number.NaN);
    set("scheduled", Date.parse(record.scheduled));
    set("sent", sent);
    set("end", sent + (record.e2e ?? record.ttft ?? record.ttfb ?? 0));
    set("first", sent + (record.ttft ?? record.e2e ?? 0));
    set("op", OPS.indexOf(record.op));
    set("phase", PHASES.indexOf(record.phase));
    set("outcome", OUTCOMES.indexOf(record.outcome));
    set("answered", answered(record) ? 1 : 0);
    set("met", met ? 1 : 0);
    set("tokens", record.output_tokens);
    set("items", record.op === "embeddings" ? record.items : undefined);
    for (const name of REQUEST_METRICS) set(name, metric(name).of?.(record));
    this.length += 1;
    if (record.reused === true) this.reused += 1;
    if (record.resent !== undefined && record.resent !== false) this.resent += Number(record.resent);
    if (record.outcome === "ok" && record.phase === "measure") this.#addChunks(record);
  }

  #addChunks(record: RequestRecord): void {
    this.coalesced += record.coalesced ?? 0;
    if (record.output_tokens !== undefined && record.token_source !== undefined) {
      this.tokenSources[record.token_source] = (this.tokenSources[record.token_source] ?? 0) + 1;
    }
    if (record.gaps_us === undefined) return;
    const pooled = this.gaps.get(record.op) ?? new PooledGaps();
    pooled.add(record.gaps_us);
    this.gaps.set(record.op, pooled);
  }

  /** A column, a value a request; NaN where absent. Times in milliseconds, instants since 1970. */
  column(name: Column | MetricName): Growable {
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

  ok(index: number): boolean {
    return this.at("outcome", index) === OK;
  }

  /** Ascending values of a metric over those rows of the measured phase that it is taken over; `op` narrows them. */
  values(name: MetricName, op?: string): Float64Array {
    const all = metric(name).over === "all";
    const values = new Growable();
    for (let index = 0; index < this.length; index += 1) {
      if (!this.measured(index) || !(all || this.ok(index))) continue;
      if (op !== undefined && OPS[this.at("op", index)] !== op) continue;
      const value = this.at(name, index);
      if (!Number.isNaN(value)) values.push(value);
    }
    return values.sorted();
  }

  /** Ops that occur in the measured phase. */
  ops(): string[] {
    const seen = new Set<number>();
    for (let index = 0; index < this.length; index += 1) if (this.measured(index)) seen.add(this.at("op", index));
    return OPS.filter((_, index) => seen.has(index));
  }
}
