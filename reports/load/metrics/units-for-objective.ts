/** How many units of work a run needs so that its objectives can be decided. Pure. */

import { isUpper, type Slo, shareBeyond } from "../../../load/objectives/slo.ts";
import type { Confidence } from "../../../settings/load/confidence.ts";
import { unitsNeeded } from "./decide-share.ts";

/** Of the requests that a percentile allows beyond its bound, those that a target is taken to have there. */
const HALF = 0.5;

/**
 * The units that decide an objective: on a percentile where a half of those that it allows are beyond its bound, on a share where
 * none counts against it. 1 where any number will do.
 */
export function unitsForObjective(slo: Slo, confidence?: Confidence): number {
  const beyond = shareBeyond(slo);
  if (beyond !== undefined) return unitsNeeded(beyond, HALF * beyond, confidence) ?? Number.POSITIVE_INFINITY;
  const { unit, bound } = slo;
  return unit === "share" ? (unitsNeeded(isUpper(slo) ? bound : 1 - bound, 0, confidence) ?? 1) : 1;
}
