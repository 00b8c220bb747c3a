/** What is measured of a load: of the whole, a workload, a tenant, a model or an operation, each of which is a selection. */

import type { Counts, Outage, RunResult, SloResult } from "../../formats/run.ts";
import type { Calls, MetricResult } from "../../formats/run-metrics.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../load/objectives/metrics.ts";
import type { Slo } from "../../load/objectives/slo.ts";
import { confidenceOf } from "../../load/spec/confidence.ts";
import { modelOfPart } from "../../load/spec/models.ts";
import type { Course } from "./load-course.ts";
import { type Beyond, beyondBound, gapsBeyondBound } from "./metrics/beyond-bound.ts";
import { conversationsOf } from "./metrics/conversations.ts";
import { chanceOf } from "./metrics/decide-share.ts";
import type { Measured } from "./metrics/evaluate-slo.ts";
import type { MeasuredWindows, WindowedSlo } from "./metrics/evaluate-windows.ts";
import { explainRequests } from "./metrics/explain-requests.ts";
import { type Exactness, exactnessOf } from "./metrics/known-figures.ts";
import { measureWindows } from "./metrics/measured-windows.ts";
import { evaluateRecovery } from "./metrics/recovery.ts";
import { explainedValues } from "./metrics/request-causes.ts";
import {
  countCalls,
  inOrder,
  knownLatencies,
  latencies,
  type Metrics,
  withUnfinished,
} from "./metrics/request-metrics.ts";
import {
  countBounds,
  countUnits,
  isSelected,
  possiblyOurs,
  rowsOf,
  type Selection,
  totals,
  waitsOf,
  withUntraced,
} from "./metrics/unit-counts.ts";
import { requestsInTime, tasksInTime } from "./metrics/values-in-time.ts";
import { knownOfTasks, type Tasks, videoMetrics, videoTotals, videoWithUnfinished } from "./metrics/video-metrics.ts";
import { canSend, modelsOf, type RunWorkload, tenantsOf, workloadsOf } from "./read/run-workloads.ts";
import type { Read } from "./read/shards.ts";
import type { SubmittedTask } from "./read/task-histories.ts";
import { type InTime, inTime } from "./stats/in-time.ts";

/** What was measured of the whole load, with the arrivals of absent segments: so many of those that never started. */
export type MeasuredUnits = Measured & { readonly lost: number };

interface Measurable {
  readonly read: Read;
  readonly course: Course;
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
  readonly tasks: Tasks;
}

/** A load that was read, and what it consists of. */
export class MeasuredLoad implements Measurable {
  readonly read: Read;
  readonly course: Course;
  readonly bounds: readonly Slo[];
  readonly tasks: Tasks;
  /** Absent where it has one workload, without a name. */
  readonly workloads: readonly RunWorkload[] | undefined;
  readonly whole: LoadPart;
  /** By name; none where the load has one workload, names no tenant, has one model. */
  readonly byWorkload: ReadonlyMap<string, LoadPart>;
  readonly byTenant: ReadonlyMap<string, LoadPart>;
  readonly byModel: ReadonlyMap<string, LoadPart>;

  constructor(load: Omit<Measurable, "tasks">) {
    this.read = load.read;
    this.course = load.course;
    this.bounds = load.bounds;
    this.tasks = () => load.read.video.submitted();
    const { plan } = load.course;
    this.workloads = workloadsOf(plan);
    this.whole = this.measure();
    this.byWorkload = new Map(this.workloads?.map((each) => [each.name, this.measure({ only: [each] })] as const));
    this.byTenant = new Map(
      [...(tenantsOf(this.workloads) ?? [])].map(([name, only]) => [name, this.measure({ only })]),
    );
    this.byModel = new Map(modelsOf(plan)?.names.map((model) => [model, this.measure({ model })] as const));
  }

  /** A part of the load; without a selection the whole. Nothing is computed until it is asked for. */
  measure(selection: Omit<Selection, "mixed"> = {}): LoadPart {
    return new LoadPart(this, { mixed: this.workloads !== undefined, ...selection });
  }

  /** The requests of one operation, of the workloads that can send it. */
  measureOp(op: string): LoadPart {
    const only = this.workloads?.filter((workload) => canSend(workload, op));
    return this.measure({ op, ...(only && { only }) });
  }

