/** From the requests of a run to the metrics of its result. What was not measured has no entry. */

import { OPS, OUTCOMES } from "../../../formats/outcomes.ts";
import type { Calls, MetricResult } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { METRIC_NAMES, METRICS, type MetricName, metric } from "../../../scenarios/metrics.ts";
import { REQUEST_METRICS, type Requests } from "../read/request-columns.ts";
import { type CurvePoint, censoredDistribution, curve } from "../stats/quantiles.ts";

export type Metrics = Record<string, MetricResult>;

/** Measured requests of an operation by outcome. */
export function countCalls(requests: Requests, op: string): Calls {
  const outcomes: Record<string, number> = {};
  let total = 0;
  for (let index = 0; index < requests.length; index += 1) {
    if (!requests.measured(index) || OPS[requests.at("op", index)] !== op) continue;
    const outcome = OUTCOMES[requests.at("outcome", index)] ?? "unknown";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    total += 1;
  }
  return { total, ok: outcomes["ok"] ?? 0, outcomes };
}

/** How long each arrival that never started had waited when the run ended: ascending, for a metric that counts them. */
export type Waits = (name: MetricName) => Float64Array;

/** Metrics of single requests and of their gaps; `ops` narrows them. */
export function latencies(requests: Requests, waits: Waits, ops?: readonly string[]): Metrics {
  const results: Metrics = {};
  for (const name of REQUEST_METRICS) {
    const { unit, countedTokens, scheduled } = metric(name);
    const values = requests.values(name, ops);
    const summary = censoredDistribution(values, scheduled ? waits(name) : NONE);
    if (summary !== undefined)
      results[name] = { unit, ...summary, ...(countedTokens && { parts: requests.tokenSources(ops) }) };
  }
  // Only streamed chat has chunks, so the pool of all requests is the pool of that operation.
  return ops === undefined || ops.includes("chat.stream") ? { ...results, ...ofGaps(requests) } : results;
}

/**
 * Of the metrics of single requests, those that requests which we cut off could change: with these as further samples, of
 * which only a lower bound is known.
 */
export function withUnfinished(requests: Requests, waits: Waits, ops?: readonly string[]): Metrics {
  const results: Metrics = {};
  for (const name of REQUEST_METRICS) {
    const { unit, scheduled } = metric(name);
    const unfinished = requests.unfinished(name, ops);
    if (unfinished.length === 0) continue;
    const summary = censoredDistribution(requests.values(name, ops), pool(unfinished, scheduled ? waits(name) : NONE));
    if (summary !== undefined) results[name] = { unit, ...summary };
  }
  return results;
}

/** Ascending. */
export const pool = (a: ArrayLike<number>, b: ArrayLike<number>): Float64Array =>
  Float64Array.from([...Array.from(a), ...Array.from(b)]).sort();

const NONE = new Float64Array();

function ofGaps(requests: Requests): Metrics {
  const results: Metrics = {};
  const gaps = requests.gaps.get("chat.stream");
  const pooled = gaps?.distribution(requests.requestsWithGaps);
  if (gaps !== undefined && pooled !== undefined) {
    results["icl"] = omitUndefined<MetricResult>({
      unit: METRICS.icl.unit,
      ...pooled,
      requests: requests.requestsWithGaps,
      error: gaps.error || undefined,
    });
  }
  const count = requests.gapCounts.listed + requests.gapCounts.counted;
  for (const name of count > 0 ? METRIC_NAMES : []) {
    const value = metric(name).ofGaps?.(requests);
    if (value !== undefined) results[name] = { unit: metric(name).unit, count, value };
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

/** Percentile curves of the latencies that a chart shows, in milliseconds, as far as they can be measured. */
export function curves(requests: Requests, waits: Waits): Record<string, CurvePoint[]> {
  const gaps = requests.gaps.get("chat.stream")?.curve(requests.requestsWithGaps) ?? [];
  const all = HEADLINE_LATENCIES.flatMap((names): [string, CurvePoint[]][] => {
    const name = names.find((candidate) => requests.values(candidate).length > 0);
    if (name === undefined) return [];
    const sorted = requests.values(name);
    const count = sorted.length + (metric(name).scheduled ? waits(name).length : 0);
    return [[name, curve(count, (rank) => sorted[rank - 1] ?? Number.NaN)]];
  });
  const known = ([, value]: CurvePoint): boolean => !Number.isNaN(value);
  return Object.fromEntries(
    [...all, ["icl", gaps] as const]
      .map(([name, points]) => [name, points.filter(known)] as const)
      .filter(([, points]) => points.length > 1),
  );
}

/** Puts metrics into the order in which they are defined. */
export function inOrder(metrics: Metrics): Metrics {
  return Object.fromEntries(METRIC_NAMES.flatMap((name) => (metrics[name] ? [[name, metrics[name]]] : [])));
}
