/** What one side of a comparison measured, as samples in blocks of time; the samples of its runs are pooled. */

import { z } from "zod";
import { isWorkloadKind, WORKLOAD_KIND_NAMES } from "../../contract/operations.ts";
import { type MetricName, metric } from "../../load/objectives/metrics.ts";
import { canHave, isGood } from "../load/metrics/request-bounds.ts";
import { isWithinSql, type Span } from "../load/metrics/span.ts";
import { TASK_COLUMNS } from "../load/metrics/video-metrics.ts";
import { measuredGaps } from "../load/read/gaps.ts";
import { COUNTS, isOfSql, MEASURED } from "../load/read/measured-requests.ts";
import { isFailure, UNIT_OUTCOMES } from "../load/read/unit-outcomes.ts";
import { waitedSql } from "../load/read/unit-rows.ts";
import { FloatVector } from "../load/stats/float-vector.ts";
import type { AnalyzedLoad } from "../load/summarize-load.ts";
import { listOf } from "../tables/columns.ts";
import { optionalCell } from "../tables/database.ts";
import { ValueSample } from "./stats/blocked-sample.ts";
import { GapSample } from "./stats/gap-sample.ts";
import type { SampleBounds } from "./stats/quantile-change.ts";
import type { BlockedRate } from "./stats/rate-change.ts";
import type { BlockedShare } from "./stats/share-change.ts";

/** A run, and where it was read from. */
export interface SideRun extends AnalyzedLoad {
  readonly folder: string;
}

/** The runs of one side. */
export interface Side {
  readonly runs: readonly SideRun[];
}

/** The samples of a latency, with what is known of those whose value is not. */
export interface LatencySamples extends SampleBounds {
  /** How many independent values decide which percentiles are given. */
  readonly independent: number;
}

/** Values in blocks. */
class Values {
  readonly #values = new FloatVector();
  readonly #blocks: number[] = [];

  add(value: number, block: number): void {
    this.#values.push(value);
    this.#blocks.push(block);
  }

  get length(): number {
    return this.#blocks.length;
  }

