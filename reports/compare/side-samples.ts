/** What one side of a comparison measured, as samples in blocks of time; the samples of its runs are pooled. */

import { type MetricName, metric } from "../../load/objectives/metrics.ts";
import { canHave, isGood } from "../load/metrics/request-bounds.ts";
import { isWithin } from "../load/metrics/span.ts";
import type { Rows } from "../load/read/request-columns.ts";
import { isFailure, type Unit, type Units } from "../load/read/work-units.ts";
import { FloatVector } from "../load/stats/float-vector.ts";
import type { AnalyzedLoad } from "../load/summarize-load.ts";
import { blockAt } from "./blocks.ts";
import type { RunGaps } from "./run-gaps.ts";
import { ValueSample } from "./stats/blocked-sample.ts";
import { GapSample } from "./stats/gap-sample.ts";
import type { SampleBounds } from "./stats/quantile-change.ts";
import type { BlockedRate } from "./stats/rate-change.ts";
import type { BlockedShare } from "./stats/share-change.ts";

/** A run, where it was read from, and its gaps. */
export interface SideRun extends AnalyzedLoad {
  readonly folder: string;
  readonly gaps: RunGaps;
  /** Of a new run: share of its requests whose input a run of the base sent; absent: not known. */
  readonly sentByBase?: number | undefined;
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
export function latencySamples(
  side: Side,
  name: MetricName,
  blocks: number,
  surplus: readonly number[],
): LatencySamples {
  if (name === "icl") return gapSamples(side);
  const [known, least, most] = [new Values(), new Values(), new Values()];
  const open: Add = (atLeast, block) => {
    least.add(atLeast, block);
    most.add(Number.POSITIVE_INFINITY, block);
  };
  for (const run of side.runs) {
    addMeasured(run, name, blocks, (value, block) => known.add(value, block), open);
    if (metric(name).scheduled) addNotStarted(run, name, blocks, open);
  }
  for (const block of surplus) most.add(Number.POSITIVE_INFINITY, block);
  const low = known.sample(blocks, least);
  const independent = known.length === 0 ? 0 : low.count;
  return { low, high: most.length === 0 ? low : known.sample(blocks, most), independent };
}

function gapSamples({ runs }: Side): LatencySamples {
  const sample = GapSample.pooled(runs.map(({ gaps }) => gaps.sample));
  return { low: sample, high: sample, independent: runs.reduce((sum, { gaps }) => sum + gaps.requests, 0) };
}

/**
 * The blocks of the failures that a side has beyond the share of the other. A latency is that of what succeeded; a target
 * that fails what is slow has better latencies for it, so these failures may have been slower than all others.
 */
export function surplusFailures(side: Side, other: Side, name: MetricName, blocks: number): readonly number[] {
  const [own, others] = [failuresOf(side, name, blocks), failuresOf(other, name, blocks)];
  const surplus = Math.round(own.failed.length - (others.failed.length / Math.max(1, others.due)) * own.due);
  return Array.from(
    { length: Math.max(0, surplus) },
    (_, index) => own.failed[Math.floor((index * own.failed.length) / surplus)] ?? 0,
  );
}

function failuresOf({ runs }: Side, name: MetricName, blocks: number) {
  const failed: number[] = [];
  let due = 0;
  for (const { read, span } of runs) {
    for (const { outcome, scheduled, part } of measuredUnits(read.units)) {
      if (!canHave(name, part)) continue;
      due += 1;
      const isSample = outcome === "not_started" && metric(name).scheduled;
      if (isFailure(outcome) && !isSample) failed.push(blockAt(scheduled, span, blocks));
    }
  }
  return { failed, due };
}

type Add = (value: number, block: number) => void;

/** @param add receives values that are known @param open those of which only a lower bound is */
function addMeasured(run: SideRun, name: MetricName, blocks: number, add: Add, open: Add): void {
  if (metric(name).ofTask === undefined) ofRequests(run, name, blocks, add, open);
  else ofTasks(run, name, blocks, add, open);
}

function ofTasks(
  { read: { units, video }, span }: SideRun,
  name: MetricName,
  blocks: number,
  add: Add,
  open: Add,
): void {
  for (const { unit, end, figures } of video.submitted()) {
    const { measured, scheduled } = units.unit(unit);
    if (!measured) continue;
    const block = blockAt(scheduled, span, blocks);
    const value = metric(name).ofTask?.(figures);
    if (value !== undefined) add(value, block);
    else if (end === "unfinished") open(0, block);
  }
}

function ofRequests(
  { read: { requests }, span }: SideRun,
  name: MetricName,
  blocks: number,
  add: Add,
  open: Add,
): void {
  for (let row = 0; row < requests.length; row += 1) {
    if (!requests.measured(row)) continue;
    const value = requests.at(name, row);
    const block = blockAt(requests.at("scheduled", row), span, blocks);
    if (requests.counts(row)) {
      if (!Number.isNaN(value)) add(value, block);
    } else if (requests.isCutOff(row) && requests.isOf(row, rowsOf(name))) open(Number.isNaN(value) ? 0 : value, block);
  }
}

function addNotStarted({ read: { units }, span }: SideRun, name: MetricName, blocks: number, open: Add): void {
  for (const { outcome, scheduled, part } of measuredUnits(units)) {
    if (outcome !== "not_started" || !canHave(name, part)) continue;
    open(Math.max(0, span.to - scheduled), blockAt(scheduled, span, blocks));
  }
}

const rowsOf = (name: MetricName): Rows => {
  const { ops } = metric(name);
  return ops === undefined ? {} : { ops };
};

/** The units of work that were due in the measured window, without those that were left. */
function* measuredUnits(units: Units): Generator<Unit> {
  for (let row = 0; row < units.length; row += 1) {
    const unit = units.unit(row);
    if (unit.measured && unit.outcome !== "left") yield unit;
  }
}

/** The units of work of a side that were due, and those of them that failed, or were good. */
export function shareOf({ runs }: Side, name: "error_rate" | "goodput_share", blocks: number): BlockedShare {
  const [part, whole] = [new Float64Array(blocks), new Float64Array(blocks)];
  for (const run of runs) {
    const counts =
      name === "error_rate" ? ({ outcome }: Unit) => isFailure(outcome) : (unit: Unit) => isGoodUnit(run, unit);
    let due = 0;
    for (const unit of measuredUnits(run.read.units)) {
      const block = blockAt(unit.scheduled, run.span, blocks);
      due += 1;
      increase(whole, block);
      if (counts(unit)) increase(part, block);
    }
    // Arrivals that no line tells of never started; nobody knows when they were due.
    const { offered, outcomes } = run.run.counts;
    const untold = offered - (outcomes["left"] ?? 0) - due;
    increase(whole, blocks - 1, untold);
    if (name === "error_rate") increase(part, blocks - 1, untold);
  }
  return { part, whole };
}

const isGoodUnit = ({ run, bounds }: SideRun, unit: Unit): boolean =>
  unit.outcome === "ok" && isGood(unit.bounds, bounds, run.parts === undefined ? undefined : unit) === true;

function increase(counts: Float64Array, block: number, by = 1): void {
  counts[block] = (counts[block] ?? 0) + by;
}

/** An amount per second: the mean of the runs' values, and when what counts for it was delivered. */
export function rateOf({ runs }: Side, name: MetricName, blocks: number): BlockedRate {
  const amounts = new Float64Array(blocks);
  let sum = 0;
  for (const run of runs) {
    const { read, span } = run;
    sum += run.run.metrics[name]?.value ?? 0;
    const add = (end: number, amount: number) => {
      if (isWithin(end, span) && !Number.isNaN(amount)) increase(amounts, blockAt(end, span, blocks), amount);
    };
    const column = AMOUNT_COLUMNS[name];
    if (column === undefined) addUnits(run, name, add);
    else {
      const { requests } = read;
      for (let row = 0; row < requests.length; row += 1) {
        if (requests.ok(row)) add(requests.end(row), requests.at(column, row));
      }
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

function addUnits(run: SideRun, name: MetricName, add: (end: number, amount: number) => void): void {
  const { units } = run.read;
  for (let row = 0; row < units.length; row += 1) {
    const unit = units.unit(row);
    if (unit.outcome !== "ok") continue;
    if (name === "tasks_per_s" && unit.task !== "completed") continue;
    if (name === "goodput" && !isGoodUnit(run, unit)) continue;
    add(unit.end, 1);
  }
}
