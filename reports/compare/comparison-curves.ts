/** The distributions of both sides of a comparison, for one picture each, and how far their percentiles moved. */

import type { CompareResult } from "../../formats/compare.ts";
import { curve } from "../load/stats/quantiles.ts";
import { both, type ComparedSides } from "./gate-data.ts";
import type { Gate } from "./gates.ts";
import type { LatencySamples } from "./side-samples.ts";

/** The percentile curves of every latency among the gates. @param alpha the probability that a percentile lies outside of its interval */
export async function curvesOf(
  sides: ComparedSides,
  gates: readonly Gate[],
  alpha: number,
): Promise<CompareResult["curves"]> {
  const names = new Set(gates.filter(({ quantile }) => quantile !== undefined).map(({ metric }) => metric));
  const curves: CompareResult["curves"] = {};
  for (const name of names) curves[name] = both(await sides.latencies(name), (side) => curveOf(sides, side, alpha));
  return curves;
}

/** As far as it can be measured: where what is not known could change it, it ends. */
function curveOf(sides: ComparedSides, samples: LatencySamples, alpha: number) {
  const { low, high, independent } = samples;
  const points = curve(low.count, (rank) => low.quantile(rank / low.count), independent);
  return points
    .filter(([share, value]) => share === 0 || high.quantile(share) === value)
    .map(([share, value]): [number, number, number | null, number | null] => {
      if (share === 0) return [share, value, null, null];
      const [from, to] = sides.quantileInterval(samples, share, alpha);
      return [share, value, known(from), known(to)];
    });
}

const SHIFTED = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
/** Samples on either side of a percentile at least, as with the others. */
const BEYOND = 10;

/** How far the percentiles of the first latency among the gates moved, as far as its samples allow; undefined without any. */
export async function shiftOf(
  sides: ComparedSides,
  gates: readonly Gate[],
  alpha: number,
): Promise<CompareResult["shift"]> {
  const name = gates.find(({ quantile }) => quantile !== undefined)?.metric;
  if (name === undefined) return undefined;
  const { base, new: next } = await sides.latencies(name);
  const independent = Math.min(base.independent, next.independent);
  const points: NonNullable<CompareResult["shift"]>["points"] = [];
  for (const share of SHIFTED) {
    if (independent * Math.min(share, 1 - share) < BEYOND - 1e-6) continue;
    const change = await sides.quantileChange(name, share, (value) => value);
    const [low, high] = change.interval(alpha);
    points.push([share, change.exact ? known(change.estimate) : null, known(low), known(high)]);
  }
  return points.length === 0 ? undefined : { metric: name, confidence: 1 - alpha, points };
}

/** To the nanosecond; null: not bounded. */
const known = (ms: number): number | null => (Number.isFinite(ms) ? Number(ms.toFixed(6)) : null);
