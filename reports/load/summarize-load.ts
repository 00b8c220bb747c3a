/** From the files of a load run, or of several shards of one, to its result. */

import type { ClientLine } from "../../formats/client.ts";
import type { ClientHealth, Counts, RunResult, SampleCheck } from "../../formats/run.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { parseSlo, type Slo } from "../../load/objectives/slo.ts";
import { confidenceOf } from "../../load/spec/confidence.ts";
import { abortedBy, type Course, courseOf, earliest } from "./load-course.ts";
import { evidenceOf, shardsOf } from "./load-evidence.ts";
import { type LoadPart, MeasuredLoad, selected } from "./measured-load.ts";
import { type CanaryAnswers, canaryAnswers, canaryMetric } from "./metrics/canary-answers.ts";
import { ArrivalSeries, chartsOf } from "./metrics/chart-groups.ts";
import { healthOf, joinHealth } from "./metrics/client-health.ts";
import { evaluateSlos } from "./metrics/evaluate-slo.ts";
import { failuresOf, refusalOf } from "./metrics/explain-failures.ts";
import { withCauses } from "./metrics/explain-objectives.ts";
import { leftClients } from "./metrics/left-work.ts";
import { findOutages } from "./metrics/outages.ts";
import { stepsOf } from "./metrics/rate-stages.ts";
import { checkRequest, checkTask, requestBounds } from "./metrics/request-bounds.ts";
import type { Span } from "./metrics/span.ts";
import { type BusyReading, targetMetricsOf } from "./metrics/target-metrics.ts";
import { waitsOf } from "./metrics/unit-counts.ts";
import { cancelsOf } from "./metrics/video-metrics.ts";
import { windowsOf } from "./metrics/windows.ts";
import type { Requests } from "./read/request-columns.ts";
import { canSend } from "./read/run-workloads.ts";
import { type Read, type RecordFollower, readShards, type Shard } from "./read/shards.ts";
import { regionsOf } from "./regions.ts";
import { RepeatedInputs } from "./repeated-inputs.ts";
import { PageStore } from "./stats/page-store.ts";
import { Sample } from "./stats/sample.ts";
import { conclude } from "./validity/conclude.ts";
import { queueGrowth, saturatedWorkloads } from "./validity/queue-growth.ts";
import { type SteadyPart, steadinessOfRun } from "./validity/run-steadiness.ts";
import { saturationInWords } from "./validity/saturation.ts";
import { type Evidence, validityOf } from "./validity/validity.ts";
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
  /** The part of its measured time that is steady, where the rest is left out. */
  readonly steady?: SteadyPart | undefined;
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
  const inputs = new RepeatedInputs(store);
  const read = await readLoad(input, bounds, { follow: withInputs(inputs, follow), store });
  const sent = inputs.end();
  const { isMerged = input.shards.length > 1, steady } = input;
  const course = courseOf(read, { isMerged, steady: steady?.span });
  const load = new MeasuredLoad({ read, course, bounds });
  const saturated = saturatedWorkloads(read, course, load.workloads);
  const evidence = withSaturation(load, saturated);
  const canary = await canaryAnswers(
    input.shards.map((shard) => shard.canary ?? []),
    course.span.origin,
  );
  const assessment = assess(input, load, slos, { evidence, canary });
  const { requests } = read;
  const { counts, metrics } = load.whole.units;
  const regions = regionsOf(read);
  const run: RunResult = {
    ...headOf(input, read),
    durationS: course.span.seconds,
    segments: input.shards.length,
    ...(read.shards.length > 1 && { shards: shardsOf(read, evidence) }),
    settings: course.plan,
    ...conclude({ ...assessment, settings: course.plan }, slos),
    ...assessment,
    counts,
    metrics: { ...metrics, ...canaryMetric(canary) },
    ...(canary && { canary }),
    ...partsOf(load, saturated),
    ...(regions && { regions }),
    ...(sent && { inputs: sent }),
    ops: Object.fromEntries(
      requests.ops().map((op) => {
        const { calls, latencies } = load.measureOp(op);
        return [op, { calls, metrics: latencies }] as const;
      }),
    ),
    ...(Object.keys(requests.flags).length > 0 && { flags: requests.flags }),
    requests: read.notable.of(course.span.origin),
    ...(await seriesOf(input, load, evidence.saturation !== undefined)),
    client: clientOf(read.clients, requests),
  };
  return {
    run: { ...run, slos: withCauses(run, (slo) => load.named(slo.part)?.explain(slo)) },
    read,
    span: course.span,
    bounds,
  };
}

