/**
 * Bounds that hold for each request, such as `ttft<800ms`: they say which units of work are good, as goodput asks. A bound
 * on a quantile, mean or extreme says nothing of a single request and is none of these.
 */

import { endedByUs, WORKLOAD_KINDS, type WorkloadKind } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import { longestAllowedUs } from "../../../load/objectives/bound.ts";
import { type MetricName, metric, type TaskFigures } from "../../../load/objectives/metrics.ts";
import { holds, isUpper, type Slo } from "../../../load/objectives/slo.ts";
import { readInstant } from "../../../settings/instants.ts";
import { type ClockError, type ErrorRange, EXACT, eachGap, timeSince } from "../read/clock-error.ts";
import { lasted } from "../read/lasted.ts";
import { type BoundCheck, NO_BOUNDS } from "../read/work-units.ts";

/** The objectives that hold for each request. */
export const requestBounds = (slos: readonly Slo[]): readonly Slo[] => slos.filter(({ each }) => each === true);

/**
 * Compares one request with the bounds: an ok one, or one that was cut off, which can only have exceeded them.
 * @param clock the error of its times
 */
export function checkRequest(record: RequestRecord, bounds: readonly Slo[], clock = EXACT): BoundCheck {
  if (bounds.length === 0) return NO_BOUNDS;
  const sent = readInstant(record.sent);
  if (endedByUs(record.outcome)) {
    const wasInterrupted = clock.isInterrupted(sent, sent + (record.e2e ?? 0));
    return gather(bounds, (bound) =>
      !wasInterrupted && exceeds(lasted(bound.metric, record), bound) ? SURELY_BROKEN : {},
    );
  }
  if (record.outcome !== "ok") return NO_BOUNDS;
  return gather(bounds, (bound) =>
    bound.metric === "icl" ? gapsMeet(record, bound, clock) : latencyMeets(record, bound, clock),
  );
}

/** A bound on something else than a latency is not a matter of time. */
function latencyMeets(record: RequestRecord, bound: Slo, clock: ClockError): Verdicts {
  const { unit, of, scheduled } = metric(bound.metric);
  const value = of?.(record);
  if (value === undefined && bound.metric === "tpot" && isBuffered(record)) return unlessInterrupted(record, clock);
  if (value === undefined || unit !== "ms") return valueMeets(value, bound);
  const from = readInstant(scheduled || bound.metric === "slot_wait" ? record.scheduled : record.sent);
  const { low, high } = timeSince(clock, from, value);
  return rangeMeets(value, { low: scheduled ? Math.max(0, low - Math.max(0, record.lag ?? 0)) : low, high }, bound);
}

/** Whether a latency that is at least this long cannot meet a bound. */
export const exceeds = (atLeast: number | undefined, bound: Slo): boolean =>
  atLeast !== undefined && isUpper(bound) && !holds(atLeast, bound);

/** Compares a video task with the bounds. */
export const checkTask = (task: TaskFigures, bounds: readonly Slo[], late = 0): BoundCheck =>
  bounds.length === 0
    ? NO_BOUNDS
    : gather(bounds, (bound) => {
        const { unit, ofTask } = metric(bound.metric);
        const value = ofTask?.(task);
        if (value === undefined || unit !== "ms") return valueMeets(value, bound);
        return rangeMeets(value, { low: Math.max(0, value - late), high: value }, bound);
      });

type Verdicts = Readonly<Partial<Record<keyof BoundCheck, true>>>;

function gather(bounds: readonly Slo[], verdictsOf: (bound: Slo) => Verdicts): BoundCheck {
  const check = { ...NO_BOUNDS };
  for (const [index, bound] of bounds.entries()) {
    const verdicts = verdictsOf(bound);
    for (const name of ["met", "broken", "surely", "near", "unknown"] as const) {
      if (verdicts[name]) check[name] |= 1 << index;
    }
  }
  return check;
}

const SURELY_BROKEN: Verdicts = { broken: true, surely: true };
const NOT_KNOWN: Verdicts = { unknown: true };

const valueMeets = (value: number | undefined, bound: Slo): Verdicts =>
  value === undefined ? {} : holds(value, bound) ? { met: true } : SURELY_BROKEN;

function rangeMeets(value: number, { low, high }: ErrorRange, bound: Slo): Verdicts {
  const isMet = holds(value, bound);
  const isNear = holds(low, bound) !== isMet || holds(high, bound) !== isMet;
  if (isMet) return { met: true, ...(isNear && { near: true }) };
  return isNear ? { broken: true, near: true } : SURELY_BROKEN;
}

const isBuffered = ({ flags = [] }: RequestRecord): boolean => flags.some((flag: string) => flag === "buffered");

/** The content of a stream came at once, so that it has no gaps: or it had waited for the load generator to run again. */
function unlessInterrupted({ sent, e2e = 0 }: RequestRecord, clock: ClockError): Verdicts {
  const from = readInstant(sent);
  return clock.isInterrupted(from, from + e2e) ? { near: true } : {};
}

/** Every gap of the request; a response that came in one read has none to speak of. */
function gapsMeet(record: RequestRecord, bound: Slo, clock: ClockError): Verdicts {
  const { gaps_us, gaps_over_us, chunks = 0 } = record;
  if (isBuffered(record)) return unlessInterrupted(record, clock);
  const sent = readInstant(record.sent);
  if (gaps_us !== undefined) {
    if (gaps_us.length === 0) return {};
    const all = { met: false, broken: false, surely: false, near: false };
    eachGap(clock, sent + (record.ttft ?? 0), gaps_us, (us, { low, high }) => {
      const one = rangeMeets(us / 1_000, { low: low / 1_000, high: high / 1_000 }, bound);
      for (const name of ["met", "broken", "surely", "near"] as const) all[name] ||= one[name] === true;
    });
    const { met, broken, surely, near } = all;
    return {
      ...(met && !broken && { met }),
      ...(broken && { broken }),
      ...(surely && { surely }),
      ...(near && { near }),
    };
  }
  if (gaps_over_us === undefined || chunks < 2) return {};
  if (bound.comparison !== "<" && bound.comparison !== "<=") return NOT_KNOWN;
  const longer = gaps_over_us[longestAllowedUs(bound.comparison, bound.bound)];
  if (longer === undefined) return NOT_KNOWN;
  if (longer === 0) return { met: true };
  // A count does not say by how much the gaps exceed the bound.
  const isOurs = clock.isInterrupted(sent, sent + (record.e2e ?? 0)) || clock.largest > COUNTED_SHARE * bound.bound;
  return isOurs ? { broken: true, near: true } : SURELY_BROKEN;
}

/** An error below this share of a bound is not what made a gap exceed it. */
const COUNTED_SHARE = 0.1;

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
