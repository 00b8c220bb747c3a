/**
 * Bounds that hold for each request, such as `ttft<800ms`: they say which units of work are good, as goodput asks. A bound
 * on a quantile, mean or extreme says nothing of a single request and is none of these.
 */

import { PARTS, type Part } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import { type MetricName, metric, type TaskFigures } from "../../../scenarios/metrics.ts";
import { holds, type Slo } from "../../../scenarios/slo.ts";
import { longestAllowedUs } from "../../../settings/bound.ts";
import { lasted } from "../read/lasted.ts";
import { type BoundCheck, NO_BOUNDS } from "../read/work-units.ts";

/** The objectives that hold for each request. */
export const requestBounds = (slos: readonly Slo[]): readonly Slo[] => slos.filter(({ each }) => each === true);

/** Compares one request with the bounds: an ok one, or one that was cut off, which can only have exceeded them. */
export function checkRequest(record: RequestRecord, bounds: readonly Slo[]): BoundCheck {
  if (bounds.length === 0) return NO_BOUNDS;
  if (record.outcome === "cancelled_by_us") {
    return gather(bounds, (bound) => (exceeds(lasted(bound.metric, record), bound) ? "broken" : undefined));
  }
  if (record.outcome !== "ok") return NO_BOUNDS;
  return gather(bounds, (bound) =>
    bound.metric === "icl" ? gapsMeet(record, bound) : valueMeets(metric(bound.metric).of?.(record), bound),
  );
}

/** Whether a latency that is at least this long cannot meet a bound. */
export const exceeds = (atLeast: number | undefined, bound: Slo): boolean =>
  atLeast !== undefined && bound.comparison.startsWith("<") && !holds(atLeast, bound);

/** Compares a video task with the bounds. */
export const checkTask = (task: TaskFigures, bounds: readonly Slo[]): BoundCheck =>
  bounds.length === 0 ? NO_BOUNDS : gather(bounds, (bound) => valueMeets(metric(bound.metric).ofTask?.(task), bound));

type Verdict = keyof BoundCheck;

function gather(bounds: readonly Slo[], verdictOf: (bound: Slo) => Verdict | undefined): BoundCheck {
  const check = { met: 0, broken: 0, unknown: 0 };
  for (const [index, bound] of bounds.entries()) {
    const verdict = verdictOf(bound);
    if (verdict !== undefined) check[verdict] |= 1 << index;
  }
  return check;
}

const verdict = (ok: boolean): Verdict => (ok ? "met" : "broken");
const valueMeets = (value: number | undefined, bound: Slo): Verdict | undefined =>
  value === undefined ? undefined : verdict(holds(value, bound));

/** Every gap of the request; a response that came in one read has none to speak of. */
function gapsMeet({ gaps_us, gaps_over_us, chunks = 0, flags = [] }: RequestRecord, bound: Slo): Verdict | undefined {
  if (flags.some((flag: string) => flag === "buffered")) return undefined;
  if (gaps_us !== undefined) {
    return gaps_us.length === 0 ? undefined : verdict(gaps_us.every((us) => holds(us / 1_000, bound)));
  }
  if (gaps_over_us === undefined || chunks < 2) return undefined;
  if (bound.comparison !== "<" && bound.comparison !== "<=") return "unknown";
  const longer = gaps_over_us[longestAllowedUs(bound.comparison, bound.bound)];
  return longer === undefined ? "unknown" : verdict(longer === 0);
}

/** What a bound is asked of: units of a workload, which send the requests of a part. */
export interface BoundSubject {
  readonly workload: string | undefined;
  readonly part: Part | undefined;
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
export function canHave(name: MetricName, part: Part | undefined): boolean {
  const { ops } = metric(name);
  return part === undefined || ops === undefined || ops.some((op) => PARTS[part].some((own) => own === op));
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

/** Whether a unit of work met every bound that holds for its workload; undefined when its records do not tell. */
export function isGood(check: BoundCheck, bounds: readonly Slo[], of: BoundSubject | undefined): boolean | undefined {
  const own = bounds.map((bound, index) => (appliesTo(bound, of) ? meets(check, index) : true));
  if (own.includes(false)) return false;
  return own.includes(undefined) ? undefined : true;
}
