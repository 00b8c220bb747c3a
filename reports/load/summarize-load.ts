/** From the files of a load run, or of several shards of one, to its result. */

import type { ClientLine } from "../../formats/client.ts";
import type { RecordHeader } from "../../formats/records.ts";
import type { ClientHealth, Counts, RunResult, SampleCheck } from "../../formats/run.ts";
import type { Stop } from "../../formats/stop.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { parseSlo, type Slo } from "../../scenarios/slo.ts";
import { readInstant } from "../../settings/instants.ts";
import { modelOfPart } from "../../settings/models.ts";
import { formatDuration } from "../../settings/units.ts";
import { plural } from "../numbers.ts";
import { ArrivalSeries, chartsOf } from "./metrics/chart-groups.ts";
import { healthOf, joinHealth } from "./metrics/client-health.ts";
import { conversationsOf } from "./metrics/conversations.ts";
import { evaluateSlos, type Measured } from "./metrics/evaluate-slo.ts";
import { failuresOf, refusalOf } from "./metrics/explain-failures.ts";
import { withCauses } from "./metrics/explain-objectives.ts";
import { findOutages } from "./metrics/outages.ts";
import { stepsOf } from "./metrics/rate-stages.ts";
import { checkRequest, checkTask, requestBounds } from "./metrics/request-bounds.ts";
import { countCalls, inOrder, latencies, withUnfinished } from "./metrics/request-metrics.ts";
import { measuredSpan, type Span } from "./metrics/span.ts";
import { targetMetricsOf } from "./metrics/target-metrics.ts";
import {
  countBounds,
  countUnits,
  isSelected,
  type OwnFaults,
  possiblyOurs,
  rowsOf,
  type Selection,
  totals,
  waitsOf,
  withUntraced,
} from "./metrics/unit-counts.ts";
import { cancelsOf, type Tasks, videoMetrics, videoTotals, videoWithUnfinished } from "./metrics/video-metrics.ts";
import { windowsOf } from "./metrics/windows.ts";
import { type Absent, absentInWords, absentOf } from "./read/absent-segments.ts";
import { ARRIVAL, type FailureGroup } from "./read/failed-requests.ts";
import { Interruptions, interruptionsOf } from "./read/interruptions.ts";
import type { Requests, Responses } from "./read/request-columns.ts";
import { canSend, modelsOf, type RunWorkload, tenantsOf, workloadsOf } from "./read/run-workloads.ts";
import { segmentName, shareOf } from "./read/segments.ts";
import { cameToItsEnd, type Read, type RecordFollower, readShards, type Shard, startsOf } from "./read/shards.ts";
import type { SubmittedTask } from "./read/task-histories.ts";
import { PageStore } from "./stats/page-store.ts";
import { Sample } from "./stats/sample.ts";
import { conclude } from "./validity/conclude.ts";
import { queueGrowth, saturatedWorkloads } from "./validity/queue-growth.ts";
import { steadinessOfRun } from "./validity/run-steadiness.ts";
import { saturationInWords } from "./validity/saturation.ts";
import { type Evidence, fullSeconds, lateShareOf, shardValidity, validityOf } from "./validity/validity.ts";
import { OptionalSections } from "./whole-result.ts";

export interface LoadInput {
  /** One per machine; their requests are pooled, so that merging is exact. */
  readonly shards: readonly Shard[];
  /** The objectives, as the user writes them; see `objectivesOf`. */
  readonly slos: readonly string[];
  readonly target: string;
  readonly scenario: string;
  /** The load in words, such as `20/s poisson for 30s`. */
  readonly shape: string;
  /** Name and version of what made the result. */
  readonly tool: string;
  /** What came of checking exchanges of it against the specification; absent when that was not asked for. */
  readonly check?: SampleCheck;
  /** The shards are to be a whole load, of which a segment may be missing; absent: where there are several. */
  readonly isMerged?: boolean;
}

/** A run with what its result was computed from. */
export interface AnalyzedLoad {
  readonly run: RunResult;
  readonly read: Read;
  readonly span: Span;
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
}

/** How the files of a run are read. */
export interface Reading {
  /** Is told of the lines of the records as they are read. */
  readonly follow?: RecordFollower | undefined;
  /** Where what is kept of each record goes; absent: in memory. */
  readonly store?: PageStore;
}

