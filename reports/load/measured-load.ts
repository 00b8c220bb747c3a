/** What is measured of a load: of the whole, a workload, a tenant, a model or an operation, each of which is a selection. */

import type { Counts, Outage, RunResult, SloResult } from "../../formats/run.ts";
import type { Calls, MetricResult } from "../../formats/run-metrics.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../load/objectives/metrics.ts";
import { type Slo, shareBeyond } from "../../load/objectives/slo.ts";
import { confidenceOf } from "../../settings/load/confidence.ts";
import { modelOfPart } from "../../settings/load/models.ts";
import type { Database } from "../tables/database.ts";
import { type Course, courseOf } from "./load-course.ts";
import { type Beyond, beyondBound, gapsBeyondBound } from "./metrics/beyond-bound.ts";
import { conversationsOf } from "./metrics/conversations.ts";
import { chanceOf } from "./metrics/decide-share.ts";
import type { Measured } from "./metrics/evaluate-slo.ts";
import type { MeasuredWindows, WindowedSlo } from "./metrics/evaluate-windows.ts";
import { explainRequests } from "./metrics/explain-requests.ts";
import { exactnessOf, type KnownValues, ranksToKnow } from "./metrics/known-figures.ts";
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
  possiblyOurs,
  rowsOf,
  type Selection,
  totals,
  waitsOf,
  whichUnits,
  withUntraced,
} from "./metrics/unit-counts.ts";
import { requestsInTime, tasksInTime } from "./metrics/values-in-time.ts";
import { knownOfTasks, type Tasks, videoMetrics, videoTotals, videoWithUnfinished } from "./metrics/video-metrics.ts";
import { canSend, modelsOf, type RunWorkload, tenantsOf, workloadsOf } from "./read/run-workloads.ts";
import { type Read, readShards, type Shard } from "./read/shards.ts";
import { type InTime, inTime } from "./stats/in-time.ts";
import type { SteadyPart } from "./validity/run-steadiness.ts";

/** What was measured of the whole load, with the arrivals of absent segments: so many of those that never started. */
export type MeasuredUnits = Measured & { readonly lost: number };

interface Measurable {
  readonly read: Read;
  readonly course: Course;
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
}

/** A load that was read, and what it consists of. */
export class MeasuredLoad implements Measurable {
  readonly read: Read;
  readonly course: Course;
  readonly bounds: readonly Slo[];
  /** Absent where it has one workload, without a name. */
  readonly workloads: readonly RunWorkload[] | undefined;
  readonly whole: LoadPart;
  /** By name; none where the load has one workload, names no tenant, has one model. */
  readonly byWorkload: ReadonlyMap<string, LoadPart>;
  readonly byTenant: ReadonlyMap<string, LoadPart>;
  readonly byModel: ReadonlyMap<string, LoadPart>;