  /** What an objective is about: a workload or `model=NAME`; without a name the whole. */
  named(name: string | undefined): LoadPart | undefined {
    if (name === undefined) return this.whole;
    return this.byWorkload.get(name) ?? this.byModel.get(modelOfPart(name) ?? "");
  }
}

/** What is measured of the units of work and the requests that a selection has. */
export class LoadPart {
  readonly selection: Selection;
  readonly #load: Measurable;
  readonly #inTime = new Map<MetricName, InTime>();
  #units: MeasuredUnits | undefined;

  constructor(load: Measurable, selection: Selection) {
    this.#load = load;
    this.selection = selection;
  }

  get units(): MeasuredUnits {
    this.#units ??= this.#withExactness(measureUnits(this.#load, this.selection));
    return this.#units;
  }

  #withExactness(units: MeasuredUnits): MeasuredUnits {
    const metrics = METRIC_NAMES.flatMap((name) => {
      const result = units.metrics[name];
      if (result === undefined) return [];
      return [[name, metric(name).kind === "distribution" ? { ...result, ...this.#exactness(name, result) } : result]];
    });
    return { ...units, metrics: Object.fromEntries(metrics) };
  }

  /** How exact the figures of a metric are; nothing of one that has arrivals which never started as samples. */
  #exactness(name: MetricName, result: MetricResult): Exactness {
    const { requests } = this.#load.read;
    const rows = rowsOf(this.selection);
    const chance = chanceOf(confidenceOf(this.#load.course.plan));
    const values = this.#values(name);
    if (values.length === 0 || result.notStarted !== undefined) return {};
    if (name === "icl") {
      const { pool, requests: counted } = requests.gaps(rows);
      return exactnessOf(this.inTime(name, values), { result, counted, chance, ranked: (ranks) => pool.ranked(ranks) });
    }
    const sorted = values.slice().sort();
    const ranked = () => (rank: number) => sorted[rank - 1] ?? Number.NaN;
    const counted = metric(name).ofTask === undefined ? requests.independent(name, rows) : values.length;
    return exactnessOf(this.inTime(name, values), { result, counted, chance, ranked });
  }

  /** What the order of the values of a metric in time tells. */
  inTime(name: MetricName, values = this.#values(name)): InTime {
    const known = this.#inTime.get(name) ?? inTime(values);
    this.#inTime.set(name, known);
    return known;
  }

  #values(name: MetricName): Float64Array {
    const { read, tasks } = this.#load;
    if (metric(name).ofTask === undefined)
      return requestsInTime(read.requests, name, rowsOf(this.selection), read.store);
    const dueOf = ({ unit }: SubmittedTask): number => read.units.unit(unit).scheduled;
    return tasksInTime({ submitted: () => selected(read, tasks, this.selection, true), dueOf }, name, read.store);
  }

  /** Of an objective on goodput: requests that together tell as much as one that is independent, by the metrics that it bounds. */
  alike(slo: Slo): number {
    const own = this.#load.bounds.filter(({ part }) => part === undefined || part === slo.part);
    return Math.max(1, ...own.map((bound) => this.inTime(bound.metric).alike));
  }

  /** What was measured in each window in which an objective is to hold. */
  windows(slo: WindowedSlo): MeasuredWindows {
    const { read, course, bounds } = this.#load;
    const source = { ...read, span: course.span, bounds, faults: course.own.faults };
    return measureWindows(source, this.selection, slo);
  }

  /** Of an objective on a percentile: samples beyond its bound. */
  beyond(slo: Slo): Beyond | undefined {
    const { read, course, tasks } = this.#load;
    const { requests, store } = read;
    const waits = waitsOf({ ...read, span: course.span }, this.selection);
    const measured = () => selected(read, tasks, this.selection, true);
    const rows = rowsOf(this.selection);
    const { alike } = this.inTime(slo.metric);
    if (slo.metric === "icl") return gapsBeyondBound(slo, requests.gaps(rows), alike);
    const ofTasks = knownOfTasks(slo.metric, { tasks: measured, waits, store, late: lateOfTask(read) });
    if (ofTasks !== undefined) return beyondBound(slo, ofTasks, undefined, alike);
    const independent = requests.independent(slo.metric, rows);
    return beyondBound(slo, knownLatencies(requests, slo.metric, waits, rows), independent, alike);
  }

  /** By what the requests that exceed the bound of an objective differ from the others. */
  explain(slo: Slo): string | undefined {
    const { read, course } = this.#load;
    const values = explainedValues(read.requests, slo, rowsOf(this.selection), course.span.origin);
    return values && explainRequests(slo, values);
  }

  /** Whether the objectives held again after what disturbed the load. */
  recovery(slo: Slo, slos: readonly Slo[], outages: readonly Outage[]): SloResult {
    const { read, course } = this.#load;
    const { plan, span, own } = course;
    return evaluateRecovery(slo, slos, { ...read, plan, span, outages, faults: own.faults }, this.selection);
  }

  get calls(): Calls {
    return countCalls(this.#load.read.requests, rowsOf(this.selection));
  }

  get latencies(): Metrics {
    const { read, course } = this.#load;
    return inOrder(
      latencies(read.requests, waitsOf({ ...read, span: course.span }, this.selection), rowsOf(this.selection)),
    );
  }

  get conversations(): RunResult["conversations"] {
    return conversationsOf(this.#load.read.requests, this.#load.read.units, this.selection);
  }
}

/** A task is timed from the first of its calls to the end of the last. */
const lateOfTask = ({ requests }: Read): number => 2 * requests.clocks.largest;

function measureUnits({ read, course, bounds, tasks }: Measurable, selection: Selection): MeasuredUnits {
  const { requests, units, store } = read;
  const { span, interrupted, absent, own } = course;
  const isWhole = selection.only === undefined && selection.model === undefined;
  const traced = countUnits(units, selection);
  const [neverTold, busyWith] = isWhole ? untraced(read, traced, interrupted) : [0, 0];
  const known = withUntraced(traced, neverTold, busyWith);
  const lost = isWhole ? Math.max(0, (absent.due ?? 0) - known.offered) : 0;
  const counts = withUntraced(known, lost, 0);
  const waits = waitsOf({ units, span, store }, selection);
  const all = () => selected(read, tasks, selection, false);
  const measured = () => selected(read, tasks, selection, true);
  const rows = rowsOf(selection);
  const late = lateOfTask(read);
  const ours = possiblyOurs(units, selection, own.faults, neverTold);
  const effect = { possiblyOurs: ours, lateShare: own.lateShare };
  const metrics = inOrder({
    ...latencies(requests, waits, rows),
    ...totals({ requests, units, span, bounds }, counts, selection, effect),
    ...videoMetrics(measured, waits, store, late),
    ...videoTotals({ requests, span, tasks: all }, rows),
  });
  return {
    counts,
    lost,
    metrics,
    withUnfinished: { ...withUnfinished(requests, waits, rows), ...videoWithUnfinished(measured, waits, store, late) },
    bounds: countBounds({ units, span, bounds }, selection),
    possiblyOurs: ours,
    isCutShort: interrupted,
  };
}

/** The tasks of the selected units: all, or those whose arrival was due in the measured window. */
export function* selected(
  { units }: Read,
  tasks: Tasks,
  selection: Selection,
  measured: boolean,
): Generator<SubmittedTask> {
  for (const task of tasks()) {
    const of = units.unit(task.unit);
    if ((of.measured || !measured) && isSelected(selection, of)) yield task;
  }
}

/**
 * Arrivals of the measured phase that the load generators counted and no line tells of: those that never started, and
 * those that a run which was cut short was busy with.
 */
function untraced({ clients, units }: Read, traced: Counts, interrupted: boolean): [number, number] {
  const counted = arrivalsCounted(clients);
  if (counted === undefined) return [0, 0];
  const { offered, started } = counted;
  return [
    Math.max(0, offered - started - traced.not_started),
    interrupted && units.numbered ? Math.max(0, started - traced.started) : 0,
  ];
}

/** Arrivals of the measured phase, as the load generators counted them; undefined when one did not. */
export function arrivalsCounted(
  clients: Read["clients"],
): { readonly offered: number; readonly started: number } | undefined {
  const last = clients.flatMap((lines) => lines.at(-1) ?? []);
  if (last.length < clients.length || last.length === 0) return undefined;
  return {
    offered: last.reduce((sum, line) => sum + line.offered.measure, 0),
    started: last.reduce((sum, line) => sum + line.started.measure, 0),
  };
}
