/** From the files of a load run, or of several shards of one, to its result. */

import type { ClientHealth, Counts, RunResult, SampleCheck, SloResult } from "../../formats/run.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { parseSlo, type Slo } from "../../load/objectives/slo.ts";
import type { Database } from "../tables/database.ts";
import { evaluateObjectives } from "./evaluate-objectives.ts";
import { abortedBy, type Course, earliest } from "./load-course.ts";
import { evidenceOf, shardsOf } from "./load-evidence.ts";
import {
  type LoadFiles,
  type LoadPart,
  type MeasuredLoad,
  type MeasuredUnits,
  measureLoad,
  tasksOf,
} from "./measured-load.ts";
import { type CanaryAnswers, canaryAnswers, canaryMetric } from "./metrics/canary-answers.ts";
import { chartsOf } from "./metrics/chart-groups.ts";
import { healthOf, joinHealth } from "./metrics/client-health.ts";
import { costOf } from "./metrics/cost.ts";
import { failuresOf, refusalOf, warmupFailuresOf } from "./metrics/explain-failures.ts";
import { withCauses } from "./metrics/explain-objectives.ts";
import { failedAddresses } from "./metrics/failed-addresses.ts";
import { leftClients } from "./metrics/left-work.ts";
import { findOutages } from "./metrics/outages.ts";
import { stepsOf } from "./metrics/rate-stages.ts";
import { requestBounds } from "./metrics/request-bounds.ts";
import type { Span } from "./metrics/span.ts";
import { type BusyReading, targetMetricsOf } from "./metrics/target-metrics.ts";
import { waitsOf } from "./metrics/unit-counts.ts";
import { cancelsOf } from "./metrics/video-metrics.ts";
import { windowsOf } from "./metrics/windows.ts";
import { type FailureGroup, failureGroups, type OpTotal, opTotals } from "./read/failed-requests.ts";
import type { Requests } from "./read/measured-requests.ts";
import { notableRequests } from "./read/notable-requests.ts";
import { canSend } from "./read/run-workloads.ts";
import type { Read } from "./read/shards.ts";
import { regionsOf } from "./regions.ts";
import { type EarlierInputs, inputsOf, timesByConnectionOf } from "./repeated-inputs.ts";
import { nearestRank } from "./stats/quantiles.ts";
import { Sample } from "./stats/sample.ts";
import { conclude } from "./validity/conclude.ts";
import { queueGrowth, saturatedWorkloads } from "./validity/queue-growth.ts";
import { steadinessOfRun } from "./validity/run-steadiness.ts";
import { saturationInWords } from "./validity/saturation.ts";
import { type Evidence, neverRespondedInWords, validityOf } from "./validity/validity.ts";
import { OptionalSections } from "./whole-result.ts";

export interface LoadInput extends LoadFiles {
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
  /** What was sent before the load; absent: it is not asked for. */
  readonly earlier?: EarlierInputs | undefined;
}

/** A run with what its result was computed from. */
export interface AnalyzedLoad {
  readonly run: RunResult;
  readonly read: Read;
  readonly span: Span;
  /** The bounds that hold for each request. */
  readonly bounds: readonly Slo[];
}

/**
 * Summarizes a load run.
 * @param database an empty one, in whose tables the run is
 * @throws UsageError for an SLO that cannot be read; whatever is wrong with the files becomes the verdict INVALID
 */
export const summarizeLoad = async (input: LoadInput, database: Database): Promise<RunResult> =>
  (await analyzeLoad(input, database)).run;

/**
 * The same, with what the result was computed from.
 */