  sample(blocks: number, more: Values): ValueSample {
    const values = new Float64Array(this.length + more.length);
    values.set(this.#values.view());
    values.set(more.#values.view(), this.length);
    return new ValueSample(values, Uint8Array.from(this.#blocks.concat(more.#blocks)), blocks);
  }
}

/**
 * The samples of a latency. Arrivals that never started and requests that we cut off are samples of which only a lower bound
 * is known.
 * @param surplus the blocks of failures that may have been the slowest
 */
export async function latencySamples(
  side: Side,
  name: MetricName,
  blocks: number,
  surplus: readonly number[],
): Promise<LatencySamples> {
  if (name === "icl") return gapSamples(side, blocks);
  const [known, least, most] = [new Values(), new Values(), new Values()];
  for (const run of side.runs) {
    const { database } = run.read;
    await database.eachNumbers(valuesOf(run, name, blocks), ([value = 0, block = 0, isOpen = 0]) => {
      if (isOpen === 0) return known.add(value, block);
      least.add(value, block);
      most.add(Number.POSITIVE_INFINITY, block);
    });
  }
  for (const block of surplus) most.add(Number.POSITIVE_INFINITY, block);
  const low = known.sample(blocks, least);
  const independent = known.length === 0 ? 0 : low.count;
  return { low, high: most.length === 0 ? low : known.sample(blocks, most), independent };
}

/** The block of an instant, from 0; what lies outside the window belongs to its first or last block. */
const blockSql = ({ from, to }: Pick<Span, "from" | "to">, blocks: number, instantUs = "scheduled_us"): string =>
  to === from
    ? "0.0"
    : `CAST(least(${blocks - 1}, greatest(0, floor((${instantUs} / 1000 - ${from}) / ${to - from} * ${blocks}))) AS DOUBLE)`;

const partsSql = (name: MetricName): string => {
  const parts = WORKLOAD_KIND_NAMES.filter((part) => canHave(name, part));
  return parts.length === 0 ? "part IS NULL" : `(part IS NULL OR part IN ${listOf(parts)})`;
};

/** Rows of a value, its block, and whether only that the true one is larger is known. */
function valuesOf({ span }: SideRun, name: MetricName, blocks: number): string {
  const block = blockSql(span, blocks);
  const waits = `SELECT CAST(${waitedSql(span.to)} AS DOUBLE), ${block}, 1.0::DOUBLE FROM units WHERE measured AND outcome = 'not_started' AND ${partsSql(name)}`;
  const known = metric(name).ofRequest !== true ? ofTasks(name, block) : ofRequests(name, block);
  return metric(name).scheduled ? `${known} UNION ALL ${waits}` : known;
}

function ofTasks(name: MetricName, block: string): string {
  const column = TASK_COLUMNS[name] ?? "NULL";
  return `SELECT coalesce(${column}, 0), ${block}, CASE WHEN ${column} IS NULL THEN 1.0 ELSE 0.0 END::DOUBLE FROM tasks_seen AS t JOIN units AS u ON u.shard = t.shard AND u.own = t.own
    WHERE u.measured AND (${column} IS NOT NULL OR t."end" = 'unfinished')`;
}

function ofRequests(name: MetricName, block: string): string {
  const { ops } = metric(name);
  const ofOps = isOfSql(ops === undefined ? {} : { ops });
  return `SELECT coalesce(${name}, 0), ${block}, CASE WHEN outcome = 'cancelled_by_us' THEN 1.0 ELSE 0.0 END::DOUBLE FROM calls
    WHERE ${MEASURED} AND ((${COUNTS} AND ${name} IS NOT NULL) OR (outcome = 'cancelled_by_us' AND ${ofOps}))`;
}

async function gapSamples({ runs }: Side, blocks: number): Promise<LatencySamples> {
  const samples: GapSample[] = [];
  let independent = 0;
  for (const { read, run } of runs) {
    const sample = new GapSample(blocks);
    for (const sql of gapsByBlock(read, run.settings.duration ?? 0, blocks)) {
      await read.database.eachNumbers(sql, ([block = 0, us = 0, count = 0]) => sample.add(block, us, count));
    }
    samples.push(sample);
    independent += (await read.requests.gaps()).requests;
  }
  const sample = GapSample.pooled(samples);
  return { low: sample, high: sample, independent };
}

/** Queries of gaps by the block in which their request was due: a histogram holds the gaps of the requests before it. */
function gapsByBlock({ shardGroups }: SideRun["read"], durationMs: number, blocks: number): string[] {
  const first = "(SELECT min(scheduled_us) FROM calls WHERE phase = 'measure' AND outcome = 'ok')";
  const block = (due: string): string =>
    durationMs === 0
      ? "0.0"
      : `CAST(least(${blocks - 1}, greatest(0, floor((${due} - ${first}) / ${durationMs * 1_000} * ${blocks}))) AS DOUBLE)`;
  const listed = shardGroups.map(
    (group) =>
      `SELECT ${block("due_us")} AS block, us::DOUBLE, count(*)::DOUBLE FROM (${measuredGaps(group, "scheduled_us AS due_us")}) GROUP BY ALL`,
  );
  const counted = `SELECT ${block("r.scheduled_us")} AS block, gap_us::DOUBLE, sum(count)::DOUBLE FROM counted_gaps AS c
    ASOF JOIN (SELECT shard + 1 AS shard, line, scheduled_us FROM calls WHERE phase = 'measure' AND outcome = 'ok') AS r ON r.shard = c.shard AND c.line >= r.line
    WHERE c.phase = 'measure' GROUP BY ALL`;
  return [...listed, counted];
}

/**
 * The blocks of the failures that a side has beyond the share of the other. A latency is that of what succeeded; a target
 * that fails what is slow has better latencies for it, so these failures may have been slower than all others.
 */
export async function surplusFailures(
  side: Side,
  other: Side,
  name: MetricName,
  blocks: number,
): Promise<readonly number[]> {
  const own = await failuresOf(side, name, blocks);
  const others = await failuresOf(other, name, blocks);
  const surplus = Math.round(own.failed.length - (others.failed.length / Math.max(1, others.due)) * own.due);
  return Array.from(
    { length: Math.max(0, surplus) },
    (_, index) => own.failed[Math.floor((index * own.failed.length) / surplus)] ?? 0,
  );
}

const n = z.number();
/** The units of work that were due in the measured window, without those that were left. */
const MEASURED_UNITS = "measured AND outcome <> 'left'";
const FAILED = `outcome IN ${listOf(UNIT_OUTCOMES.filter(isFailure))}`;

async function failuresOf({ runs }: Side, name: MetricName, blocks: number) {
  const failed: number[] = [];
  let due = 0;
  for (const { read, span } of runs) {
    const where = `${MEASURED_UNITS} AND ${partsSql(name)}`;
    const isSample = metric(name).scheduled ? "outcome <> 'not_started'" : "TRUE";
    const [all] = await read.database.all(`SELECT count(*) AS due FROM units WHERE ${where}`, z.object({ due: n }));
    due += all?.due ?? 0;
    await read.database.eachNumbers(
      `SELECT ${blockSql(span, blocks)} FROM units WHERE ${where} AND ${FAILED} AND ${isSample} ORDER BY scheduled_us, shard, own`,
      ([block = 0]) => failed.push(block),
    );
  }
  return { failed, due };
}

/** The units of work of a side that were due, and those of them that failed, or were good. */
export async function shareOf(
  { runs }: Side,
  name: "error_rate" | "goodput_share",
  blocks: number,
): Promise<BlockedShare> {
  const [part, whole] = [new Float64Array(blocks), new Float64Array(blocks)];
  for (const run of runs) {
    let due = 0;
    for (const unit of await unitsByBlock(run, blockSql(run.span, blocks), MEASURED_UNITS)) {
      due += unit.count;
      increase(whole, unit.block, unit.count);
      if (name === "error_rate" ? isFailure(unit.outcome) : isGoodUnit(run, unit))
        increase(part, unit.block, unit.count);
    }
    // Arrivals that no line tells of never started; nobody knows when they were due.
    const { offered, outcomes } = run.run.counts;
    const untold = offered - (outcomes["left"] ?? 0) - due;
    increase(whole, blocks - 1, untold);
    if (name === "error_rate") increase(part, blocks - 1, untold);
  }
  return { part, whole };
}

type BlockUnits = Awaited<ReturnType<typeof unitsByBlock>>[number];

/** Units that are alike in what decides, by block. */
const unitsByBlock = ({ read }: SideRun, block: string, where: string) =>
  read.database.all(
    `SELECT ${block} AS block, outcome, part, workload, met, broken, surely, near, unknown, coalesce(task = 'completed', FALSE) AS completed, count(*) AS count FROM units WHERE ${where} GROUP BY ALL`,
    z.object({
      ...{ block: n, count: n, met: n, broken: n, surely: n, near: n, unknown: n },
      outcome: z.enum(UNIT_OUTCOMES),
      part: z
        .string()
        .nullable()
        .transform((part) => (isWorkloadKind(part) ? part : undefined)),
      workload: optionalCell(z.string()),
      completed: z.boolean(),
    }),
  );

const isGoodUnit = ({ run, bounds }: SideRun, unit: BlockUnits): boolean =>
  unit.outcome === "ok" && isGood(unit, bounds, run.parts === undefined ? undefined : unit) === true;

function increase(counts: Float64Array, block: number, by = 1): void {
  counts[block] = (counts[block] ?? 0) + by;
}

/** An amount per second: the mean of the runs' values, and when what counts for it was delivered. */
export async function rateOf({ runs }: Side, name: MetricName, blocks: number): Promise<BlockedRate> {
  const amounts = new Float64Array(blocks);
  let sum = 0;
  for (const run of runs) {
    const { read, span } = run;
    sum += run.run.metrics[name]?.value ?? 0;
    const block = blockSql(span, blocks, "end_us");
    const where = `outcome = 'ok' AND ${isWithinSql("end_us / 1000", span)}`;
    const column = AMOUNT_COLUMNS[name];
    if (column === undefined) {
      for (const unit of await unitsByBlock(run, block, where)) {
        if (name === "tasks_per_s" && !unit.completed) continue;
        if (name === "goodput" && !isGoodUnit(run, unit)) continue;
        increase(amounts, unit.block, unit.count);
      }
    } else {
      await read.database.eachNumbers(
        `SELECT ${block} AS block, sum(${column})::DOUBLE FROM calls WHERE ${where} AND ${column} IS NOT NULL GROUP BY block`,
        ([at = 0, amount = 0]) => increase(amounts, at, amount),
      );
    }
  }
  return { value: sum / runs.length, amounts };
}

/** The columns of the requests that add up to an amount; the others count units of work. */
const AMOUNT_COLUMNS: Readonly<Partial<Record<MetricName, MetricName>>> = {
  output_tokens_per_s: "output_tokens",
  input_tokens_per_s: "input_tokens",
  embedding_items_per_s: "batch_size",
};
