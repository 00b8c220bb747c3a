/**
 * Objectives of a run whose stock k6 dropped arrivals. It has no queue, so it drops an arrival when the target is slow and
 * also when the load generator is, without a way to know which: an objective that depends on them stays undecided.
 */

import type { Counts, MetricResult, SloResult } from "../../../formats/run.ts";
import type { Slo } from "../../../scenarios/slo.ts";
import { plural } from "../../numbers.ts";
import { evaluateSlos, type Measured } from "./evaluate-slo.ts";

type Metrics = Readonly<Record<string, MetricResult>>;

/** Compares the objectives with what was measured, and with what that would be had every arrival started. */
export function evaluateWithDrops(slos: readonly Slo[], of: (part: Slo["part"]) => Measured | undefined): SloResult[] {
  const results = evaluateSlos(slos, of);
  const without = evaluateSlos(slos, (part) => {
    const measured = of(part);
    return measured && { ...measured, metrics: ifAllStarted(measured.metrics, measured.counts) };
  });
  const dropped = of(undefined)?.counts.not_started ?? 0;
  return results.map((result, index) => {
    if (dropped === 0 || without[index]?.ok === result.ok) return result;
    const note = `depends on ${plural(dropped, "arrival")} that never started; whether the target or the load generator was too slow for them is not known`;
    return { ...result, ok: null, note };
  });
}

/** The figures that count arrivals that never started, as if those had gone like the ones that did. */
function ifAllStarted(metrics: Metrics, { not_started, offered, started }: Counts): Metrics {
  const share = (of: (value: number, asked: number) => number) => (value: number, count: number) =>
    of(value, count) / (count - not_started);
  const rate = (value: number): number => (value * offered) / started;
  const figures: Readonly<Record<string, (value: number, count: number) => number>> = {
    error_rate: share((value, asked) => value * asked - not_started),
    goodput_share: share((value, asked) => value * asked),
    requests_per_s: rate,
    output_tokens_per_s: rate,
    embedding_items_per_s: rate,
    tasks_per_s: rate,
    goodput: rate,
    ok: rate,
  };
  const changed = Object.entries(figures).flatMap(([name, figure]) => {
    const result = metrics[name];
    if (result?.value === undefined) return [];
    const value = figure(result.value, result.count);
    return Number.isFinite(value) ? [[name, { ...result, value }] as const] : [];
  });
  return { ...metrics, ...Object.fromEntries(changed) };
}