export async function analyzeLoad(input: LoadInput, database: Database): Promise<AnalyzedLoad> {
  const slos = input.slos.map(parseSlo);
  const bounds = requestBounds(slos);
  const load = await measureLoad(input, bounds, database);
  const { read, course } = load;
  const saturated = await saturatedWorkloads(read, course, load.workloads);
  const failures = await failureGroups(database);
  const evidence = await withSaturation(load, saturated, failures);
  const canary = await canaryAnswers(
    input.shards.map((shard) => shard.canary ?? []),
    course.span.origin,
  );
  const assessment = await assess(input, load, slos, { evidence, canary, failures });
  const { requests } = read;
  const { counts, metrics } = await load.whole.units;
  const regions = await regionsOf(read);
  const inputs = await inputsOf(database, input.earlier);
  const connections = await timesByConnectionOf(requests);
  const run: RunResult = {
    ...headOf(input, read),
    durationS: course.span.seconds,
    segments: input.shards.length,
    ...(read.shards.length > 1 && { shards: shardsOf(read, evidence) }),
    settings: course.plan,
    ...conclude({ ...assessment, settings: course.plan, flags: requests.facts.flags, counts, metrics, inputs }, slos),
    ...assessment,
    counts,
    metrics: { ...metrics, ...canaryMetric(canary) },
    ...(canary && { canary }),
    ...(await partsOf(load, saturated)),
    ...(regions && { regions }),
    ...(inputs && { inputs }),
    ...(connections && { connections }),
    ops: await opsOf(load),
    ...(Object.keys(requests.facts.flags).length > 0 && { flags: requests.facts.flags }),
    requests: await notableRequests(database, course.span.origin),
    ...(await seriesOf(input, load, evidence.saturation !== undefined)),
    client: await clientOf(read.clients, requests),
  };
  const explained = await explainMissed(load, run.slos);
  return {
    run: { ...run, slos: withCauses(run, ({ expr }) => explained.get(expr)) },
    read,
    span: course.span,
    bounds,
  };
}

/** Of the missed objectives on values of single requests, by what those that exceed the bound differ from the others. */
async function explainMissed(load: MeasuredLoad, results: readonly SloResult[]): Promise<ReadonlyMap<string, string>> {
  const explained = new Map<string, string>();
  for (const { expr, ok } of results) {
    const slo = parseSlo(expr);
    const sentence = ok === false ? await load.named(slo.part)?.explain(slo) : undefined;
    if (sentence !== undefined) explained.set(expr, sentence);
  }
  return explained;
}

/** What each operation of the measured phase came to. */
async function opsOf(load: MeasuredLoad): Promise<RunResult["ops"]> {
  const ops: Record<string, RunResult["ops"][string]> = {};
  for (const op of load.read.requests.ops()) {
    const part = load.measureOp(op);
    ops[op] = { calls: await part.calls, metrics: await part.latencies() };
  }
  return ops;
}

type Saturated = Awaited<ReturnType<typeof saturatedWorkloads>>;

/** The evidence of a load, with what is known of the queue of the target. */
async function withSaturation(
  load: MeasuredLoad,
  saturated: Saturated,
  failures: readonly FailureGroup[],
): Promise<Evidence> {
  const { read, course, byWorkload } = load;
  const evidence = await evidenceOf(load, failures);
  const saturation = await queueGrowth(read, course);
  const notes: string[] = [];
  for (const [name, growth] of saturated) {
    const { offered = 0 } = (await byWorkload.get(name)?.units)?.counts ?? {};
    notes.push(`workload ${name}: ${saturationInWords(growth, offered / course.span.seconds)}`);
  }
  return { ...evidence, ...(saturation && { saturation }), notes: [...evidence.notes, ...notes] };
}

interface Assessed {
  readonly evidence: Evidence;
  readonly canary: CanaryAnswers | undefined;
  readonly failures: readonly FailureGroup[];
}

/** What the result concludes from. */
async function assess(
  { check, steady }: LoadInput,
  load: MeasuredLoad,
  slos: readonly Slo[],
  { evidence, canary, failures }: Assessed,
) {
  const { read, course } = load;
  const { interrupted, span, own } = course;
  const { saturation } = evidence;
  const aborted = interrupted && read.stop !== undefined ? abortedBy(read.stop, course) : undefined;
  const validity = validityOf(evidence);
  const outages = await findOutages(read.requests, span.origin, own.faults.interruptions);
  const { counts } = await load.whole.units;
  return {
    interrupted,
    ...(aborted !== undefined && { aborted }),
    validity,
    ...(saturation && { saturation }),
    ...(await steadinessOfRun(read, course, { validity, saturation })),
    ...(steady && { leftOut: steady.leftOut }),
    slos: await evaluateObjectives(load, slos, { outages, canary, grows: saturation !== undefined }),
    outages,
    ...interruptionsIn(course),
    ...failuresIn(failures, await opTotals(read.database), course, counts),
    ...omitUndefined<Pick<RunResult, "unanswered" | "addresses">>({
      unanswered: neverRespondedInWords(evidence),
      addresses: await failedAddresses(read.database),
    }),
    ...(check && { check }),
  };
}

