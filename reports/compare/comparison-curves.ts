/** The distributions of both sides of a comparison, for one picture each. */

import type { CompareResult } from "../../formats/compare.ts";
import { type CurvePoint, curve } from "../load/stats/quantiles.ts";
import { both, type ComparedSides } from "./gate-data.ts";
import type { Gate } from "./gates.ts";
import type { LatencySamples } from "./side-samples.ts";

/** The percentile curves of every latency among the gates. */
export async function curvesOf(sides: ComparedSides, gates: readonly Gate[]): Promise<CompareResult["curves"]> {
  const names = new Set(gates.filter(({ quantile }) => quantile !== undefined).map(({ metric }) => metric));
  const curves: CompareResult["curves"] = {};
  for (const name of names) curves[name] = both(await sides.latencies(name), curveOf);
  return curves;
}

/** As far as it can be measured: where what is not known could change it, it ends. */
function curveOf({ low, high, independent }: LatencySamples): CurvePoint[] {
  const points = curve(low.count, (rank) => low.quantile(rank / low.count), independent);
  return points.filter(([share, value]) => share === 0 || high.quantile(share) === value);
}
