/**
 * What a short run tells of an objective that it has too few samples to decide. A search goes on by it; the run of full length
 * that confirms a load decides all objectives. Pure.
 */

import type { RunResult, SloResult } from "../../formats/run.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import { QUANTILES } from "../../load/objectives/metrics.ts";
import { holds, isUpper, parseSlo, type Slo } from "../../load/objectives/slo.ts";
import { atLeast } from "../load/stats/binomial.ts";

/** `open`: nothing speaks against it; the run that confirms decides. `undecided`: a longer run must tell. */
export type ProbeResult = "met" | "missed" | "open" | "undecided";

/** Chance at which a target that meets an objective may look as if it missed it. */
const CHANCE = 0.001;

/** What a run tells of each of its objectives, in their order; undefined of one that only says which units are good. */
export function probeObjectives(run: Pick<RunResult, "slos" | "metrics" | "parts">): (ProbeResult | undefined)[] {
  return run.slos.map((result) => {
    if (result.criterion === true) return undefined;
    const slo = parseSlo(result.expr);
    if (slo.within !== undefined) return result.ok === null ? "open" : result.ok ? "met" : "missed";
    const metrics = slo.part === undefined ? run.metrics : run.parts?.[slo.part]?.metrics;
    if (slo.unit === "share") return ofShare(slo, result, metrics?.[slo.metric]);
    if (result.byFigure !== undefined) return result.byFigure ? "met" : "missed";
    // Too few samples for a percentile miss it more often by chance than a search may be misled.
    const hasFew = slo.statistic !== undefined && result.observed === null;
    if (result.ok !== null && !hasFew) return result.ok ? "met" : "missed";
    return ofQuantile(slo, metrics?.[slo.metric]);
  });
}

/** A few failures among few units may be chance: a share is missed where that many would not be. */
function ofShare(slo: Slo, { ok, observed }: SloResult, result: MetricResult | undefined): ProbeResult {
  if (ok === true) return "met";
  if (observed === null || result === undefined) return ok === null ? "undecided" : "missed";
  const [allowed, share] = isUpper(slo) ? [slo.bound, observed] : [1 - slo.bound, 1 - observed];
  if (atLeast(Math.round(share * result.count), result.count, allowed) >= CHANCE) return "open";
  // So many failures are undecided only where the load generator itself may have caused some.
  return ok === null ? "undecided" : "missed";
}

/**
 * A percentile of too few samples is met so far when the largest sample is within the bound. It is missed when a lower percentile
 * that is known is beyond it, or all samples are, so many that this is no chance.
 */
function ofQuantile(slo: Slo, result: MetricResult | undefined): ProbeResult {
  const quantile = QUANTILES.find(({ name }) => name === slo.statistic);
  const tooFew = result !== undefined && quantile !== undefined && result[quantile.name] === undefined;
  if (!tooFew || !isUpper(slo) || result.atLeast !== undefined) return "undecided";
  if (result.max !== undefined && holds(result.max, slo)) return "open";
  const below = QUANTILES.filter(({ perMille }) => perMille < quantile.perMille);
  const isBeyond = (value: number | undefined): boolean => value !== undefined && !holds(value, slo);
  if (below.some(({ name }) => isBeyond(result[name]))) return "missed";
  const independent = result.requests ?? result.count;
  const byChance = (1 - quantile.perMille / 1_000) ** independent;
  return isBeyond(result.min) && byChance < CHANCE ? "missed" : "undecided";
}