/** The units of work of each workload, tenant and model. */
async function partsOf(
  load: MeasuredLoad,
  saturated: Saturated,
): Promise<Pick<RunResult, "parts" | "tenants" | "models">> {
  const { byWorkload, byTenant, byModel } = load;
  const each = async <T>(
    parts: typeof byWorkload,
    more: (part: LoadPart, name: string) => T | Promise<T>,
  ): Promise<Record<string, Pick<MeasuredUnits, "counts" | "metrics"> & T>> => {
    const made: Record<string, Pick<MeasuredUnits, "counts" | "metrics"> & T> = {};
    for (const [name, part] of parts) {
      const { counts, metrics } = await part.units;
      made[name] = { counts, metrics, ...(await more(part, name)) };
    }
    return made;
  };
  return {
    ...(load.workloads && {
      parts: await each(byWorkload, async (part, name) => {
        const conversations = await part.conversations;
        const saturation = saturated.get(name);
        return { ...(conversations && { conversations }), ...(saturation && { saturation }) };
      }),
    }),
    ...(byTenant.size > 0 && {
      tenants: await each(byTenant, ({ selection }) => ({ workloads: (selection.only ?? []).map(({ name }) => name) })),
    }),
    ...(byModel.size > 0 && { models: await each(byModel, () => ({})) }),
  };
}

/** The run over time, and sections that the rest of the result can do without. */
async function seriesOf({ shards }: LoadInput, load: MeasuredLoad, grew: boolean) {
  const { read, whole, course } = load;
  const { plan, span } = course;
  const { requests } = read;
  const tasks = tasksOf(read, whole.selection);
  const optional = new OptionalSections();
  const conversations = await optional.make("conversations", () => whole.conversations);
  const cost = await optional.make("cost", async () => {
    const { counts, metrics } = await whole.units;
    return costOf(read.database, { settings: plan, counts, metrics, workloads: load.workloads });
  });
  const cancels = await optional.make("cancels", () => cancelsOf(tasks));
  const steps = await optional.make("steps of the rate", () => stepsOf(requests, plan, span));
  const readings: BusyReading[] = [];
  const targetMetrics = await optional.make("metrics of the target", () =>
    targetMetricsOf(
      shards.map(({ scrapes }) => scrapes ?? []),
      span.origin,
      (reading) => readings.push(reading),
    ),
  );
  const left = await optional.make("clients that left", () => leftClients(requests, span, readings, grew));
  const clients = read.shards.map(({ header, client }) => ({
    lines: client,
    startedAt: earliest([header?.startedAt ?? ""]),
  }));
  const windows = await windowsOf(read, span, tasks, clients);
  const charts = await optional.make("charts", async () => chartsOf(await chartSourcesOf(load)));
  return {
    windows,
    ...(conversations && { conversations }),
    ...(cost && { cost }),
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
function failuresIn(
  groups: readonly FailureGroup[],
  totals: readonly OpTotal[],
  { span, plan }: Course,
  counts: Counts,
) {
  const context = { origin: span.origin, offered: counts.offered, settings: plan };
  return omitUndefined<Pick<RunResult, "failures" | "warmupFailures" | "refused">>({
    failures: failuresOf(groups, totals, context),
    warmupFailures: warmupFailuresOf(groups, totals, context),
    refused: refusalOf(groups, totals, context),
  });
}

async function chartSourcesOf(load: MeasuredLoad): Promise<Parameters<typeof chartsOf>[0]> {
  const { read, workloads, byTenant, course, whole } = load;
  const { span } = course;
  const none = (await whole.units).counts.not_started === 0;
  return {
    ...{ read, span },
    tenants: new Map(
      [...byTenant].map(([name, { selection }]) => [name, (selection.only ?? []).map((workload) => workload.name)]),
    ),
    waits: ({ ops, workloads: names, models }) => {
      if (none) return () => new Sample();
      const only = workloads?.filter(
        (workload) => (names?.includes(workload.name) ?? true) && (ops?.some((op) => canSend(workload, op)) ?? true),
      );
      const [model] = models ?? [];
      const { selection } = load.measure({ ...(only && { only }), ...(model !== undefined && { model }) });
      return waitsOf({ units: read.units, span }, selection);
    },
  };
}

async function clientOf(clients: Read["clients"], requests: Requests): Promise<ClientHealth> {
  const lag = requests.sample("schedule_lag");
  const rank = nearestRank(await lag.count, 990);
  return omitUndefined<ClientHealth>({
    ...joinHealth(clients.map((lines) => healthOf(lines))),
    lagP99Ms: (await lag.at([rank])).get(rank),
    reused: requests.length === 0 ? undefined : requests.facts.reused,
    resent: requests.length === 0 ? undefined : requests.facts.resent,
  });
}
