/** From the files of a load run, or of several shards of one, to its result. */

import type { ClientLine } from "../../formats/client.ts";
import { PARTS, type Part } from "../../formats/outcomes.ts";
import type { ClientHealth, Counts, RunResult } from "../../formats/run.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { readInstant } from "../../settings/instants.ts";
import { formatDuration } from "../../settings/units.ts";
import { plural } from "../numbers.ts";
import { healthOf, joinHealth } from "./metrics/client-health.ts";
import { evaluateSlos, type Measured } from "./metrics/evaluate-slo.ts";
import { failuresOf, refusalOf } from "./metrics/explain-failures.ts";
import { findOutages } from "./metrics/outages.ts";
import { stepsOf } from "./metrics/rate-stages.ts";
import { checkRequest, checkTask, requestBounds } from "./metrics/request-bounds.ts";
import { countCalls, curves, inOrder, latencies, withUnfinished } from "./metrics/request-metrics.ts";
import { parseSlo, type Slo } from "./metrics/slo.ts";
import { evaluateWithDrops } from "./metrics/slo-not-started.ts";
import { measuredSpan, type Span } from "./metrics/span.ts";
import { countBounds, countUnits, type Selection, totals, waitsOf, withUntraced } from "./metrics/unit-counts.ts";
import { videoMetrics, videoWithUnfinished } from "./metrics/video-metrics.ts";
import { windowsOf } from "./metrics/windows.ts";
import type { Requests, Responses } from "./read/request-columns.ts";
import { segmentName, shareOf } from "./read/segments.ts";
import { cameToItsEnd, type Read, readShards, type Shard, startsOf } from "./read/shards.ts";
import type { SubmittedTask } from "./read/task-histories.ts";
import { quantile } from "./stats/quantiles.ts";
import { conclude } from "./validity/conclude.ts";
import { type Evidence, shardValidity, validityOf } from "./validity/validity.ts";

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
}

/**
 * Summarizes a load run.
 * @throws UsageError for an SLO that cannot be read; whatever is wrong with the files becomes the verdict INVALID
 */
export async function summarizeLoad(input: LoadInput): Promise<RunResult> {
  const slos = input.slos.map(parseSlo);
  const bounds = requestBounds(slos);
  const read = await readShards(input.shards, (record) => checkRequest(record, bounds));
  const tasks = read.video.submitted();
  for (const task of tasks) read.units.addTask(task, checkTask(task.figures, bounds));
  for (const { unit } of tasks) read.failed.addTask(read.units.unit(unit));
  const { requests, units } = read;
  const course = courseOf(read);
  const { interrupted, plan, span, stock } = course;
  const mixed = input.scenario === "mixed";
  const measure = (part?: Part): Measured =>
    measureUnits(read, tasks, course, bounds, { mixed, ...(part && { part }) });
  const whole = measure();
  const parts = mixed ? new Map(partsOf(plan).map((part) => [part, measure(part)] as const)) : undefined;
  const measured = (part: Part | undefined) => (part === undefined ? whole : parts?.get(part));
  const evidence = evidenceOf(read, course, whole.counts);
  const assessment = {
    interrupted,
    validity: validityOf(evidence),
    slos: (stock ? evaluateWithDrops : evaluateSlos)(slos, measured),
    outages: findOutages(requests, span.origin),
    ...failuresIn(read, course, whole.counts),
  };
  const steps = stepsOf(requests, units, plan, span);
  return {
    ...headOf(input, read),
    durationS: span.seconds,
    ...(stock && { stock }),
    segments: input.shards.length,
    ...(read.shards.length > 1 && { shards: shardsOf(read, evidence) }),
    settings: plan,
    ...conclude(assessment, slos),
    ...assessment,
    counts: whole.counts,
    metrics: whole.metrics,
    ...(parts && {
      parts: Object.fromEntries([...parts].map(([part, { counts, metrics }]) => [part, { counts, metrics }])),
    }),
    curves: curves(requests, waitsOf(units, span, { mixed })),
    ...(steps && { steps }),
    ops: byOp(read, course, mixed),
    ...(Object.keys(requests.flags).length > 0 && { flags: requests.flags }),
    windows: windowsOf(
      requests,
      units,
      span,
      read.shards.map(({ header, client }) => ({ lines: client, startedAt: earliest([header?.startedAt ?? ""]) })),
    ),
    client: clientOf(read.clients, requests),
  };
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

/** How a run went: what of its plan took place, and when. */
interface Course {
  readonly plan: RunResult["settings"];
  readonly span: Span;
  readonly interrupted: boolean;
  /** Measured by a k6 without the extension. */
  readonly stock: boolean;
}

function courseOf({ requests, clients, headers }: Read): Course {
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
  return { plan, span, interrupted, stock: headers.some((header) => header.stock === true) };
}

/** The parts of a mixed load, in the order in which the mix names them. */
const partsOf = ({ mix = [] }: Course["plan"]): Part[] => mix.map(({ part }) => part).filter(isPart);

const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);

