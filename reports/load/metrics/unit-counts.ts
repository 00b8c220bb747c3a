/** From the units of work of a run, or of some of its workloads, to what objectives and totals are computed from. */

import { z } from "zod";
import { WORKLOAD_KIND_NAMES } from "../../../contract/operations.ts";
import type { Counts } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { literal } from "../../../lib/duckdb.mjs";
import { METRIC_NAMES, metric, type Totals } from "../../../load/objectives/metrics.ts";
import { isUpper, type Slo } from "../../../load/objectives/slo.ts";
import { listOf } from "../../tables/columns.ts";
import { overlapsSql } from "../read/calls-sql.ts";
import type { Interruptions } from "../read/interruptions.ts";
import type { Due, Requests, Rows } from "../read/measured-requests.ts";
import { opsOfWorkloads, type RunWorkload } from "../read/run-workloads.ts";
import { canBeOurs, isFailure, isNeither, UNIT_OUTCOMES } from "../read/unit-outcomes.ts";
import { type Unit, type UnitGroup, type Units, unitsSql, type WhichUnits, waitedSql } from "../read/unit-rows.ts";
import { Sample } from "../stats/sample.ts";
import { bandOfValue } from "./error-band.ts";
import type { BoundCount } from "./evaluate-slo.ts";
import {
  appliesTo,
  type BoundSubject,
  canHave,
  isBroken,
  isGood,
  isNear,
  isNearlyGood,
  meets,
} from "./request-bounds.ts";
import type { Metrics, Waits } from "./request-metrics.ts";
import { delivered, type Span } from "./span.ts";

/** Which units of work are looked at. */
export interface Selection {
  /** Whether the load has several workloads: bounds then hold for those that can have their metric. */
  readonly mixed: boolean;
  /** Some of its workloads; absent: all units. */
  readonly only?: readonly RunWorkload[];
  /** One of its models; absent: any. */
  readonly model?: string;
  /** Requests of one operation alone, of whichever of these units. */
  readonly op?: string;
  /** Units that were due then; absent: all. */
  readonly due?: Due;
}

/** The requests of the selected units. */
export const rowsOf = ({ only, model, op }: Omit<Selection, "due">): Rows => ({
  ...(op !== undefined && { ops: [op] }),
  ...(only && op === undefined && { ops: opsOfWorkloads(only), workloads: only.map(({ name }) => name) }),
  ...(model !== undefined && { models: [model] }),
});

/** The units that are selected. */
export const whichUnits = ({ only, model, due }: Selection): WhichUnits => ({
  ...(only && { workloads: only.map(({ name }) => name) }),
  ...(model !== undefined && { model }),
  ...(due && { due }),
});

const subjectOf = ({ mixed }: Selection, unit: Unit): BoundSubject | undefined => (mixed ? unit : undefined);

/** The measured units by outcome. */
export async function countUnits(
  { units, span, bounds }: Pick<Gathered, "units" | "span" | "bounds">,
  selection: Selection,
): Promise<Counts> {
  const outcomes: Record<string, number> = {};
  const counts = { offered: 0, started: 0, not_started: 0, completed: 0, unfinished: 0, ok: 0, failed: 0 };
  for (const { measured, outcome, count } of await units.groups(whichUnits(selection), span, bounds)) {
    if (!measured) continue;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    counts.offered += count;
    if (outcome === "not_started") counts.not_started += count;
    else counts.started += count;
    if (outcome === "ok") counts.ok += count;
    else if (outcome === "unfinished") counts.unfinished += count;
    if (isFailure(outcome)) counts.failed += count;
  }
  return { ...counts, completed: counts.started - counts.unfinished - (outcomes["left"] ?? 0), outcomes };
}

/** Adds units that left no trace in the records: arrivals that never started, and those that a killed run was busy with. */
export function withUntraced(counts: Counts, notStarted: number, unfinished: number): Counts {
  const more = {
    ...(notStarted > 0 && { not_started: (counts.outcomes["not_started"] ?? 0) + notStarted }),
    ...(unfinished > 0 && { unfinished: (counts.outcomes["unfinished"] ?? 0) + unfinished }),
  };
  return {
    ...counts,
    offered: counts.offered + notStarted + unfinished,
    started: counts.started + unfinished,
    not_started: counts.not_started + notStarted,
    unfinished: counts.unfinished + unfinished,
    failed: counts.failed + notStarted,
    outcomes: { ...counts.outcomes, ...more },
  };
}

/**
 * How many measured ok units met each of the bounds that hold for each request, and how many could have done so if they had
 * not been cut off, or, where the bound counts from the scheduled start, had started.
 */