/**
 * Summarizes a load run.
 * @throws UsageError for an SLO that cannot be read; whatever is wrong with the files becomes the verdict INVALID
 */
export const summarizeLoad = async (input: LoadInput, reading: Reading = {}): Promise<RunResult> =>
  (await analyzeLoad(input, reading)).run;

/**
 * The same, with what the result was computed from.
 */
export async function analyzeLoad(
  input: LoadInput,
  { follow, store = new PageStore() }: Reading = {},
): Promise<AnalyzedLoad> {
  const slos = input.slos.map(parseSlo);
  const bounds = requestBounds(slos);
  const read = await readShards(input.shards, (record, clock) => checkRequest(record, bounds, clock), {
    follow,
    store,
  });
  const tasks = () => read.video.submitted();
  for (const task of tasks())
    read.units.addTask(task, checkTask(task.figures, bounds, 2 * read.requests.clocks.largest));
  for (const task of tasks()) {
    const unit = read.units.unit(task.unit);
    read.failed.addTask(unit);
    read.series.addTask(task, unit, unit.measured);
  }
  const { requests, units } = read;
  const course = courseOf(read, input.isMerged ?? input.shards.length > 1);
  const { interrupted, plan, span } = course;
  const workloads = workloadsOf(plan);
  const tenants = tenantsOf(workloads);
  const mixed = workloads !== undefined;
  const measure = (selection: Omit<Selection, "mixed"> = {}) =>
    measureUnits(read, tasks, course, bounds, { mixed, ...selection });
  const whole = measure();
  const parts = new Map(workloads?.map((workload) => [workload.name, measure({ only: [workload] })] as const));
  const models = new Map(modelsOf(plan)?.names.map((model) => [model, measure({ model })] as const));
  const measured = (part: string | undefined) =>
    part === undefined ? whole : (parts.get(part) ?? models.get(modelOfPart(part) ?? ""));
  const saturation = queueGrowth(read, course);
  const saturated = saturatedWorkloads(read, course, workloads);
  const ofAll = evidenceOf(read, course, whole);
  const evidence = {
    ...ofAll,
    ...(saturation && { saturation }),
    notes: [
      ...ofAll.notes,
      ...[...saturated].map(([name, growth]) => {
        const { offered = 0 } = parts.get(name)?.counts ?? {};
        return `workload ${name}: ${saturationInWords(growth, offered / course.span.seconds)}`;
      }),
    ],
  };
  const aborted = interrupted && read.stop !== undefined ? abortedBy(read.stop, course) : undefined;
  const validity = validityOf(evidence);
  const assessment = {
    interrupted,
    ...(aborted !== undefined && { aborted }),
    validity,
    ...(saturation && { saturation }),
    ...steadinessOfRun(read, course, { validity, saturation }),
    slos: evaluateSlos(slos, measured),
    outages: findOutages(requests, span.origin, store, course.own.faults.interruptions),
    ...failuresIn(read, course, whole.counts),
    ...(input.check && { check: input.check }),
  };
  const optional = new OptionalSections();
  const conversations = await optional.make("conversations", () => conversationsOf(requests, units, { mixed }));
  const cancels = await optional.make("cancels", () => cancelsOf(() => selected(read, tasks, { mixed }, true), store));
  const steps = await optional.make("steps of the rate", () => stepsOf(requests, units, plan, span, store));
  const targetMetrics = await optional.make("metrics of the target", () =>
    targetMetricsOf(
      input.shards.map(({ scrapes }) => scrapes ?? []),
      span.origin,
    ),
  );
  const arrivals = new ArrivalSeries(read.series);
  const windows = windowsOf(
    read,
    span,
    tasks,
    read.shards.map(({ header, client }) => ({ lines: client, startedAt: earliest([header?.startedAt ?? ""]) })),
    (unit) => arrivals.add(unit),
  );
  const charts = await optional.make("charts", () =>
    chartsOf(chartSourcesOf(read, course, { workloads, arrivals, counts: whole.counts })),
  );
  const run: RunResult = {
    ...headOf(input, read),
    durationS: span.seconds,
    segments: input.shards.length,
    ...(read.shards.length > 1 && { shards: shardsOf(read, evidence) }),
    settings: plan,
    ...conclude(assessment, slos),
    ...assessment,
    counts: whole.counts,
    metrics: whole.metrics,
    ...(workloads && {
      parts: Object.fromEntries(
        workloads.map((workload) => {
          const { counts, metrics } = parts.get(workload.name) ?? whole;
          const own = conversationsOf(requests, units, { mixed, only: [workload] });
          const growth = saturated.get(workload.name);
          return [
            workload.name,
            { counts, metrics, ...(own && { conversations: own }), ...(growth && { saturation: growth }) },
          ] as const;
        }),
      ),
    }),
    ...(tenants && {
      tenants: Object.fromEntries(
        [...tenants].map(([name, own]) => {
          const { counts, metrics } = measure({ only: own });
          return [name, { workloads: own.map((workload) => workload.name), counts, metrics }] as const;
        }),
      ),
    }),
    ...(models.size > 0 && {
      models: Object.fromEntries(
        [...models].map(([name, { counts, metrics }]) => [name, { counts, metrics }] as const),
      ),
    }),
    ...(cancels && { cancels }),
    ...(steps && { steps }),
    ...(conversations && { conversations }),
    ops: byOp(read, course, workloads),
    ...(Object.keys(requests.flags).length > 0 && { flags: requests.flags }),
    requests: read.notable.of(span.origin),
    windows,
    ...(charts && { charts }),
    ...(targetMetrics && { targetMetrics }),
    client: clientOf(read.clients, requests),
    ...(optional.unmade.length > 0 && { unmade: optional.unmade }),
  };
  return { run: { ...run, slos: withCauses(run) }, read, span, bounds };
}

