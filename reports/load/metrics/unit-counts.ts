/** From the units of work of a run, or of some of its workloads, to what objectives and totals are computed from. */

import type { WorkloadKind } from "../../../formats/outcomes.ts";
import type { Counts } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { METRIC_NAMES, metric, type Totals } from "../../../load/objectives/metrics.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import type { Interruptions } from "../read/interruptions.ts";
import type { Requests, Rows } from "../read/request-columns.ts";
import { opsOfWorkloads, type RunWorkload } from "../read/run-workloads.ts";
import { canBeOurs, isFailure, isNeither, type Unit, type Units } from "../read/work-units.ts";
import { Column } from "../stats/column.ts";
import type { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import { bandOfValue } from "./error-band.ts";
import type { BoundCount } from "./evaluate-slo.ts";
import {
  appliesTo,
  type BoundSubject,
  canHave,
  exceeds,
  isBroken,
  isGood,
  isNear,
  isNearlyGood,
  meets,
} from "./request-bounds.ts";
import type { Metrics, Waits } from "./request-metrics.ts";
import { delivered, isWithin, type Span } from "./span.ts";

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
  /** Of these rows alone, such as those of a part of the run; absent: all. */
  readonly unitRows?: readonly number[];
}

/** The requests of the selected units. */
export const rowsOf = ({ only, model, op }: Selection): Rows => ({
  ...(op !== undefined && { ops: [op] }),
  ...(only && op === undefined && { ops: opsOfWorkloads(only), workloads: only.map(({ name }) => name) }),
  ...(model !== undefined && { models: [model] }),
});

/** Whether a unit is selected. */
export const isSelected = (
  { only, model: asked }: Selection,
  { workload, model }: Pick<Unit, "workload" | "model">,
): boolean =>
  (asked === undefined || model === asked) && (only === undefined || only.some(({ name }) => name === workload));

const subjectOf = ({ mixed }: Selection, unit: Unit): BoundSubject | undefined => (mixed ? unit : undefined);

/** Calls `visit` with every unit that is selected. */
function forEach(units: Units, selection: Selection, visit: (unit: Unit) => void): void {
  const { unitRows } = selection;
  const length = unitRows?.length ?? units.length;
  for (let index = 0; index < length; index += 1) {
    const unit = units.unit(unitRows?.[index] ?? index);
    if (isSelected(selection, unit)) visit(unit);
  }
}

