/** From requests to the metrics of a result. What was not measured has no entry. */

import { OPS, OUTCOMES } from "../../../formats/outcomes.ts";
import type { Counts, MetricResult } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { METRIC_NAMES, METRICS, type MetricName, metric } from "../../../scenarios/metrics.ts";
import { REQUEST_METRICS, type Requests } from "../read/request-columns.ts";
import { type CurvePoint, curve, distribution } from "../stats/quantiles.ts";
import { type Delivered, delivered, type Span } from "./span.ts";

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

/** Metrics that one request decides, and those of gaps; `op` narrows them. */
export function latencies(requests: Requests, op?: string): Metrics {
  const results: Metrics = {};
  for (const name of REQUEST_METRICS) {
    const summary = distribution(requests.values(name, op));
    if (summary !== undefined) results[name] = { unit: metric(name).unit, ...summary };
  }
  // Only streamed chat has chunks, so the pool of all requests is the pool of that op.
  const gaps = op === undefined || op === "chat.stream" ? requests.gaps.get("chat.stream") : undefined;
  const pooled = gaps?.distribution();
  if (gaps !== undefined && pooled !== undefined) {
    results["icl"] = omitUndefined<MetricResult>({ unit: METRICS.icl.unit, ...pooled, error: gaps.error || undefined });
  }
  const count = requests.gapCounts.listed + requests.gapCounts.counted;
  if (count > 0 && (op === undefined || op === "chat.stream")) {
    const { stalls, coalesced } = requests;
    if (stalls !== undefined) results["stall"] = { unit: METRICS.stall.unit, count, value: stalls };
    results["coalesced"] = { unit: METRICS.coalesced.unit, count, value: coalesced };
  }
  const tpot = results["tpot"];
  if (tpot !== undefined) results["tpot"] = { ...tpot, parts: requests.tokenSources };
  return results;
}

/** Percentile curves of the latencies that a chart shows, in milliseconds. */
export function curves(requests: Requests): Record<string, CurvePoint[]> {
  const gaps = requests.gaps.get("chat.stream")?.curve() ?? [];
  const all: [string, CurvePoint[]][] = (["ttft", "e2e"] as const).map((name) => {
    const sorted = requests.values(name);
    return [name, curve(sorted.length, (rank) => sorted[rank - 1] ?? Number.NaN)];
  });
  return Object.fromEntries([...all, ["icl", gaps] as const].filter(([, points]) => points.length > 1));
}

/** What ended otherwise than ok for no fault of the target. */
export interface Blameless {
  /** Cancels of video tasks that had already ended. */
  readonly lostRaces: number;
  /** Requests that the user's interrupt cut off: nothing is known of them, so they do not count at all. */
  readonly cutOff: number;
}

/** Metrics with one value, over the whole run. */
export function totals(requests: Requests, span: Span, counts: Counts, { lostRaces, cutOff }: Blameless): Metrics {
  const results: Metrics = {};
  const put = (name: MetricName, count: number, value: number | undefined, parts?: Record<string, number>) => {
    if (value === undefined || !Number.isFinite(value)) return;
    results[name] = omitUndefined<MetricResult>({ unit: metric(name).unit, count, value, parts });
  };
  const asked = counts.completed - cutOff + counts.not_started;
  const wrong = asked - counts.ok - lostRaces;
  put("ok", counts.completed, counts.ok);
  put("error_rate", asked, asked === 0 ? undefined : wrong / asked);
  const met = metCount(requests);
  put("goodput_share", asked, asked === 0 ? undefined : (met + lostRaces) / asked);
  if (span.seconds > 0) {
    const sum: Delivered = delivered(requests, span);
    put("goodput", asked, met / span.seconds);
    put("requests_per_s", sum.requests, sum.requests / span.seconds);
    put("output_tokens_per_s", sum.requests, perSecond(sum.tokens, span), requests.tokenSources);
    put("embedding_items_per_s", sum.requests, perSecond(sum.items, span));
  }
  return results;
}

const perSecond = (amount: number | undefined, { seconds }: Span): number | undefined =>
  amount === undefined ? undefined : amount / seconds;

/** NaN when some request does not tell whether it met the bounds. */
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
