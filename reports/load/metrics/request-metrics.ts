/** From the requests of a run to the metrics of its result. What was not measured has no entry. */

import { z } from "zod";
import { OUTCOMES } from "../../../formats/outcomes.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { Calls, MetricResult } from "../../../formats/run-metrics.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { METRIC_NAMES, METRICS, type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { REQUEST_METRICS } from "../../tables/metric-sql.ts";
import {
  allOf,
  type GapTotals,
  isOfSql,
  MEASURED,
  type Requests,
  type Rows,
  type SingleRows,
} from "../read/measured-requests.ts";
import { censoredDistribution } from "../stats/censored-distribution.ts";
import { Sample } from "../stats/sample.ts";
import type { KnownValues } from "./beyond-bound.ts";
import { bandOf, bandOfValue } from "./error-band.ts";

export type Metrics = Record<string, MetricResult>;

/** Measured requests by outcome. */
export async function countCalls({ database }: Requests, rows: SingleRows): Promise<Calls> {
  const counts = await database.all(
    `SELECT outcome, count(*) AS count FROM calls WHERE ${allOf(MEASURED, isOfSql(rows))} GROUP BY outcome ORDER BY min(n)`,
    z.object({ outcome: z.enum(OUTCOMES), count: z.number() }),
  );
  const outcomes: Record<string, number> = Object.fromEntries(counts.map(({ outcome, count }) => [outcome, count]));
  return { total: counts.reduce((sum, { count }) => sum + count, 0), ok: outcomes["ok"] ?? 0, outcomes };
}

/** How long each arrival that never started had waited when the run ended, for a metric that counts them. */
export type Waits = (name: MetricName) => Sample;

/** Metrics of single requests and of their gaps; `rows` narrows them. */
export async function latencies(requests: Requests, waits: Waits, rows: Rows = {}): Promise<Metrics> {
  const results = await ofEach(async (name) => {
    const latency = await latencyOf(requests, name, waits, rows);
    return latency && { ...latency, ...(metric(name).countedTokens && { parts: await requests.tokenSources(rows) }) };
  });
  return { ...results, ...ofGaps(await requests.gaps(rows), requests.clocks.largest > 0) };
}

/** One metric of single requests. */
export async function latencyOf(
  requests: Requests,
  name: MetricName,
  waits: Waits,
  rows: SingleRows,
): Promise<MetricResult | undefined> {
  const { unit, scheduled } = metric(name);
  const summary = await withBand(requests, name, rows, scheduled ? waits(name) : NONE);
  return summary && { unit, ...summary };
}

/** Metrics of single requests, without those of gaps and those that count from a schedule. */
export const ownLatencies = (requests: Requests, rows: SingleRows): Promise<Metrics> =>
  ofEach(async (name) => {
    const { unit, scheduled, over } = metric(name);
    const summary = scheduled || over === "all" ? undefined : await requests.sample(name, rows).distribution();
    return summary && { unit, ...summary };
  });

/**
 * Of the metrics of single requests, those that requests which we cut off could change: with these as further samples, of
 * which only a lower bound is known.
 */
export const withUnfinished = (requests: Requests, waits: Waits, rows: Rows = {}): Promise<Metrics> =>
  ofEach((name) => latencyWithUnfinished(requests, name, waits, rows));

/** Those of the metrics of single requests that are measured. */
async function ofEach(measure: (name: MetricName) => Promise<MetricResult | undefined>): Promise<Metrics> {
  const results: Metrics = {};
  for (const name of REQUEST_METRICS) {
    const measured = await measure(name);
    if (measured !== undefined) results[name] = measured;
  }
  return results;
}

/** One of these metrics; undefined where no request was cut off. */
export async function latencyWithUnfinished(
  requests: Requests,
  name: MetricName,
  waits: Waits,
  rows: SingleRows,
): Promise<MetricResult | undefined> {
  if ((await requests.unfinished(name, rows).count) === 0) return undefined;
  const summary = await withBand(requests, name, rows, neverMeasured(requests, name, waits, rows));
  return summary && { unit: metric(name).unit, ...summary };
}

/** What the values of requests that we cut off, and of arrivals that never started, are larger than. */
function neverMeasured(requests: Requests, name: MetricName, waits: Waits, rows: SingleRows): Sample {
  const unfinished = requests.unfinished(name, rows);
  return metric(name).scheduled ? unfinished.with(waits(name)) : unfinished;
}

/** What is known of the values of a latency, as far as the load generator was late. */
export function knownLatencies(requests: Requests, name: MetricName, waits: Waits, rows: SingleRows): KnownValues {
  const measured = requests.sample(name, rows);
  return {
    least: requests.bounds(name, rows, "low") ?? measured,
    most: requests.bounds(name, rows, "high") ?? measured,
    largerThan: withoutOurs(requests, neverMeasured(requests, name, waits, rows)),
  };
}

/** What is only known to be larger than a value has waited for the load generator too, for as long as that did not run at most. */
function withoutOurs({ clocks: { largest, interruptedMs } }: Requests, largerThan: Sample): Sample {
  return largerThan.less(interruptedMs + largest);
}

const NONE = new Sample();

/** Describes a latency, with its band. */
async function withBand(requests: Requests, name: MetricName, rows: SingleRows, largerThan: Sample) {
  const summary = await censoredDistribution(requests.sample(name, rows), largerThan);
  if (summary === undefined) return undefined;
  const [low, high] = [requests.bounds(name, rows, "low"), requests.bounds(name, rows, "high")];
  const band = bandOf(
    summary,
    low && (await censoredDistribution(low, withoutOurs(requests, largerThan))),
    high && (await censoredDistribution(high, largerThan)),
  );
  return { ...summary, ...(band && { band }) };
}

function ofGaps(gaps: GapTotals, hasError: boolean): Metrics {
  const results: Metrics = {};
  const pooled = gaps.pool.distribution(gaps.requests);
  if (pooled !== undefined) {
    results["icl"] = omitUndefined<MetricResult>({
      unit: METRICS.icl.unit,
      ...pooled,
      requests: gaps.requests,
      error: gaps.pool.error || undefined,
      band: hasError
        ? bandOf(pooled, gaps.least.distribution(gaps.requests), gaps.most.distribution(gaps.requests))
        : undefined,
    });
  }
  const count = gaps.listed + gaps.counted;
  for (const name of count > 0 ? METRIC_NAMES : []) {
    const value = metric(name).ofGaps?.(gaps);
    if (value === undefined) continue;
    const band = name === "stall" ? bandOfValue(value, [gaps.certainStalls]) : undefined;
    results[name] = { unit: metric(name).unit, count, value, ...(band && { band }) };
  }
  return results;
}

/**
 * Latencies that represent a run, those from the scheduled start first: only an open loop has them, and a target that
 * cannot keep up with it shows in them alone.
 */
export const HEADLINE_LATENCIES = [
  ["ttft_scheduled", "ttft"],
  ["e2e_scheduled", "e2e"],
] as const satisfies readonly (readonly MetricName[])[];

/** Puts metrics into the order in which they are defined. */
export function inOrder(metrics: Metrics): Metrics {
  return Object.fromEntries(METRIC_NAMES.flatMap((name) => (metrics[name] ? [[name, metrics[name]]] : [])));
}

/** The metrics of the streamed chats of a run; of a run that has other requests too, without rates. */
export function ourFigures({ ops, metrics }: Pick<RunResult, "ops" | "metrics">): RunResult["metrics"] {
  return Object.keys(ops).some((op) => op !== "chat.stream") ? (ops["chat.stream"]?.metrics ?? {}) : metrics;
}