/** Is told of all that another follower is told of, and tells what was sent. */
const withInputs = (inputs: RepeatedInputs, follow: RecordFollower | undefined): RecordFollower => ({
  header: (header) => follow?.header(header),
  gaps: (gaps) => follow?.gaps(gaps),
  request: (record) => {
    inputs.request(record);
    follow?.request(record);
  },
});

/** Reads the files, then adds what only the tasks of all of them tell. */
async function readLoad(
  { shards, steady }: LoadInput,
  bounds: readonly Slo[],
  { follow, store }: Pick<Required<Reading>, "store"> & Reading,
): Promise<Read> {
  const reading = { follow, store, steadyFrom: steady?.span.from };
  const read = await readShards(shards, (record, clock) => checkRequest(record, bounds, clock), reading);
  const late = 2 * read.requests.clocks.largest;
  for (const task of read.video.submitted()) read.units.addTask(task, checkTask(task.figures, bounds, late));
  for (const task of read.video.submitted()) {
    const unit = read.units.unit(task.unit);
    read.failed.addTask(unit);
    read.series.addTask(task, unit, unit.measured);
  }
  return read;
}

type Saturated = ReturnType<typeof saturatedWorkloads>;

/** The evidence of a load, with what is known of the queue of the target. */
function withSaturation(load: MeasuredLoad, saturated: Saturated): Evidence {
  const { read, course, byWorkload } = load;
  const evidence = evidenceOf(load);
  const saturation = queueGrowth(read, course);
  const ofWorkloads = [...saturated].map(([name, growth]) => {
    const { offered = 0 } = byWorkload.get(name)?.units.counts ?? {};
    return `workload ${name}: ${saturationInWords(growth, offered / course.span.seconds)}`;
  });
  return { ...evidence, ...(saturation && { saturation }), notes: [...evidence.notes, ...ofWorkloads] };
}

/** What the result concludes from. */
function assess(
  { check, steady }: LoadInput,
  load: MeasuredLoad,
  slos: readonly Slo[],
  { evidence, canary }: { readonly evidence: Evidence; readonly canary: CanaryAnswers | undefined },
) {
  const { read, course } = load;
  const { interrupted, span, own } = course;
  const { saturation } = evidence;
  const aborted = interrupted && read.stop !== undefined ? abortedBy(read.stop, course) : undefined;
  const validity = validityOf(evidence);
  const outages = findOutages(read.requests, span.origin, read.store, own.faults.interruptions);
  return {
    interrupted,
    ...(aborted !== undefined && { aborted }),
    validity,
    ...(saturation && { saturation }),
    ...steadinessOfRun(read, course, { validity, saturation }),
    ...(steady && { leftOut: steady.leftOut }),
    slos: evaluateSlos(
      slos,
      (name) => {
        const measured = load.named(name)?.units;
        return measured && { ...measured, metrics: { ...measured.metrics, ...canaryMetric(canary) } };
      },
      {
        beyondOf: (slo) => load.named(slo.part)?.beyond(slo),
        windowsOf: (slo) => load.named(slo.part)?.windows(slo),
        recoveryOf: (slo) => load.named(slo.part)?.recovery(slo, slos, outages),
        confidence: confidenceOf(course.plan),
        alikeOf: (slo) => load.named(slo.part)?.alike(slo),
        grows: saturation !== undefined,
      },
    ),
    outages,
    ...interruptionsIn(course),
    ...failuresIn(read, course, load.whole.units.counts),
    ...(check && { check }),
  };
}

/** The units of work of each workload, tenant and model. */
function partsOf(load: MeasuredLoad, saturated: Saturated): Pick<RunResult, "parts" | "tenants" | "models"> {
  const { byWorkload, byTenant, byModel } = load;
  const each = <T>(
    parts: typeof byWorkload,
    more: (part: LoadPart, name: string) => T,
  ): Record<string, Pick<LoadPart["units"], "counts" | "metrics"> & T> =>
    Object.fromEntries(
      [...parts].map(([name, part]) => {
        const { counts, metrics } = part.units;
        return [name, { counts, metrics, ...more(part, name) }];
      }),
    );
  return {
    ...(load.workloads && {
      parts: each(byWorkload, ({ conversations }, name) => {
        const saturation = saturated.get(name);
        return { ...(conversations && { conversations }), ...(saturation && { saturation }) };
      }),
    }),
    ...(byTenant.size > 0 && {
      tenants: each(byTenant, ({ selection }) => ({ workloads: (selection.only ?? []).map(({ name }) => name) })),
    }),
    ...(byModel.size > 0 && { models: each(byModel, () => ({})) }),
  };
}

