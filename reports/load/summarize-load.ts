/** From the files of a load run, or of several shards of one, to its result. */

import type { ClientLine } from "../../formats/client.ts";
import type { ClientHealth, Counts, RunResult } from "../../formats/run.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { readInstant } from "../../settings/instants.ts";
import { healthOf, joinHealth } from "./metrics/client-health.ts";
import { failuresOf, refusalOf } from "./metrics/failures.ts";
import { findOutages } from "./metrics/outages.ts";
import { stepsOf } from "./metrics/rate-stages.ts";
import { countOutcomes, curves, inOrder, latencies, type Metrics, totals } from "./metrics/request-metrics.ts";
import { evaluateSlo, meetsBounds, parseSlo } from "./metrics/slo.ts";
import { evaluateWithDrops } from "./metrics/slo-not-started.ts";
import { measuredSpan, type Span } from "./metrics/span.ts";
import { videoMetrics } from "./metrics/video-metrics.ts";
import { windowsOf } from "./metrics/windows.ts";
import type { Requests } from "./read/request-columns.ts";
import { segmentName, shareOf } from "./read/segments.ts";
import { cameToItsEnd, type Read, readShards, type Shard, startsOf } from "./read/shards.ts";
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
  const read = await readShards(input.shards, (record) => meetsBounds(record, slos));
  const { requests } = read;
  const course = courseOf(read);
  const { counts, interrupted, plan, span, stock } = course;
  const metrics = metricsOf(read, course);
  const evidence = evidenceOf(read, course);
  const assessment = {
    interrupted,
    validity: validityOf(evidence),
    slos: slos.map((slo) => (stock ? evaluateWithDrops(slo, metrics, counts) : evaluateSlo(slo, metrics))),
    outages: findOutages(requests, span.origin),
    ...failuresIn(read, course),
  };
  const steps = stepsOf(requests, plan, span);
  return {
    ...headOf(input, read),
    durationS: span.seconds,
    ...(stock && { stock }),
    segments: input.shards.length,
    ...(read.shards.length > 1 && { shards: shardsOf(read, evidence) }),
    settings: plan,
    ...conclude(assessment, slos),
    ...assessment,
    counts,
    metrics,
    curves: curves(requests),
    ...(steps && { steps }),
    ops: byOp(requests),
    windows: windowsOf(
      requests,
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
  readonly counts: Counts;
  readonly span: Span;
  readonly interrupted: boolean;
  /** Measured by a k6 without the extension. */
  readonly stock: boolean;
}

function courseOf({ requests, clients, headers }: Read): Course {
  const plan: RunResult["settings"] = headers[0]?.settings ?? {};
  const interrupted = !clients.every(cameToItsEnd);
  const offered = clients.reduce((sum, lines) => sum + offeredBy(lines.at(-1)), 0);
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
  const counts = { ...arrivals(clients, requests), ...countOutcomes(requests) };
  return { plan, counts, span, interrupted, stock: headers.some((header) => header.stock === true) };
}

function metricsOf({ requests, video }: Read, { counts, span, interrupted }: Course): Metrics {
  const excused = {
    lostRaces: video.lostRaces(),
    cutOff: interrupted ? (counts.outcomes["cancelled_by_us"] ?? 0) : 0,
  };
  return inOrder({
    ...latencies(requests),
    ...totals(requests, span, counts, excused),
    ...videoMetrics(video.measured()),
  });
}

function evidenceOf({ requests, damage, notes, shards }: Read, { counts, span, stock }: Course): Evidence {
  const responses = shards.map((_, index) => requests.responses(index));
  return {
    damage,
    requests: requests.length,
    answered: responses.reduce((sum, { answered }) => sum + answered, 0),
    offered: counts.offered,
    notStarted: counts.not_started,
    seconds: span.seconds,
    lagMs: requests.values("schedule_lag"),
    slotWaitMs: requests.values("slot_wait"),
    stock,
    shards: shards.map((shard, index) => ({
      ...(shards.length > 1 && { name: nameOf(shard, index) }),
      ...(responses[index] ?? { requests: 0, answered: 0 }),
      lagMs: requests.values("schedule_lag", undefined, index),
      client: shard.client,
    })),
    notes,
  };
}

/** What failed, and whether the target refused everything. */
function failuresIn({ failed }: Read, { span, counts, plan }: Course) {
  const context = { origin: span.origin, offered: counts.offered, settings: plan };
  const [groups, totals] = [failed.groups(), failed.totals()];
  return omitUndefined<Pick<RunResult, "failures" | "refused">>({
    failures: failuresOf(groups, totals, context),
    refused: refusalOf(groups, totals, context),
  });
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

const offeredBy = (line: ClientLine | undefined): number => line?.offered.measure ?? 0;

function earliest(instants: readonly string[]): number | undefined {
  const known = instants.map(readInstant).filter((instant) => !Number.isNaN(instant));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Arrivals of the measured phase, as the clients counted them; without their counts, those that left a record. */
function arrivals(
  clients: readonly ClientLine[][],
  requests: Requests,
): Pick<Counts, "offered" | "started" | "not_started"> {
  const last = clients.flatMap((lines) => lines.at(-1) ?? []);
  if (last.length < clients.length || last.length === 0) {
    const { completed } = countOutcomes(requests);
    return { offered: completed, started: completed, not_started: 0 };
  }
  const offered = last.reduce((sum, line) => sum + line.offered.measure, 0);
  const started = last.reduce((sum, line) => sum + line.started.measure, 0);
  return { offered, started, not_started: Math.max(0, offered - started) };
}

function byOp(requests: Requests): RunResult["ops"] {
  const ops = requests.ops();
  const entries = ops.map((op) => {
    const counted = countOutcomes(requests, op);
    const metrics: Metrics = inOrder(latencies(requests, op));
    return [
      op,
      { counts: { offered: counted.completed, started: counted.completed, not_started: 0, ...counted }, metrics },
    ];
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
