/**
 * Bounds that hold for each request, such as `ttft<800ms`: they say which units of work are good, as goodput asks. A bound
 * on a quantile, mean or extreme says nothing of a single request and is none of these.
 */

import { WORKLOAD_KINDS, type WorkloadKind } from "../../../contract/operations.ts";
import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import type { Slo } from "../../../load/objectives/slo.ts";
import type { BoundCheck } from "../read/bound-check.ts";

/** The objectives that hold for each request. */
export const requestBounds = (slos: readonly Slo[]): readonly Slo[] => slos.filter(({ each }) => each === true);

/** What a bound is asked of: units of a workload, which send the requests of a part. */
export interface BoundSubject {
  readonly workload: string | undefined;
  readonly part: WorkloadKind | undefined;
}

/**
 * Whether a bound holds for units of a workload. Of several workloads, one that names none holds for those that can have its
 * metric.
 * @param of the workload of the unit, where the load has several; else undefined
 */
export function appliesTo(bound: Slo, of: BoundSubject | undefined): boolean {
  if (of === undefined || of.workload === undefined || bound.part === of.workload) return true;
  if (bound.part !== undefined) return false;
  return canHave(bound.metric, of.part);
}

/** Whether units of a part can have a metric; a part that is not known may be any. */
export function canHave(name: MetricName, part: WorkloadKind | undefined): boolean {
  const { ops } = metric(name);
  return part === undefined || ops === undefined || ops.some((op) => WORKLOAD_KINDS[part].some((own) => own === op));
}

/** Whether a request of a unit of work exceeded a bound. */
export const isBroken = ({ broken }: BoundCheck, index: number): boolean => (broken & (1 << index)) !== 0;

/**
 * Whether a unit of work met one bound: it has the metric, and no request of it exceeds the bound. Undefined when its
 * records do not tell.
 */
export function meets(check: BoundCheck, index: number): boolean | undefined {
  const { met, unknown } = check;
  const bit = 1 << index;
  if (isBroken(check, index)) return false;
  if ((unknown & bit) !== 0) return undefined;
  return (met & bit) !== 0;
}

/**
 * Whether a unit of work can truly have met a bound, and missed it, as far as the load generator was late; both where its
 * records do not tell.
 */
function possible(check: BoundCheck, index: number): { readonly met: boolean; readonly missed: boolean } {
  const bit = 1 << index;
  if ((check.surely & bit) !== 0) return { met: false, missed: true };
  if (((check.near | check.unknown) & bit) !== 0) return { met: true, missed: true };
  const met = meets(check, index) === true;
  return { met, missed: !met };
}

/** Whether a unit of work that did not meet one bound, as measured, can truly have met it; or the other way round. */
export const isNear = (check: BoundCheck, index: number): boolean => {
  const { met, missed } = possible(check, index);
  return met && missed;
};

/** The same of every bound that holds for its workload. */
export function isNearlyGood(check: BoundCheck, bounds: readonly Slo[], of: BoundSubject | undefined): boolean {
  const own = bounds.flatMap((bound, index) => (appliesTo(bound, of) ? [possible(check, index)] : []));
  return own.every(({ met }) => met) && own.some(({ missed }) => missed);
}

/** Whether a unit of work met every bound that holds for its workload; undefined when its records do not tell. */
export function isGood(check: BoundCheck, bounds: readonly Slo[], of: BoundSubject | undefined): boolean | undefined {
  const own = bounds.map((bound, index) => (appliesTo(bound, of) ? meets(check, index) : true));
  if (own.includes(false)) return false;
  return own.includes(undefined) ? undefined : true;
}