/** What was run, when and with what; of shards, as the first one states it. */
function headOf({ target, scenario, shape, tool }: LoadInput, { headers: [first, ...others] }: Read) {
  const startedAt = [first, ...others].flatMap((header) => header?.startedAt ?? []).sort()[0] ?? "";
  const k6 = first?.k6 === undefined ? {} : { k6: first.k6 };
  return {
    schema: "assay.load/1" as const,
    target,
    scenario,
    shape,
    seed: first?.seed ?? null,
    startedAt,
    tool,
    ...k6,
  };
}

/** What was measured of the whole load, with the arrivals of absent segments: so many of those that never started. */
type Whole = Measured & { readonly lost: number };

/** How a run went: what of its plan took place, and when. */
interface Course {
  readonly plan: RunResult["settings"];
  readonly span: Span;
  readonly interrupted: boolean;
  /** Segments of which no records, or not all, are there. */
  readonly absent: Absent;
  /** When the load generators themselves can have failed units of work, and the share of the time for which one was late. */
  readonly own: { readonly faults: OwnFaults; readonly lateShare: number };
}

function courseOf({ requests, clients, headers, shards }: Read, isMerged: boolean): Course {
  const plan: RunResult["settings"] = headers[0]?.settings ?? {};
  const interrupted = !clients.every(cameToItsEnd);
  const offered = clients.reduce((sum, lines) => sum + (lines.at(-1)?.offered.measure ?? 0), 0);
  const segments = headers.flatMap(({ segment }) => segment ?? []);
  const share = segments.length === 0 ? 1 : shareOf(segments);
  const bounded = plan.maxRequests !== undefined && offered >= Math.floor(plan.maxRequests * share);
  const starts = startsOf(clients);
  const span = measuredSpan(requests, plan, {
    startedAt: earliest(headers.map(({ startedAt }) => startedAt)),
    scheduleStartedAt: starts.length === 0 ? undefined : Math.min(...starts),
    lastStartedAt: starts.length === 0 ? undefined : Math.max(...starts),
    cutShort: interrupted || bounded,
  });
  const present = shards.map(({ header, client }) => ({ segment: header?.segment ?? undefined, client }));
  return {
    plan,
    span,
    interrupted,
    absent: absentOf(isMerged ? present : [], isClosed(plan)),
    own: {
      faults: ownFaults(shards),
      lateShare: clients.reduce((most, lines) => Math.max(most, lateShareOf(lines)), 0),
    },
  };
}