function measureUnits(
  read: Read,
  tasks: readonly SubmittedTask[],
  { span, interrupted }: Course,
  bounds: readonly Slo[],
  selection: Selection,
): Measured {
  const { requests, units } = read;
  const { part } = selection;
  const traced = countUnits(units, selection);
  const counts = part === undefined ? withUntraced(traced, ...untraced(read, traced, interrupted)) : traced;
  const waits = waitsOf(units, span, selection);
  const own = tasks.filter(({ unit }) => {
    const of = units.unit(unit);
    return of.measured && (part === undefined || of.part === part);
  });
  const ops = part === undefined ? undefined : PARTS[part];
  const metrics = inOrder({
    ...latencies(requests, waits, ops),
    ...totals({ requests, units, span, bounds }, counts, selection),
    ...videoMetrics(own, waits),
  });
  return {
    counts,
    metrics,
    withUnfinished: { ...withUnfinished(requests, waits, ops), ...videoWithUnfinished(own, waits) },
    bounds: countBounds({ units, span, bounds }, selection),
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

function evidenceOf(read: Read, course: Course, counts: Counts): Evidence {
  const { requests, damage, notes, shards } = read;
  const { span, stock } = course;
  const responses = shards.map((_, index) => requests.responses(index));
  return {
    damage: [...damage, ...untold(read, course, counts)],
    responses: responses.reduce(addResponses, NO_RESPONSES),
    offered: counts.offered,
    notStarted: counts.not_started,
    seconds: span.seconds,
    lagMs: requests.values("schedule_lag"),
    slotWaitMs: requests.values("slot_wait"),
    stock,
    shards: shards.map((shard, index) => ({
      ...(shards.length > 1 && { name: nameOf(shard, index) }),
      responses: responses[index] ?? NO_RESPONSES,
      clientFaults: requests.clientFaults[index] ?? new Map(),
      lagMs: requests.values("schedule_lag", undefined, index),
      client: shard.client,
    })),
    notes: [...notes, ...cutByDrain(course, counts)],
  };
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
    `${unfinished} of ${plural(offered, "unit")} of work were still unfinished at the end of the drain${drain}; raise --drain`,
  ];
}

const nameOf = ({ header }: Read["shards"][number], index: number): string =>
  header?.segment ? segmentName(header.segment) : `${index + 1}`;

function shardsOf(read: Read, evidence: Evidence): RunResult["shards"] {
  return evidence.shards.map((shard, index) => {
    const last = shard.client.at(-1);
    const lag = quantile(shard.lagMs, 990);
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

function byOp({ requests, units }: Read, { span }: Course, mixed: boolean): RunResult["ops"] {
  const entries = requests.ops().map((op) => {
    const part = Object.keys(PARTS).find((name): name is Part => isPart(name) && PARTS[name].some((own) => own === op));
    const waits = waitsOf(units, span, { mixed, ...(mixed && part && { part }) });
    return [op, { calls: countCalls(requests, op), metrics: inOrder(latencies(requests, waits, [op])) }] as const;
  });
  return Object.fromEntries(entries);
}

function clientOf(clients: readonly ClientLine[][], requests: Requests): ClientHealth {
  const lag = quantile(requests.values("schedule_lag"), 990);
  return omitUndefined<ClientHealth>({
    ...joinHealth(clients.map(healthOf)),
    lagP99Ms: Number.isNaN(lag) ? undefined : lag,
    reused: requests.length === 0 ? undefined : requests.reused,
    resent: requests.length === 0 ? undefined : requests.resent,
  });
}