/** The measured units by outcome. */
export function countUnits(units: Units, selection: Selection): Counts {
  const outcomes: Record<string, number> = {};
  const counts = { offered: 0, started: 0, not_started: 0, completed: 0, unfinished: 0, ok: 0, failed: 0 };
  forEach(units, selection, ({ measured, outcome }) => {
    if (!measured) return;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    counts.offered += 1;
    if (outcome === "not_started") counts.not_started += 1;
    else counts.started += 1;
    if (outcome === "ok") counts.ok += 1;
    else if (outcome === "unfinished") counts.unfinished += 1;
    if (isFailure(outcome)) counts.failed += 1;
  });
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
export function countBounds(
  { units, span, bounds }: Pick<Gathered, "units" | "span" | "bounds">,
  selection: Selection,
): BoundCount[] {
  const counts = bounds.map(() => ({ met: 0, unknown: 0, of: 0, exceeded: 0, open: 0, mayMeet: 0, mayMiss: 0 }));
  forEach(units, selection, (unit) => {
    if (!unit.measured) return;
    for (const [index, bound] of bounds.entries()) {
      const count = counts[index];
      if (count === undefined || !appliesTo(bound, subjectOf(selection, unit))) continue;
      const met = meets(unit.bounds, index);
      if (unit.outcome === "ok") {
        count.of += 1;
        if (met === true) count.met += 1;
        if (met === undefined) count.unknown += 1;
        else if (isNear(unit.bounds, index)) count[met ? "mayMiss" : "mayMeet"] += 1;
      } else if (isNeither(unit.outcome)) {
        if (isBroken(unit.bounds, index)) count.exceeded += 1;
        else if (unit.outcome !== "left") count.open += 1;
      } else if (unit.outcome === "not_started" && metric(bound.metric).scheduled) {
        count[exceeds(waited(unit, span), bound) ? "exceeded" : "open"] += 1;
      }
    }
  });
  return counts;
}

/** How long an arrival that never started had waited at the end of the measured window. */
const waited = ({ scheduled }: Pick<Unit, "scheduled">, { to }: Span): number => Math.max(0, to - scheduled);

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
export function possiblyOurs(units: Units, selection: Selection, own: OwnFaults, untraced: number): number {
  if (own.unable.none) return 0;
  let [failed, notStarted, dueThen] = [0, untraced, untraced];
  forEach(units, selection, (unit) => {
    if (!unit.measured) return;
    if (own.unable.has(unit.scheduled)) dueThen += 1;
    if (unit.outcome === "not_started") notStarted += 1;
    else if (canHaveFailed(own, unit)) failed += 1;
  });
  return failed + Math.min(notStarted, dueThen);
}

/** Whether the load generator can have failed a unit that it started. */
export const canHaveFailed = ({ interruptions }: OwnFaults, { outcome, refused, scheduled, end }: Unit): boolean =>
  canBeOurs(outcome) && !refused && (interruptions.has(scheduled) || interruptions.has(end));

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
export function totals(gathered: Gathered, counts: Counts, selection: Selection, own: OwnEffect): Metrics {
  const { run, near } = totalsOf(gathered, counts, selection);
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
      ...(countedTokens && { parts: gathered.requests.tokenSources(rowsOf(selection)) }),
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

function totalsOf(
  { requests, units, span, bounds }: Gathered,
  counts: Counts,
  selection: Selection,
): { readonly run: Totals; readonly near: NearUnits } {
  const near = { mayBe: 0, mayNotBe: 0, deliveredMayBe: 0, deliveredMayNotBe: 0 };
  const sum = { good: 0, units: 0, deliveredGood: 0, tasks: 0 };
  let submitted = false;
  forEach(units, selection, (unit) => {
    const { measured, outcome, end, task, bounds: check } = unit;
    submitted ||= task !== undefined;
    if (outcome !== "ok") return;
    const within = isWithin(end, span);
    const subject = subjectOf(selection, unit);
    const good = isGood(check, bounds, subject);
    const add = good === undefined ? Number.NaN : Number(good);
    if (measured) sum.good += add;
    if (isNearlyGood(check, bounds, subject)) {
      if (measured) near[good ? "mayNotBe" : "mayBe"] += 1;
      if (within) near[good ? "deliveredMayNotBe" : "deliveredMayBe"] += 1;
    }
    if (!within) return;
    sum.units += 1;
    sum.deliveredGood += add;
    if (task === "completed") sum.tasks += 1;
  });
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
      ...(selection.unitRows === undefined ? delivered(requests, span, rowsOf(selection)) : NOT_DELIVERED),
    },
  };
  return { run, near };
}

/**
 * How long the selected arrivals that never started had waited at the end of the measured window, for each metric.
 * @param store where the values go
 */
export function waitsOf({ units, span, store }: WaitsOf, selection: Selection): Waits {
  const gathered = new Map<WorkloadKind | undefined, Column>();
  forEach(units, selection, ({ measured, outcome, part, scheduled }) => {
    if (!measured || outcome !== "not_started") return;
    const key = selection.mixed ? part : undefined;
    const waits = gathered.get(key) ?? new Column(store);
    gathered.set(key, waits);
    waits.push(waited({ scheduled }, span));
  });
  return (name) => {
    const all = [...gathered].filter(([part]) => canHave(name, part));
    return new Sample((take) => {
      for (const [, waits] of all) waits.each(take);
    }, store);
  };
}

interface WaitsOf extends Pick<Gathered, "units" | "span"> {
  readonly store: PageStore;
}
