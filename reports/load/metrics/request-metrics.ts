/** From the requests of a run to the metrics of its result. What was not measured has no entry. */

import { OPS, OUTCOMES } from "../../../formats/outcomes.ts";
import type { Counts, MetricResult } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { METRIC_NAMES, METRICS, metric } from "../../../scenarios/metrics.ts";
import { REQUEST_METRICS, type Requests } from "../read/request-columns.ts";
import { type CurvePoint, curve, distribution } from "../stats/quantiles.ts";
import { delivered, type Span } from "./span.ts";

export type Metrics = Record<string, MetricResult>;

/** Measured requests by outcome; `op` narrows them. */
export function countOutcomes(requests: Requests, op?: string): Pick<Counts, "completed" | "ok" | "outcomes"> {
  const outcomes: Record<string, number> = {};
  let completed = 0;
  for (let index = 0; index < requests.length; index += 1) {
    if (!requests.measured(index) || (op !== undefined && OPS[requests.at("op", index)] !== op)) continue;
    const outcome = OUTCOMES[requests.at("outcome", index)] ?? "unknown";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    completed += 1;
  }
  return { completed, ok: outcomes["ok"] ?? 0, outcomes };
}

/** Metrics of single requests and of their gaps; `op` narrows them. */
export function latencies(requests: Requests, op?: string): Metrics {
  const results: Metrics = {};
  for (const name of REQUEST_METRICS) {
    const summary = distribution(requests.values(name, op));
    if (summary === undefined) continue;
    const { unit, countedTokens } = metric(name);
    results[name] = { unit, ...summary, ...(countedTokens && { parts: requests.tokenSources }) };
  }
  // Only streamed chat has chunks, so the pool of all requests is the pool of that operation.
  return op === undefined || op === "chat.stream" ? { ...results, ...ofGaps(requests) } : results;
}

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

/** Percentile curves of the latencies that a chart shows, in milliseconds. */
export function curves(requests: Requests): Record<string, CurvePoint[]> {
  const gaps = requests.gaps.get("chat.stream")?.curve(requests.requestsWithGaps) ?? [];
  const all: [string, CurvePoint[]][] = (["ttft", "e2e"] as const).map((name) => {
    const sorted = requests.values(name);
    return [name, curve(sorted.length, (rank) => sorted[rank - 1] ?? Number.NaN)];
  });
  return Object.fromEntries([...all, ["icl", gaps] as const].filter(([, points]) => points.length > 1));
}

/** Outcomes other than ok that are not the fault of the target. */
export interface Excused {
  /** Cancels of video tasks that had already ended. */
  readonly lostRaces: number;
  /** Requests that the user's interrupt cut off: nothing is known of them, so they do not count at all. */
  readonly cutOff: number;
}

/** Metrics with one value, over the whole run. */
export function totals(requests: Requests, span: Span, counts: Counts, { lostRaces, cutOff }: Excused): Metrics {
  const run = {
    asked: counts.completed - cutOff + counts.not_started,
    completed: counts.completed,
    ok: counts.ok,
    lostRaces,
    met: metCount(requests),
    seconds: span.seconds,
    delivered: delivered(requests, span),
  };
  const results: Metrics = {};
  for (const name of METRIC_NAMES) {
    const { unit, total, countedTokens } = metric(name);
    const { count, value } = total?.(run) ?? {};
    if (count === undefined || value === undefined || !Number.isFinite(value)) continue;
    results[name] = { unit, count, value, ...(countedTokens && { parts: requests.tokenSources }) };
  }
  return results;
}

/** NaN when a record does not tell whether its request met the bounds. */
function metCount(requests: Requests): number {
  let met = 0;
  for (let index = 0; index < requests.length; index += 1) {
    if (requests.measured(index) && requests.ok(index)) met += requests.at("met", index);
  }
  return met;
}

/** Puts metrics into the order in which they are defined. */
export function inOrder(metrics: Metrics): Metrics {
  return Object.fromEntries(METRIC_NAMES.flatMap((name) => (metrics[name] ? [[name, metrics[name]]] : [])));
}
