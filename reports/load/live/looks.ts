/** What is known of each second of a load that runs. Pure. */

import type { ClientLine } from "../../../formats/client.ts";
import { hasFailed } from "../../../formats/outcomes.ts";
import { gapsLine, kindOfLine, requestRecord } from "../../../formats/records.ts";
import { formatNumber } from "../../numbers.ts";
import { nearestRank } from "../stats/quantiles.ts";

/** How many there are of each value, in milliseconds as they are shown: gaps are many. */
export type Counted = Map<number, number>;

/** Latencies of requests that ended; of many, of some. */
export interface Latencies {
  readonly ttft: Counted;
  readonly e2e: Counted;
  readonly gaps: Counted;
}
export type Latency = keyof Latencies;

export const noLatencies = (): Latencies => ({ ttft: new Map(), e2e: new Map(), gaps: new Map() });

/** What came with one look: once per second. */
export interface Look extends Latencies {
  /** Its number in the run, from 1. */
  readonly nth: number;
  /** The time of the newest line of `client.jsonl`, and since the one before, in seconds. */
  readonly t: number;
  readonly seconds: number;
  /** Arrivals that started, and requests that ended ok and failed. */
  readonly started: number;
  readonly ok: number;
  readonly failed: number;
  readonly open: number | undefined;
  /** Output tokens of requests that ended. */
  tokens: number;
  /** Of this look alone, however few samples there are: for a picture. */
  readonly percentiles: Map<Latency, { readonly p50: number; readonly p95: number }>;
}

/** A look without records. */
export function lookAt(newest: ClientLine | undefined, before: ClientLine | undefined, nth: number): Look {
  const since = (of: (line: ClientLine) => number): number =>
    (newest === undefined ? 0 : of(newest)) - (before === undefined ? 0 : of(before));
  return {
    nth,
    t: newest?.t ?? 0,
    seconds: since(({ t }) => t),
    started: since(({ started: { warmup, measure } }) => warmup + measure),
    ok: since(({ outcomes }) => outcomes?.["ok"] ?? 0),
    failed: since(failedOf),
    open: newest?.open,
    ...noLatencies(),
    ...{ tokens: 0, percentiles: new Map() },
  };
}

/** Adds what is known of a look once it has its records to the sums; takes it away again with -1. */
export function addTo(sums: Latencies, look: Look, times: 1 | -1): void {
  for (const kind of ["ttft", "e2e", "gaps"] as const) {
    for (const [ms, n] of look[kind]) count(sums[kind], ms, n * times);
    const { size, ofRank } = ranked(look[kind]);
    if (size > 0)
      look.percentiles.set(kind, { p50: ofRank(nearestRank(size, 500)), p95: ofRank(nearestRank(size, 950)) });
  }
}

/** Requests that ended, and neither ok nor by us. */
export const failedOf = ({ outcomes = {} }: ClientLine): number =>
  Object.entries(outcomes).reduce((sum, [outcome, n]) => (hasFailed(outcome) ? sum + n : sum), 0);

/** One kind of latency of several looks. */
export function together(looks: readonly Look[], kind: Latency): Counted {
  const sum: Counted = new Map();
  for (const look of looks) for (const [ms, n] of look[kind]) count(sum, ms, n);
  return sum;
}

/** Adds the latencies of a line of `records.jsonl`, as the JSON that it holds. */
export function addRecord(value: unknown, look: Look): void {
  if (kindOfLine(value) === "gaps") {
    const { us = [], n = [] } = gapsLine.safeParse(value).data?.gaps ?? {};
    for (const [index, each] of us.entries()) count(look.gaps, each / 1_000, n[index] ?? 0);
    return;
  }
  const { data: record } = requestRecord.safeParse(value);
  if (record?.outcome !== "ok") return;
  const { ttft, e2e, op, gaps_us: gaps = [] } = record;
  if (ttft !== undefined) count(look.ttft, ttft);
  if (e2e !== undefined && op !== "video.poll" && op !== "video.fetch") count(look.e2e, e2e);
  for (const us of gaps) count(look.gaps, us / 1_000);
}

function count(all: Counted, ms: number, n = 1): void {
  const value = asShown(ms);
  const sum = (all.get(value) ?? 0) + n;
  if (sum === 0) all.delete(value);
  else all.set(value, sum);
}

/** The values in their order, and the number of samples. */
export function ranked(values: Counted): { readonly size: number; readonly ofRank: (rank: number) => number } {
  const sorted = [...values].sort(([a], [b]) => a - b);
  return { size: sorted.reduce((sum, [, n]) => sum + n, 0), ofRank: (rank) => ofRank(sorted, rank) };
}

function ofRank(sorted: readonly (readonly [ms: number, n: number])[], rank: number): number {
  let left = rank;
  for (const [ms, n] of sorted) {
    left -= n;
    if (left <= 0) return ms;
  }
  return Number.NaN;
}

/** Three digits, so that the line fits 80 columns, and whole milliseconds from 100 on; 10 µs are told apart. */
function asShown(ms: number): number {
  const perMs = ms >= 100 ? 1 : ms >= 10 ? 10 : 100;
  return Math.round(ms * perMs) / perMs;
}

export const short = (ms: number): string => (ms >= 100 ? formatNumber(asShown(ms)) : String(asShown(ms)));