function ownFaults(shards: Read["shards"]): OwnFaults {
  const startOf = (header: RecordHeader | undefined) => readInstant(header?.startedAt ?? "");
  const interruptions = shards.flatMap(({ header, client }) => interruptionsOf(client, startOf(header)));
  const full = shards.flatMap(({ header, client }) => fullSeconds(client, startOf(header)));
  return {
    interruptions: new Interruptions(interruptions),
    unable: new Interruptions([...interruptions, ...full]),
  };
}

/** Whether users make their own arrivals, at least those of one workload. */
const isClosed = ({ vus, workload }: RunResult["settings"]): boolean =>
  vus !== undefined || (workload?.workloads ?? []).some(({ settings }) => settings["vus"] !== undefined);

/** Why Assay ended a run before its time, as the result states it. */
const abortedBy = ({ t, expr, reason }: Stop, { span }: Course): NonNullable<RunResult["aborted"]> => ({
  atS: t,
  phase: span.origin + t * 1_000 < span.from ? "warmup" : "measure",
  ...(expr !== undefined && { expr }),
  reason,
});

function measureUnits(
  read: Read,
  tasks: Tasks,
  { span, interrupted, absent, own }: Course,
  bounds: readonly Slo[],
  selection: Selection,
): Whole {
  const { requests, units, store } = read;
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
  // A task is timed from the first of its calls to the end of the last.
  const late = 2 * requests.clocks.largest;
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
function* selected({ units }: Read, tasks: Tasks, selection: Selection, measured: boolean): Generator<SubmittedTask> {
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
function arrivalsCounted(clients: Read["clients"]): { readonly offered: number; readonly started: number } | undefined {
  const last = clients.flatMap((lines) => lines.at(-1) ?? []);
  if (last.length < clients.length || last.length === 0) return undefined;
  return {
    offered: last.reduce((sum, line) => sum + line.offered.measure, 0),
    started: last.reduce((sum, line) => sum + line.started.measure, 0),
  };
}

/** Every arrival that started must be told of by a request or a line, unless the run was cut short. */
function untold({ clients, units }: Read, { interrupted }: Course, counts: Counts): string[] {
  const started = arrivalsCounted(clients)?.started ?? counts.started;
  if (interrupted || !units.numbered || started === counts.started) return [];
  return [`${started} arrivals of the measured time started, but the records tell of ${counts.started}`];
}

function evidenceOf(read: Read, course: Course, { counts, lost }: Whole): Evidence {
  const { requests, damage, notes, shards } = read;
  const { span, absent } = course;
  const isMissing = absent.missing.length > 0;
  const words = absentInWords(absent, lost);
  const responses = shards.map((_, index) => requests.responses(index));
  return {
    damage: [...damage, ...untold(read, course, counts), ...(isMissing ? words : [])],
    responses: responses.reduce(addResponses, NO_RESPONSES),
    offered: counts.offered,
    notStarted: counts.not_started - lost,
    seconds: span.seconds,
    lagMs: requests.sample("schedule_lag"),
    slotWaitMs: requests.sample("slot_wait"),
    threw: thrownIn(read.failed.groups()),
    shards: shards.map((shard, index) => ({
      ...(shards.length > 1 && { name: nameOf(shard, index) }),
      responses: responses[index] ?? NO_RESPONSES,
      clientFaults: requests.clientFaults[index] ?? new Map(),
      // Of a single shard, the sample of all, whose figures are known.
      lagMs: requests.sample("schedule_lag", {}, shards.length > 1 ? index : undefined),
      client: shard.client,
    })),
    notes: [...notes, ...(isMissing ? [] : words), ...cutByDrain(course, counts)],
  };
}

/** Arrivals whose scenario threw, those of the warm-up with them. */
function thrownIn(groups: readonly FailureGroup[]): Evidence["threw"] {
  const threw = groups.filter(({ op, outcome }) => op === ARRIVAL && outcome === "threw");
  const count = threw.reduce((sum, group) => sum + group.count, 0);
  return count === 0 ? undefined : { count, reason: threw[0]?.reason ?? "without saying why" };
}

const NO_RESPONSES: Responses = { requests: 0, answered: 0, clientErrors: 0 };

const addResponses = (a: Responses, b: Responses): Responses => ({
  requests: a.requests + b.requests,
  answered: a.answered + b.answered,
  clientErrors: a.clientErrors + b.clientErrors,
});

/** What failed, and whether the target refused everything. */
function failuresIn({ failed }: Read, { span, plan }: Course, counts: Counts) {
  const context = { origin: span.origin, offered: counts.offered, settings: plan };
  const [groups, totals] = [failed.groups(), failed.totals()];
  return omitUndefined<Pick<RunResult, "failures" | "refused">>({
    failures: failuresOf(groups, totals, context),
    refused: refusalOf(groups, totals, context),
  });
}

/** Units of work that our own drain may cut off before the run says so. */
const UNFINISHED_SHARE = 0.01;

function cutByDrain({ interrupted, plan }: Course, { unfinished, offered }: Counts): string[] {
  if (interrupted || unfinished <= offered * UNFINISHED_SHARE) return [];
  const drain = plan.drain === undefined ? "" : ` of ${formatDuration(plan.drain)}`;
  return [
    `${unfinished} of ${plural(offered, "request")} were still unfinished at the end of the drain${drain}; raise --set drain`,
  ];
}

const nameOf = ({ header }: Read["shards"][number], index: number): string =>
  header?.segment ? segmentName(header.segment) : `${index + 1}`;

function shardsOf(read: Read, evidence: Evidence): RunResult["shards"] {
  return evidence.shards.map((shard, index) => {
    const last = shard.client.at(-1);
    const lag = shard.lagMs.quantile(990);
    return {
      segment: shard.name ?? "",
      startedAt: read.shards[index]?.header?.startedAt ?? "",
      verdict: shardValidity(shard, evidence),
      offered: last?.offered.measure ?? 0,
      started: last?.started.measure ?? 0,
      ...(!Number.isNaN(lag) && { lagP99Ms: lag }),
    };
  });
}

function earliest(instants: readonly string[]): number | undefined {
  const known = instants.map(readInstant).filter((instant) => !Number.isNaN(instant));
  return known.length === 0 ? undefined : Math.min(...known);
}

function chartSourcesOf(
  { requests, series, units, store }: Read,
  { span }: Course,
  {
    workloads,
    arrivals,
    counts,
  }: {
    readonly workloads: readonly RunWorkload[] | undefined;
    readonly arrivals: ArrivalSeries;
    readonly counts: Counts;
  },
): Parameters<typeof chartsOf>[0] {
  const tenants = [...(tenantsOf(workloads) ?? [])];
  return {
    ...{ requests, series, arrivals, span },
    tenants: new Map(tenants.map(([name, own]) => [name, own.map((workload) => workload.name)])),
    waits: ({ ops, workloads: names, models }) => {
      if (counts.not_started === 0) return () => Sample.of([]);
      const only = workloads?.filter(
        (workload) => (names?.includes(workload.name) ?? true) && (ops?.some((op) => canSend(workload, op)) ?? true),
      );
      const [model] = models ?? [];
      return waitsOf(
        { units, span, store },
        { mixed: workloads !== undefined, ...(only && { only }), ...(model !== undefined && { model }) },
      );
    },
  };
}

function byOp(
  { requests, units, store }: Read,
  { span }: Course,
  workloads: readonly RunWorkload[] | undefined,
): RunResult["ops"] {
  const entries = requests.ops().map((op) => {
    const only = workloads?.filter((workload) => canSend(workload, op));
    const waits = waitsOf({ units, span, store }, { mixed: workloads !== undefined, ...(only && { only }) });
    return [
      op,
      { calls: countCalls(requests, { ops: [op] }), metrics: inOrder(latencies(requests, waits, { ops: [op] })) },
    ] as const;
  });
  return Object.fromEntries(entries);
}

function clientOf(clients: readonly ClientLine[][], requests: Requests): ClientHealth {
  const lag = requests.sample("schedule_lag").quantile(990);
  return omitUndefined<ClientHealth>({
    ...joinHealth(clients.map(healthOf)),
    lagP99Ms: Number.isNaN(lag) ? undefined : lag,
    reused: requests.length === 0 ? undefined : requests.reused,
    resent: requests.length === 0 ? undefined : requests.resent,
  });
}
