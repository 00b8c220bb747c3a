/** How many units of work a run needs so that its objectives can be decided. Pure. */

import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { isUpper, type Slo } from "../../../load/objectives/slo.ts";
import { unitsNeeded } from "./decide-share.ts";

/** The fewest units with which an objective can be met; of a percentile the samples that it needs, 1 where any number will do. */
export function unitsForObjective(slo: Slo): number {
  const { statistic, unit, bound } = slo;
  const samples = QUANTILES.find(({ name }) => name === statistic)?.minSamples ?? 1;
  if (unit !== "share") return samples;
  return Math.max(samples, unitsNeeded(isUpper(slo) ? bound : 1 - bound));
}
