/**
 * How many samples certainly exceed an upper bound on a percentile. Enough of them show that it is missed, also where there are too
 * few samples to give the percentile.
 */

import { type Slo, shareBeyond } from "../../../load/objectives/slo.ts";
import type { GapTotals } from "../read/gap-totals.ts";
import type { Sample } from "../stats/sample.ts";
import type { Share } from "./decide-share.ts";

/** The least that the values of a metric may truly be, and what the values of further samples are larger than. */
export interface LeastValues {
  readonly least: Sample;
  readonly largerThan: Sample;
}

/** Undefined of any other objective. */
export function beyondBound(slo: Slo, { least, largerThan }: LeastValues): Share | undefined {
  const allowed = shareBeyond(slo);
  if (allowed === undefined) return undefined;
  return {
    bad: least.over(slo.bound) + largerThan.over(slo.bound),
    count: least.count + largerThan.count,
    allowed,
  };
}

/** The same of gaps: those of one request are alike, so the share of them counts as that of the requests. */
export function gapsBeyondBound(slo: Slo, { least, requests }: GapTotals): Share | undefined {
  const allowed = shareBeyond(slo);
  if (allowed === undefined || least.count === 0) return undefined;
  return { bad: Math.floor((least.over(slo.bound) * requests) / least.count), count: requests, allowed };
}