  constructor(load: Measurable) {
    this.read = load.read;
    this.course = load.course;
    this.bounds = load.bounds;
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

/** The files of a load, and which part of it is measured. */
export interface LoadFiles {
  /** One per machine; their requests are pooled, so that merging is exact. */
  readonly shards: readonly Shard[];
  /** The shards are to be a whole load, of which a segment may be missing; absent: where there are several. */
  readonly isMerged?: boolean;
  /** The part of its measured time that is steady, where the rest is left out. */
  readonly steady?: SteadyPart | undefined;
}

/**
 * Reads a load into the tables of an empty database.
 * @param bounds those that hold for each request
 */
export async function measureLoad(
  { shards, isMerged = shards.length > 1, steady }: LoadFiles,
  bounds: readonly Slo[],
  database: Database,
): Promise<MeasuredLoad> {
  const read = await readShards(database, shards, { bounds, steadyFrom: steady?.span.from });
  const course = await courseOf(read, { isMerged, steady: steady?.span });
  return new MeasuredLoad({ read, course, bounds });
}

/** What is measured of the units of work and the requests that a selection has. */
export class LoadPart {
  readonly selection: Selection;
  readonly #load: Measurable;
  readonly #known = new Map<MetricName, KnownValues>();
  #units: Promise<MeasuredUnits> | undefined;

  constructor(load: Measurable, selection: Selection) {
    this.#load = load;
    this.selection = selection;
  }

  get units(): Promise<MeasuredUnits> {
    this.#units ??= this.#measured();
    return this.#units;
  }

  async #measured(): Promise<MeasuredUnits> {
    await this.#readInTime(METRIC_NAMES.filter((name) => metric(name).kind === "distribution"));
    const units = await measureUnits(this.#load, this.selection);
    const metrics: Record<string, MetricResult> = { ...units.metrics };
    for (const [name, known] of this.#known) {
      const result = metrics[name];
      // Nothing is known of one that has arrivals which never started as samples.
      if (result === undefined || result.notStarted !== undefined) continue;
      metrics[name] = { ...result, ...exactnessOf(result, known) };
    }
    return { ...units, metrics };
  }

  /** What the order of the values of a metric in time tells. */
  async inTime(name: MetricName): Promise<InTime> {
    if (!this.#known.has(name)) await this.#readInTime([name]);
    return this.#known.get(name)?.order ?? inTime(new Float64Array(0));
  }

  /** Reads the values of each metric once: for what their order tells, and for figures of those in ascending order. */
  async #readInTime(names: readonly MetricName[]): Promise<void> {
    const { read, course } = this.#load;
    const chance = chanceOf(confidenceOf(course.plan));
    const unknown = names.filter((name) => !this.#known.has(name));
    for await (const [of, values] of requestsInTime(read.requests, unknown, rowsOf(this.selection))) {
      if (values.length === 0) continue;
      const order = inTime(values);
      for (const name of of)
        this.#known.set(name, { order, chance, ...(await this.#ranked(name, values, { order, chance })) });
    }
    for (const name of unknown.filter((each) => metric(each).ofTask !== undefined)) {
      const values = await tasksInTime(tasksOf(read, this.selection), name);
      if (values.length === 0) continue;
      const order = inTime(values);
      const sorted = values.sort();
      const ranked = (rank: number) => sorted[rank - 1] ?? Number.NaN;
      this.#known.set(name, { order, chance, counted: values.length, ranked });
    }
  }

  /** How many values count, and what they are by rank. They get into another order. */
  async #ranked(name: MetricName, values: Float64Array, of: Pick<KnownValues, "order" | "chance">) {
    const { requests } = this.#load.read;
    const rows = rowsOf(this.selection);
    if (name === "icl") {
      const { pool, requests: counted } = await requests.gaps(rows);
      return { counted, ranked: (rank: number) => pool.at(rank) };
    }
    const counted = (await requests.independent(name, rows)) ?? values.length;
    const sample = requests.sample(name, rows);
    const ranks = ranksToKnow(values.length, { ...of, counted });
    sample.take(values, ranks);
    const known = await sample.at(ranks);
    return { counted, ranked: (rank: number) => known.get(rank) ?? Number.NaN };
  }

  /** Of an objective on goodput: requests that together tell as much as one that is independent, by the metrics that it bounds. */
  async alike(slo: Slo): Promise<number> {
    let most = 1;
    for (const { part, metric: name } of this.#load.bounds) {
      if (part === undefined || part === slo.part) most = Math.max(most, (await this.inTime(name)).alike);
    }
    return most;
  }

  /** What was measured in each window in which an objective is to hold. */
  windows(slo: WindowedSlo): Promise<MeasuredWindows> {
    const { read, course, bounds } = this.#load;
    const source = { ...read, span: course.span, bounds, faults: course.own.faults };
    return measureWindows(source, this.selection, slo);
  }

  /** Of an objective on a percentile: samples beyond its bound. */
  async beyond(slo: Slo): Promise<Beyond | undefined> {
    const { read, course } = this.#load;
    const { requests } = read;
    const waits = waitsOf({ ...read, span: course.span }, this.selection);
    const rows = rowsOf(this.selection);
    const alike = shareBeyond(slo) === undefined ? 1 : (await this.inTime(slo.metric)).alike;
    if (slo.metric === "icl") return gapsBeyondBound(slo, await requests.gaps(rows), alike);
    const ofTasks = knownOfTasks(slo.metric, { tasks: tasksOf(read, this.selection), waits, late: lateOfTask(read) });
    if (ofTasks !== undefined) return beyondBound(slo, ofTasks, undefined, alike);
    const independent = await requests.independent(slo.metric, rows);
    return beyondBound(slo, knownLatencies(requests, slo.metric, waits, rows), independent, alike);
  }

  /** By what the requests that exceed the bound of an objective differ from the others. */
  async explain(slo: Slo): Promise<string | undefined> {
    const { read, course } = this.#load;
    const values = await explainedValues(read.requests, slo, rowsOf(this.selection), course.span.origin);
    return values && explainRequests(slo, values);
  }

  /** Whether the objectives held again after what disturbed the load. */
  recovery(slo: Slo, slos: readonly Slo[], outages: readonly Outage[]): Promise<SloResult> {
    const { read, course } = this.#load;
    const { plan, span, own } = course;
    return evaluateRecovery(slo, slos, { ...read, plan, span, outages, faults: own.faults }, this.selection);
  }

  get calls(): Promise<Calls> {
    return countCalls(this.#load.read.requests, rowsOf(this.selection));
  }

  async latencies(): Promise<Metrics> {
    const { read, course } = this.#load;
    const waits = waitsOf({ ...read, span: course.span }, this.selection);
    return inOrder(await latencies(read.requests, waits, rowsOf(this.selection)));
  }

  get conversations(): Promise<RunResult["conversations"]> {
    return conversationsOf(this.#load.read.requests, this.selection);
  }
}

/** The tasks of the selected units. */
export const tasksOf = ({ database, units }: Read, selection: Selection): Tasks => ({
  database,
  none: !units.haveTasks,
  which: whichUnits(selection),
});

/** A task is timed from the first of its calls to the end of the last. */
const lateOfTask = ({ requests }: Read): number => 2 * requests.clocks.largest;

async function measureUnits({ read, course, bounds }: Measurable, selection: Selection): Promise<MeasuredUnits> {
  const { requests, units } = read;
  const { span, interrupted, absent, own } = course;
  const isWhole = selection.only === undefined && selection.model === undefined;
  const source = { requests, units, span, bounds };
  const traced = await countUnits(source, selection);
  const [neverTold, busyWith] = isWhole ? untraced(read, traced, interrupted) : [0, 0];
  const known = withUntraced(traced, neverTold, busyWith);
  const lost = isWhole ? Math.max(0, (absent.due ?? 0) - known.offered) : 0;
  const counts = withUntraced(known, lost, 0);
  const waits = waitsOf(source, selection);
  const tasks = tasksOf(read, selection);
  const rows = rowsOf(selection);
  const late = lateOfTask(read);
  const ours = await possiblyOurs(units, selection, own.faults, neverTold);
  const effect = { possiblyOurs: ours, lateShare: own.lateShare };
  const metrics = inOrder({
    ...(await latencies(requests, waits, rows)),
    ...(await totals(source, counts, selection, effect)),
    ...(await videoMetrics(tasks, waits, late)),
    ...(await videoTotals({ span, tasks }, rows)),
  });
  return {
    counts,
    lost,
    metrics,
    withUnfinished: {
      ...(await withUnfinished(requests, waits, rows)),
      ...(await videoWithUnfinished(tasks, waits, late)),
    },
    bounds: await countBounds(source, selection),
    possiblyOurs: ours,
    isCutShort: interrupted,
  };
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