export async function countBounds(
  { units, span, bounds }: Pick<Gathered, "units" | "span" | "bounds">,
  selection: Selection,
): Promise<BoundCount[]> {
  const counts = bounds.map(() => ({ met: 0, unknown: 0, of: 0, exceeded: 0, open: 0, mayMeet: 0, mayMiss: 0 }));
  for (const unit of await units.groups(whichUnits(selection), span, bounds)) {
    if (!unit.measured) continue;
    for (const [index, bound] of bounds.entries()) {
      const count = counts[index];
      if (count !== undefined && appliesTo(bound, subjectOf(selection, unit))) addToBound(count, unit, bound, index);
    }
  }
  return counts;
}

function addToBound(count: Record<keyof BoundCount, number>, unit: UnitGroup, bound: Slo, index: number): void {
  if (unit.outcome === "ok") {
    const met = meets(unit.bounds, index);
    count.of += unit.count;
    if (met === true) count.met += unit.count;
    if (met === undefined) count.unknown += unit.count;
    else if (isNear(unit.bounds, index)) count[met ? "mayMiss" : "mayMeet"] += unit.count;
  } else if (isNeither(unit.outcome)) {
    if (isBroken(unit.bounds, index)) count.exceeded += unit.count;
    else if (unit.outcome !== "left") count.open += unit.count;
  } else if (unit.outcome === "not_started" && metric(bound.metric).scheduled) {
    count[isUpper(bound) && (unit.waited & (1 << index)) !== 0 ? "exceeded" : "open"] += unit.count;
  }
}

/** When the load generator itself can have failed units of work. */
export interface OwnFaults {
  /** When its process did not run. */
  readonly interruptions: Interruptions;
  /** The same, and the seconds in which its CPUs were full: arrivals found no slot because it did not come to free one. */
  readonly unable: Interruptions;
}

/**
 * Of the measured units that failed, those that the load generator itself can have failed: they were due while its process did
 * not run, or ended as it ran again, and not by what a response said. Of the arrivals that never started, as many as were due
 * while it was unable to start any: whichever of them had to wait for it, no more of them can have been lost by that.
 * @param untraced how many of those that never started have left no trace
 */
export async function possiblyOurs(
  { database }: Units,
  selection: Selection,
  own: OwnFaults,
  untraced: number,
): Promise<number> {
  if (own.unable.none) return 0;
  const [found] = await database.all(
    `SELECT count(*) FILTER (${overlapsSql(own.unable, "scheduled_us")}) AS due, count(*) FILTER (outcome = 'not_started') AS "notStarted",
      count(*) FILTER (outcome <> 'not_started' AND ${canHaveFailedSql(own)}) AS failed FROM units WHERE measured AND ${unitsSql(whichUnits(selection))}`,
    z.object({ due: z.number(), notStarted: z.number(), failed: z.number() }),
  );
  const { due = 0, notStarted = 0, failed = 0 } = found ?? {};
  return failed + Math.min(notStarted + untraced, due + untraced);
}

const CAN_BE_OURS = `outcome IN ${listOf(UNIT_OUTCOMES.filter(canBeOurs))}`;

/** Whether the load generator can have failed a unit that it started. */
export const canHaveFailedSql = ({ interruptions }: OwnFaults): string =>
  `(${CAN_BE_OURS} AND NOT refused AND (${overlapsSql(interruptions, "scheduled_us")} OR ${overlapsSql(interruptions, "end_us")}))`;

/** What the figures of a run are computed from. */
export interface Gathered {
  readonly requests: Requests;
  readonly units: Units;
  readonly span: Span;
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
}

/** What the load generator can have changed. */
export interface OwnEffect {
  /** Of the units that failed, those that it can have failed. */
  readonly possiblyOurs: number;
  /** Share of the time for which it was late. */
  readonly lateShare: number;
}

/** Metrics with one value, over the whole run or some of its workloads. */
export async function totals(
  gathered: Gathered,
  counts: Counts,
  selection: Selection,
  own: OwnEffect,
): Promise<Metrics> {
  const { run, near } = await totalsOf(gathered, counts, selection);
  const [worst, best] = [atWorst(run, near), atBest(run, near, own)];
  const results: Record<string, MetricResult> = {};
  for (const name of METRIC_NAMES) {
    const { unit, total, countedTokens } = metric(name);
    const { count, value } = total?.(run) ?? {};
    if (count === undefined || value === undefined || !Number.isFinite(value)) continue;
    const band = bandOfValue(value, [total?.(worst).value, total?.(best).value]);
    results[name] = {
      unit,
      count,
      value,
      ...(band && { band }),
      ...(countedTokens && { parts: await gathered.requests.tokenSources(rowsOf(selection)) }),
    };
  }
  return results;
}

/** Ok units that the load generator's lateness made good or not, of all and of those that ended in the window. */
interface NearUnits {
  readonly mayBe: number;
  readonly mayNotBe: number;
  readonly deliveredMayBe: number;
  readonly deliveredMayNotBe: number;
}