/** The run over time, and sections that the rest of the result can do without. */
async function seriesOf({ shards }: LoadInput, load: MeasuredLoad, grew: boolean) {
  const { read, tasks, whole, course } = load;
  const { plan, span } = course;
  const optional = new OptionalSections();
  const conversations = await optional.make("conversations", () => whole.conversations);
  const cancels = await optional.make("cancels", () =>
    cancelsOf(() => selected(read, tasks, whole.selection, true), read.store),
  );
  const steps = await optional.make("steps of the rate", () =>
    stepsOf(read.requests, read.units, plan, span, read.store),
  );
  const readings: BusyReading[] = [];
  const targetMetrics = await optional.make("metrics of the target", () =>
    targetMetricsOf(
      shards.map(({ scrapes }) => scrapes ?? []),
      span.origin,
      (reading) => readings.push(reading),
    ),
  );
  const left = await optional.make("clients that left", () => leftClients(read.requests, span, readings, grew));
  const arrivals = new ArrivalSeries(read.series);
  const windows = windowsOf(
    read,
    span,
    tasks,
    read.shards.map(({ header, client }) => ({ lines: client, startedAt: earliest([header?.startedAt ?? ""]) })),
    (unit) => arrivals.add(unit),
  );
  const charts = await optional.make("charts", () => chartsOf(chartSourcesOf(load, arrivals)));
  return {
    windows,
    ...(conversations && { conversations }),
    ...(cancels && { cancels }),
    ...(left && { left }),
    ...(steps && { steps }),
    ...(charts && { charts }),
    ...(targetMetrics && { targetMetrics }),
    ...(optional.unmade.length > 0 && { unmade: optional.unmade }),
  };
}

/** What was run, when and with what; of shards, as the first one states it. */
function headOf({ target, scenario, shape, tool }: LoadInput, { headers: [first, ...others] }: Read) {
  const startedAt = [first, ...others].flatMap((header) => header?.startedAt ?? []).sort()[0] ?? "";
  const k6 = first?.k6 === undefined ? {} : { k6: first.k6 };
  const k6Sha256 = [...new Set([first, ...others].flatMap((header) => header?.k6Sha256 ?? []))];
  return {
    schema: "assay.load/1" as const,
    target,
    scenario,
    shape,
    seed: first?.seed ?? null,
    ...(first?.settings.promptSeed !== undefined && { promptSeed: first.settings.promptSeed }),
    startedAt,
    tool,
    ...k6,
    ...(k6Sha256.length > 0 && { k6Sha256 }),
  };
}

/** When a load generator did not run. */
function interruptionsIn({ own, span }: Course): Pick<RunResult, "interruptions"> {
  const { all } = own.faults.interruptions;
  const second = (instant: number): number => Number(((instant - span.origin) / 1_000).toFixed(3));
  return all.length === 0
    ? {}
    : { interruptions: all.map(({ from, to }) => ({ fromS: second(from), toS: second(to) })) };
}

/** What failed, and whether the target refused everything. */
function failuresIn({ failed }: Read, { span, plan }: Course, counts: Counts) {
  const context = { origin: span.origin, offered: counts.offered, settings: plan };
  const [groups, totals] = [failed.groups(), failed.totals()];
  return omitUndefined<Pick<RunResult, "failures" | "refused">>({
    failures: failuresOf(groups, totals, context),
    refused: refusalOf(groups, totals, context),
  });
}

function chartSourcesOf(load: MeasuredLoad, arrivals: ArrivalSeries): Parameters<typeof chartsOf>[0] {
  const { read, workloads, byTenant, course, whole } = load;
  const { span } = course;
  const { requests, series, units, store } = read;
  const none = whole.units.counts.not_started === 0;
  return {
    ...{ requests, series, arrivals, span },
    tenants: new Map(
      [...byTenant].map(([name, { selection }]) => [name, (selection.only ?? []).map((workload) => workload.name)]),
    ),
    waits: ({ ops, workloads: names, models }) => {
      if (none) return () => Sample.of([]);
      const only = workloads?.filter(
        (workload) => (names?.includes(workload.name) ?? true) && (ops?.some((op) => canSend(workload, op)) ?? true),
      );
      const [model] = models ?? [];
      const { selection } = load.measure({ ...(only && { only }), ...(model !== undefined && { model }) });
      return waitsOf({ units, span, store }, selection);
    },
  };
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
