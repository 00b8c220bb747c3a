/** Whether a run meets its objectives: met, missed, or undecided for a stated reason. */

import type { Counts, SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { metric, QUANTILES } from "../../../load/objectives/metrics.ts";
import { holds, isUpper, type Slo, type Statistic } from "../../../load/objectives/slo.ts";
import { formatError, formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import { decideShare, moreUnits, type Share } from "./decide-share.ts";
import {
  evaluateInWindows,
  isWindowed,
  type MeasuredWindows,
  NO_WINDOWS,
  type WindowedSlo,
} from "./evaluate-windows.ts";
import { requestBounds } from "./request-bounds.ts";

/** How the ok units of work compare with one bound that holds for each request. */
export interface BoundCount {
  readonly met: number;
  /** Their records do not contain enough to decide. */
  readonly unknown: number;
  readonly of: number;
  /** Units that never started or were cut off, and had already exceeded the bound. */
  readonly exceeded: number;
  /** Further such units, which could have met the bound or not. */
  readonly open: number;
  /** Of the ok units, those that missed it, or met it, by no more than the load generator can have been late. */
  readonly mayMeet: number;
  readonly mayMiss: number;
}

/** What was measured of a load, or of one part of it. */
export interface Measured {
  readonly metrics: Readonly<Record<string, MetricResult>>;
  readonly counts: Counts;
  /** The metrics that unfinished units could change, with those as samples of which only a lower bound is known. */
  readonly withUnfinished?: Readonly<Record<string, MetricResult>>;
  /** By the number of the bound among those of the run. */
  readonly bounds: readonly BoundCount[];
  /** Of the units that failed, those that an interruption of the load generator can have failed. */
  readonly possiblyOurs?: number;
  /** The run ended before its plan, so that its counts could have grown. */
  readonly isCutShort?: boolean;
}

/** What else is measured, of objectives that ask for it. */
export interface OnDemand {
  readonly beyondOf?: (slo: Slo) => Share | undefined;
  readonly windowsOf?: (slo: WindowedSlo) => MeasuredWindows | undefined;
  readonly recoveryOf?: (slo: Slo) => SloResult | undefined;
}

/**
 * Compares the objectives with what was measured; the results are in the same order.
 * @param of what was measured of a part; undefined: of the whole load
 * @param onDemand what is computed only for objectives that need it
 */
export function evaluateSlos(
  slos: readonly Slo[],
  of: (part: Slo["part"]) => Measured | undefined,
  { beyondOf, windowsOf, recoveryOf }: OnDemand = {},
): SloResult[] {
  const bounds = requestBounds(slos);
  return slos.map((slo) => {
    const measured = of(slo.part);
    const bound = measured?.bounds[bounds.indexOf(slo)];
    if (measured === undefined) return undecided(slo, `${slo.part} was not measured`);
    if (slo.part !== undefined && measured.counts.offered === 0) {
      return undecided(slo, `no arrival of ${slo.part} was due`);
    }
    if (slo.metric === "recovery") return recoveryOf?.(slo) ?? undecided(slo, "recovery was not measured");
    if (isWindowed(slo))
      return evaluateInWindows(slo, windowsOf?.(slo) ?? NO_WINDOWS, measured.counts.offered, evaluateSlo);
    if (!slo.each) {
      const { possiblyOurs = 0 } = measured;
      // Canary prompts are none of the requests of the load.
      const counts =
        slo.metric === "canary_changed"
          ? undefined
          : { ...measured.counts, possiblyOurs, beyond: () => beyondOf?.(slo) };
      const result = evaluateSlo(slo, measured.metrics, counts, measured.withUnfinished);
      return measured.isCutShort === true ? ifItWentOn(slo, result) : result;
    }
    return decidedByGoodput(slo, slos) ? criterion(slo, bound) : evaluateBound(slo, bound);
  });
}

/**
 * An objective on a count of a run that was cut short: the count could only have grown, so that it is decided only where
 * more of it changes nothing.
 */
function ifItWentOn(slo: Slo, result: SloResult): SloResult {
  const { metric: name, unit } = slo;
  const isCount = unit === "count" && metric(name).kind !== "distribution";
  const couldChange = result.ok === isUpper(slo);
  if (!isCount || !couldChange || result.ok === null) return result;
  return { ...result, ok: null, note: "until the run was interrupted" };
}

const undecided = ({ expr }: Slo, note: string): SloResult => ({ expr, observed: null, ok: null, note });

export const GOODPUT: readonly string[] = ["goodput", "goodput_share"];

/** With an objective on goodput, that one says how many units may exceed the bound. */
const decidedByGoodput = (bound: Slo, slos: readonly Slo[]): boolean =>
  slos.some(({ metric: name, part }) => GOODPUT.includes(name) && (part === undefined || part === bound.part));

const criterion = (slo: Slo, count: BoundCount | undefined): SloResult => ({
  ...evaluateBound(slo, count),
  ok: null,
  criterion: true,
});

/** Without an objective on goodput, every ok unit of work must meet the bound. */
function evaluateBound(slo: Slo, count: BoundCount | undefined): SloResult {
  if (count === undefined || count.of + count.exceeded === 0) return undecided(slo, `${slo.metric} was not measured`);
  const { met, unknown, of, exceeded, open, mayMeet, mayMiss } = count;
  if (unknown > 0) return undecided(slo, "the records do not contain enough; record all gaps with --records full");
  const missed = met + mayMeet < of || exceeded > 0;
  const near = mayMeet + mayMiss;
  const note = [
    `of ${plural(of, "ok request")}`,
    ...(exceeded > 0 ? [`${plural(exceeded, "request")} that did not start or end had exceeded it too`] : []),
    ...(!missed && open > 0 ? [`not known of ${plural(open, "request")} that did not start or end`] : []),
    ...(!missed && near > 0 ? [`of ${plural(near, "request")} the load generator was too late to say`] : []),
  ].join("; ");
  const ok = missed ? false : open + near > 0 ? null : true;
  return { expr: slo.expr, observed: of === 0 ? null : met / of, ok, note };
}

/** Compares an objective with metrics. */
export function evaluateSlo(
  slo: Slo,
  metrics: Measured["metrics"],
  counts: OpenUnits = { unfinished: 0 },
  withUnfinished: Measured["metrics"] = {},
): SloResult {
  const result = metrics[slo.metric];
  if (result === undefined) return undecided(slo, absent(slo));
  if (slo.end !== undefined) {
    const { possiblyOurs = 0 } = counts;
    const unfinished = result.parts?.["unfinished"] ?? 0;
    const share = taskShare(slo, result);
    const band = bandOfTasks(slo, share, result.count, possiblyOurs);
    return ofUnits(slo, { count: result.count, value: share, ...band }, { unfinished });
  }
  const { value, count, band } = result;
  if (value !== undefined) {
    return ofUnits(slo, { value, count, low: band?.low?.value, high: band?.high?.value }, counts);
  }
  return ofStatistic(slo, result, withUnfinished[slo.metric] ?? result, counts);
}

/** Units that are neither ok nor failed. */
type OpenUnits = Pick<Counts, "unfinished"> &
  Partial<Pick<Counts, "outcomes">> & {
    readonly possiblyOurs?: number;
    /** How many parts of the run are compared with the objective, of which none may be missed by chance; absent: one. */
    readonly tries?: number;
    /** Of an upper bound on a percentile: samples that certainly exceed it. */
    readonly beyond?: () => Share | undefined;
  };

const openUnits = (counts: OpenUnits): number => counts.unfinished + clientErrors(counts);
const clientErrors = ({ outcomes }: OpenUnits): number => outcomes?.["client_error"] ?? 0;

/** `2 unfinished units and 1 client_error`; empty without any. */
const openInWords = (counts: OpenUnits): string =>
  [
    ...(counts.unfinished > 0 ? [plural(counts.unfinished, "unfinished request")] : []),
    ...(clientErrors(counts) > 0 ? [`${clientErrors(counts)} client_error`] : []),
  ].join(" and ");

function absent({ metric: name }: Slo): string {
  const { requires } = metric(name);
  return requires === undefined ? `${name} was not measured` : `${name} needs ${requires}`;
}

/**
 * Decides where the whole band of a figure does, as far as the load generator was late.
 * @param possible the same, with unfinished units as samples of which a lower bound is known
 */
function ofStatistic(slo: Slo, result: MetricResult, possible: MetricResult, counts: OpenUnits): SloResult {
  const asMeasured = ofMeasured(slo, result, possible, counts);
  const { statistic = "mean" } = slo;
  const { band, error = 0 } = possible;
  // Samples that exceed the bound count only as far as the load generator was in time.
  if (asMeasured.ok === null || asMeasured.observed === null || band === undefined) return asMeasured;
  const factor = isExact(statistic) ? 0 : error;
  const low = band.low?.[statistic] ?? possible.atLeast?.[statistic] ?? possible[statistic] ?? 0;
  const high = band.high?.[statistic] ?? possible[statistic];
  const ok = decide(slo, low * (1 - factor), high === undefined ? undefined : high * (1 + factor));
  if (ok === asMeasured.ok) return asMeasured;
  return { ...asMeasured, ok: null, note: inBand(slo, low, high) };
}

/** `between 303.0 ms and 317.0 ms: the load generator was late`. */
function inBand({ unit }: Slo, low: number, high: number | undefined): string {
  const most = high === undefined ? "more" : formatValue(high, unit);
  return `between ${formatValue(low, unit)} and ${most}: the load generator was late`;
}

/** @param possible as above */
function ofMeasured(slo: Slo, result: MetricResult, possible: MetricResult, counts: OpenUnits): SloResult {
  const { expr, statistic = "mean" } = slo;
  const observed = result[statistic];
  const least = possible.atLeast?.[statistic];
  if (observed === undefined && result.atLeast?.[statistic] !== undefined) {
    const note = `or more, not measurable: ${result.notStarted} of ${plural(result.count, "arrival")} never started`;
    return { expr, observed: result.atLeast[statistic], ok: decide(slo, least, possible[statistic]), note };
  }
  if (observed === undefined) {
    const needed = QUANTILES.find(({ name }) => name === statistic)?.minSamples;
    const { requests, count } = result;
    const had = requests === undefined ? `too few samples: ${count}` : `too few requests with gaps: ${requests}`;
    const beyond = counts.beyond?.();
    if (beyond === undefined || decideShare(beyond, counts.tries) !== false)
      return undecided(slo, `${had} of ${needed}`);
    const exceed = `${formatShare(beyond.bad / beyond.count)} exceed the bound, and ${formatShare(beyond.allowed)} may`;
    return { expr, observed: null, ok: false, note: `${had} of ${needed}, but ${exceed}` };
  }
  const ok = holds(observed, slo);
  if (possible !== result || least !== undefined) {
    const decided = decide(slo, least ?? possible[statistic], possible[statistic]);
    return { expr, observed, ok: decided, ...(decided !== ok && { note: rangeOf(slo, result, possible, counts) }) };
  }
  if (result.error === undefined || isExact(statistic)) return { expr, observed, ok };
  const either = [1 - result.error, 1 + result.error].some((factor) => holds(observed * factor, slo) !== ok);
  return { expr, observed, ok: either ? null : ok, note: `${formatError(result.error)}${either ? TOO_NEAR : ""}` };
}

/** Decides where both ends of a range do alike; without an upper end it has none. */
function decide(slo: Slo, least = 0, most = Number.POSITIVE_INFINITY): boolean | null {
  const ok = holds(least, slo);
  return holds(most, slo) === ok ? ok : null;
}

/** `98 ms to 120 ms with 3 arrivals that never started and 1 unfinished unit`. */
function rangeOf(
  { statistic = "mean", unit }: Slo,
  { notStarted = 0 }: MetricResult,
  possible: MetricResult,
  { unfinished }: OpenUnits,
): string {
  const most = possible[statistic];
  const least = possible.atLeast?.[statistic] ?? most ?? 0;
  const causes = [
    ...(notStarted > 0 ? [`${plural(notStarted, "arrival")} that never started`] : []),
    ...(unfinished > 0 ? [plural(unfinished, "unfinished request")] : []),
  ];
  const end = most === undefined ? " or more" : most === least ? "" : ` to ${formatValue(most, unit)}`;
  return `${formatValue(least, unit)}${end} with ${causes.join(" and ")}`;
}

/** The extremes of a histogram are kept as they were. */
const isExact = (statistic: Statistic): boolean => statistic === "min" || statistic === "max";
const TOO_NEAR = ", too close to the bound to decide; record all gaps with --records full";

/** Of the tasks that were accepted, those with this end: their share, or their number. */
function taskShare({ end = "failed", unit }: Slo, { count, parts = {} }: MetricResult): number {
  const ended = parts[end] ?? 0;
  return unit === "share" ? ended / count : ended;
}

/** Of a value that is a share of units: those that count against the objective, and how many of these it allows. */
const shareOf = (slo: Slo, observed: number, count: number): Share => ({
  bad: Math.round((isUpper(slo) ? observed : 1 - observed) * count),
  count,
  allowed: isUpper(slo) ? slo.bound : 1 - slo.bound,
});

/** The same, with so many tasks that the load generator can have failed, or kept from being completed. */
function bandOfTasks({ unit }: Slo, share: number, count: number, possiblyOurs: number) {
  const tasks = unit === "share" ? possiblyOurs / count : possiblyOurs;
  return { low: Math.max(0, share - tasks), high: share + tasks };
}

/** A bound that no value meets, such as `<0%`, is missed by all. */
function holdsOfUnits(slo: Slo, observed: number, count: number, tries: number | undefined): boolean | null {
  if (slo.unit !== "share") return holds(observed, slo);
  const ok = decideShare(shareOf(slo, observed, count), tries);
  return ok === true ? holds(observed, slo) : ok;
}

/** Compares one value; if it counts units, only where those that are neither ok nor failed could not change it, and a share needs enough. */
function ofUnits(
  slo: Slo,
  { value: observed, count, low = observed, high = observed }: Value,
  counts: OpenUnits,
): SloResult {
  const open = openUnits(counts);
  const isShare = slo.unit === "share";
  const holdsWith = (value: number): boolean | null => holdsOfUnits(slo, value, count, counts.tries);
  const ok = holdsWith(observed);
  const result = { expr: slo.expr, observed, ok };
  if (ok === null) return { ...result, note: tooFew(shareOf(slo, observed, count)) };
  const isOfUnits = isShare || slo.metric === "ok" || slo.end !== undefined;
  const withOpen = (value: number): number =>
    !isOfUnits ? value : isShare ? (Math.round(value * count) + open) / count : value + open;
  const most = withOpen(observed);
  if (holdsWith(most) !== ok) {
    return { ...result, ok: null, note: `up to ${formatValue(most, slo.unit)} with ${openInWords(counts)}` };
  }
  const other = [low, withOpen(high)].find((end) => holdsWith(end) !== ok);
  if (other === undefined) return result;
  return {
    ...result,
    ok: null,
    note: `or ${formatValue(other, slo.unit)} without what the load generator itself may have caused`,
  };
}

/** A value, and what it truly is at least and at most, as far as the load generator itself changed it. */
interface Value {
  readonly value: number;
  readonly count: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** Significant digits of a number of units that depends on the share staying as it is. */
const ROUGHLY = 2;

/** `of 300 units, too few to decide: about 2,100 more needed at this share`. */
function tooFew(share: Share): string {
  const more = moreUnits(share);
  const units = plural(share.count, "request");
  if (more === undefined) return `of ${units}, too close to the bound to decide`;
  if (share.bad === 0) return `of ${units}, too few to decide: ${formatNumber(more)} more needed`;
  const about = formatNumber(Number(more.toPrecision(ROUGHLY)));
  return `of ${units}, too few to decide: about ${about} more needed at this share`;
}