const sumOf = (a: number | undefined, b: number, share = 1): number | undefined =>
  a === undefined ? undefined : (a + b) / share;

/** The totals if every unit near to a bound had truly missed it. */
const atWorst = (run: Totals, { mayNotBe, deliveredMayNotBe }: NearUnits): Totals => ({
  ...run,
  good: sumOf(run.good, -mayNotBe),
  delivered: { ...run.delivered, good: sumOf(run.delivered.good, -deliveredMayNotBe) },
});

/** The totals of a load generator that had run all the time: nothing that it can have failed or delayed was. */
function atBest(run: Totals, { mayBe, deliveredMayBe }: NearUnits, { possiblyOurs, lateShare }: OwnEffect): Totals {
  const { delivered } = run;
  const late = 1 - Math.min(lateShare, MOST_LATE);
  const more = (1 + possiblyOurs / Math.max(1, delivered.units)) / late;
  const scaled = (amount: number | undefined) => (amount === undefined ? undefined : amount * more);
  return {
    ...run,
    ok: run.ok + possiblyOurs,
    failed: run.failed - possiblyOurs,
    good: sumOf(run.good, mayBe + possiblyOurs),
    delivered: {
      units: (delivered.units + possiblyOurs) / late,
      good: sumOf(delivered.good, deliveredMayBe + possiblyOurs, late),
      tasks: scaled(delivered.tasks),
      tokens: scaled(delivered.tokens),
      inputTokens: scaled(delivered.inputTokens),
      items: scaled(delivered.items),
    },
  };
}

/** Of a load generator that hardly ran, nothing is known. */
const MOST_LATE = 0.99;

/** Rates are those of the whole run. */
const NOT_DELIVERED = { tokens: undefined, inputTokens: undefined, items: undefined };

async function totalsOf(
  { requests, units, span, bounds }: Gathered,
  counts: Counts,
  selection: Selection,
): Promise<{ readonly run: Totals; readonly near: NearUnits }> {
  const near = { mayBe: 0, mayNotBe: 0, deliveredMayBe: 0, deliveredMayNotBe: 0 };
  const sum = { good: 0, units: 0, deliveredGood: 0, tasks: 0 };
  let submitted = false;
  for (const unit of await units.groups(whichUnits(selection), span, bounds)) {
    const { measured, outcome, within, task, bounds: check, count } = unit;
    submitted ||= task !== undefined;
    if (outcome !== "ok") continue;
    const subject = subjectOf(selection, unit);
    const good = isGood(check, bounds, subject);
    const add = good === undefined ? Number.NaN : Number(good) * count;
    if (measured) sum.good += add;
    if (isNearlyGood(check, bounds, subject)) {
      if (measured) near[good ? "mayNotBe" : "mayBe"] += count;
      if (within) near[good ? "deliveredMayNotBe" : "deliveredMayBe"] += count;
    }
    if (!within) continue;
    sum.units += count;
    sum.deliveredGood += add;
    if (task === "completed") sum.tasks += count;
  }
  const { only = [undefined] } = selection;
  const defined = only.some((of) =>
    bounds.some((bound) => appliesTo(bound, of && { workload: of.name, part: of.operation })),
  );
  const of = (value: number): number | undefined => (defined ? value : undefined);
  const run = {
    due: counts.offered - (counts.outcomes["left"] ?? 0),
    ok: counts.ok,
    failed: counts.failed,
    good: of(sum.good),
    seconds: span.seconds,
    delivered: {
      units: sum.units,
      good: of(sum.deliveredGood),
      tasks: submitted ? sum.tasks : undefined,
      // Tokens come from chats and items from embeddings: a workload has the one or the other.
      ...(selection.due === undefined ? await delivered(requests, span, rowsOf(selection)) : NOT_DELIVERED),
    },
  };
  return { run, near };
}

/** How long the selected arrivals that never started had waited at the end of the measured window, for each metric. */
export function waitsOf({ units, span }: Pick<Gathered, "units" | "span">, selection: Selection): Waits {
  const where = `measured AND outcome = 'not_started' AND ${unitsSql(whichUnits(selection))}`;
  if (!units.someNeverStarted) return () => new Sample();
  return (name) => {
    const parts = WORKLOAD_KIND_NAMES.filter((part) => canHave(name, part)).map(literal);
    const known = parts.length === 0 ? "FALSE" : `part IN (${parts.join(", ")})`;
    const ofParts = selection.mixed ? ` AND (part IS NULL OR ${known})` : "";
    return new Sample(
      units.database,
      `SELECT CAST(${waitedSql(span.to)} AS DOUBLE) AS v FROM units WHERE ${where}${ofParts}`,
    );
  };
}
