/** Whether a run meets its objectives: met, missed, or undecided for a stated reason. */

import type { Counts, SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { metric } from "../../../load/objectives/metrics.ts";
import { holds, isUpper, type Slo, type Statistic, shareBeyond } from "../../../load/objectives/slo.ts";
import type { Confidence } from "../../../settings/load/confidence.ts";
import { formatAtLeast, LONGEST_MS } from "../../../settings/units.ts";
import { formatError, formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import type { Beyond, Context } from "./beyond-bound.ts";
import { decideRange, decideShare, moreUnits, type Share } from "./decide-share.ts";
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
  readonly beyondOf?: (slo: Slo) => Beyond | undefined;
  readonly windowsOf?: (slo: WindowedSlo) => MeasuredWindows | undefined;
  readonly recoveryOf?: (slo: Slo) => SloResult | undefined;
  readonly confidence?: Confidence | undefined;
  /** Of an objective on goodput: requests that together tell as much as one that is independent. */
  readonly alikeOf?: (slo: Slo) => number | undefined;
  /** The queue of the target grew. */
  readonly grows?: boolean;
  /** How long was measured, in milliseconds; absent: requests or a trace decide it. */
  readonly lasts?: number | undefined;
}

/**
 * Compares the objectives with what was measured; the results are in the same order.
 * @param of what was measured of a part; undefined: of the whole load
 * @param onDemand what is computed only for objectives that need it
 */
export function evaluateSlos(
  slos: readonly Slo[],
  of: (part: Slo["part"]) => Measured | undefined,
  { beyondOf, windowsOf, recoveryOf, confidence, alikeOf, grows, lasts }: OnDemand = {},
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
      return evaluateInWindows(slo, windowsOf?.(slo) ?? NO_WINDOWS, { ...measured.counts, confidence }, evaluateSlo);
    if (!slo.each) {
      const { possiblyOurs = 0 } = measured;
      // Canary prompts are none of the requests of the load.
      const own = slo.metric === "canary_changed" ? { unfinished: 0 } : { ...measured.counts, possiblyOurs };
      const alike = slo.metric === "goodput_share" ? alikeOf?.(slo) : undefined;
      const counts = { ...own, confidence, alike, grows, lasts, beyond: () => beyondOf?.(slo) };
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
  if (unknown > 0) return undecided(slo, "the records do not have every gap; use --records full");
  const missed = met + mayMeet < of || exceeded > 0;
  const near = mayMeet + mayMiss;
  const note = [
    `of ${plural(of, "ok request")}`,
    ...(exceeded > 0 ? [`${plural(exceeded, "request")} that did not start or end exceeded it too`] : []),
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
  counts: Context = { unfinished: 0 },
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

const openUnits = (counts: Context): number => counts.unfinished + clientErrors(counts);
const clientErrors = ({ outcomes }: Context): number => outcomes?.["client_error"] ?? 0;

/** `2 unfinished units and 1 client_error`; empty without any. */
const openInWords = (counts: Context): string =>
  [
    ...(counts.unfinished > 0 ? [plural(counts.unfinished, "unfinished request")] : []),
    ...(clientErrors(counts) > 0 ? [`${clientErrors(counts)} client_error`] : []),
  ].join(" and ");

function absent({ metric: name }: Slo): string {
  const { requires } = metric(name);
  return requires === undefined ? `${name} was not measured` : `${name} needs ${requires}`;
}

/** @param possible the same, with unfinished units as samples of which a lower bound is known */
function ofStatistic(slo: Slo, result: MetricResult, possible: MetricResult, context: Context): SloResult {
  const decided = decideStatistic(slo, result, possible, context);
  const interval = slo.statistic === undefined ? undefined : result.intervals?.[slo.statistic];
  return { ...decided, ...(interval !== undefined && { interval }) };
}

function decideStatistic(slo: Slo, result: MetricResult, possible: MetricResult, context: Context): SloResult {
  const { expr, statistic = "mean" } = slo;
  const { count, notStarted, atLeast } = result;
  const observed = result[statistic] ?? atLeast?.[statistic] ?? null;
  const isMeasured = result[statistic] !== undefined;
  const censored =
    isMeasured || observed === null
      ? []
      : [`or more, not measurable: ${notStarted} of ${plural(count, "arrival")} never started`];
  if (shareBeyond(slo) === undefined) {
    const { ok, note } = ofFigure(slo, result, possible, context);
    return { expr, observed, ok, note: [...censored, ...(isMeasured ? note : [])].join("; ") };
  }
  const beyond = context.beyond?.();
  if (beyond === undefined) return undecided(slo, `${slo.metric} was not measured`);
  const ok = decideRange(beyond, context);
  const rounding = result.error === undefined || observed === null ? [] : [formatError(result.error)];
  const why = observed === null || ok === null ? inWords(slo, beyond, context) : undefined;
  const note = [...censored, ...rounding, ...(why === undefined ? [] : [why.note])];
  const byFigure = ok === null && isMeasured ? decideRange(beyond, { confidence: "none" }) : null;
  return {
    expr,
    observed,
    ok,
    ...(byFigure !== null && { byFigure }),
    ...why,
    ...(note.length > 0 && { note: note.join("; ") }),
  };
}

/** Why an objective is undecided, and how long a run would decide it, where only chance leaves it so. */
type Why = Pick<SloResult, "needsS"> & { readonly note: string };

/** `3.5% of 200 requests exceed the bound, 5% may: about 900 more needed at this share`. */
function inWords(slo: Slo, beyond: Beyond, { confidence, grows, lasts }: Context): Why {
  const { certain, possible, count, allowed, alike, of, withGaps, open, isRounded } = beyond;
  const [least, most] = [certain / count, possible / count].map(formatShare);
  const are = `${isUpper(slo) ? "exceed the bound" : "are below the bound"}, ${formatShare(allowed)} may`;
  const [atBest, atWorst] = [certain, possible].map((bad) =>
    decideShare({ bad, count, allowed, alike }, { confidence, grows }),
  );
  if (atBest !== atWorst) {
    const why = open > 0 ? `${plural(open, "request")} did not start or end` : isRounded ? FULL_RECORDS : LATE;
    return { note: `${least} to ${most} ${are}: ${why}` };
  }
  const found = `${most} of ${plural(count, of)}${withGaps ? " with gaps" : ""}${asFewAs(count, alike)} ${are}`;
  if (atBest !== null) return { note: found };
  return whyWith(`${found}: `, moreNeeded({ bad: possible, count, allowed, alike }, { confidence, lasts }));
}

const whyWith = (before: string, { note, ...needs }: Why): Why => ({ note: `${before}${note}`, ...needs });

/** Units are alike that tell as much as fewer than three quarters of them. */
const ALIKE = 4 / 3;

/** ` (as much as 24 independent ones tell)`; empty where they are not alike, or hardly. */
const asFewAs = (count: number, alike = 1): string =>
  alike > ALIKE
    ? ` (close in time and alike, as much as ${formatNumber(Math.max(1, Math.floor(count / alike)))} independent)`
    : "";

/**
 * Of a mean, a minimum or a maximum, decided where both ends of what it can be decide alike: a mean by its interval, the others as
 * statements about this run.
 */
function ofFigure(slo: Slo, result: MetricResult, possible: MetricResult, { unfinished, confidence }: Context) {
  const { statistic = "mean", unit } = slo;
  const { band, error = 0 } = possible;
  const factor = isExact(statistic) ? 0 : error;
  const low = band?.low?.[statistic] ?? possible.atLeast?.[statistic] ?? possible[statistic] ?? 0;
  const high = band?.high?.[statistic] ?? possible[statistic];
  const least = low * (1 - factor);
  const most = high === undefined ? Number.POSITIVE_INFINITY : high * (1 + factor);
  const atLeast = holds(least, slo);
  const ok = holds(most, slo) === atLeast ? atLeast : null;
  if (ok === holds(result[statistic] ?? low, slo)) {
    const interval = confidence === "none" ? undefined : meanInterval(slo, result);
    return interval === undefined ? { ok, note: ["in this run"] } : ofMean(slo, interval, { least, most }, result);
  }
  const causes = [
    ...(result.notStarted ? [`${plural(result.notStarted, "arrival")} that never started`] : []),
    ...(unfinished > 0 ? [plural(unfinished, "unfinished request")] : []),
  ];
  const why = causes.length > 0 ? ` with ${causes.join(" and ")}` : `: ${factor > 0 ? FULL_RECORDS : LATE}`;
  const end = high === undefined ? " or more" : ` to ${formatValue(most, unit)}`;
  return { ok, note: [`${formatValue(least, unit)}${least === most ? "" : end}${why}`] };
}

const meanInterval = ({ statistic }: Slo, { intervals }: MetricResult) =>
  statistic === "mean" ? intervals?.["mean"] : undefined;

/** A mean is decided where its interval, and what the load generator leaves open, lie on one side of the bound. */
function ofMean(
  slo: Slo,
  [low, high]: readonly [number | null, number | null],
  { least, most }: { readonly least: number; readonly most: number },
  { mean = 0, count, independent = count }: MetricResult,
) {
  const ends = [
    low === null ? Number.NEGATIVE_INFINITY : least - (mean - low),
    high === null ? Number.POSITIVE_INFINITY : most + (high - mean),
  ];
  const [atLow, atHigh] = ends.map((end) => holds(end, slo));
  if (atLow === atHigh) return { ok: atLow ?? null, note: [] };
  return {
    ok: null,
    note: [`of ${plural(count, "request")}${asFewAs(count, count / independent)}, too few to decide`],
  };
}

/** Why a range is one. */
const LATE = "the load generator was late";
const FULL_RECORDS = "record all gaps with --records full";

/** The extremes of a histogram are kept as they were. */
const isExact = (statistic: Statistic): boolean => statistic === "min" || statistic === "max";

/** Of the tasks that were accepted, those with this end: their share, or their number. */
function taskShare({ end = "failed", unit }: Slo, { count, parts = {} }: MetricResult): number {
  const ended = parts[end] ?? 0;
  return unit === "share" ? ended / count : ended;
}

/** Of a value that is a share of units: those that count against the objective, and how many of these it allows. */
const shareOf = (slo: Slo, observed: number, count: number, { alike }: Pick<Context, "alike">): Share => ({
  alike,
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
function holdsOfUnits(slo: Slo, observed: number, count: number, context: Context): boolean | null {
  if (slo.unit !== "share") return holds(observed, slo);
  const ok = decideShare(shareOf(slo, observed, count, context), context);
  return ok === true ? holds(observed, slo) : ok;
}

/** Compares one value; if it counts units, only where those that are neither ok nor failed could not change it, and a share needs enough. */
function ofUnits(
  slo: Slo,
  { value: observed, count, low = observed, high = observed }: Value,
  counts: Context,
): SloResult {
  const open = openUnits(counts);
  const isShare = slo.unit === "share";
  const holdsWith = (value: number): boolean | null => holdsOfUnits(slo, value, count, counts);
  const ok = holdsWith(observed);
  const result = { expr: slo.expr, observed, ok };
  if (ok === null) return { ...result, ...tooFew(shareOf(slo, observed, count, counts), counts) };
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

/** `of 300 requests, too few to decide: about 2,100 more needed at this share`. */
function tooFew(share: Share, of: Context): Why {
  const needed = moreNeeded(share, of);
  const found = `of ${plural(share.count, "request")}${asFewAs(share.count, share.alike)}, `;
  return whyWith(needed.note === TOO_CLOSE ? found : `${found}too few to decide: `, needed);
}

const TOO_CLOSE = "too close to the bound to decide";

/** What would decide a share: `about 2,100 more needed at this share (--duration 4m)`. */
function moreNeeded(share: Share, { confidence, lasts = Number.NaN }: Pick<Context, "confidence" | "lasts">): Why {
  const more = moreUnits(share, confidence);
  if (more === undefined) return { note: TOO_CLOSE };
  const longer = lasts + (lasts * more) / share.count;
  const isPossible = longer <= LONGEST_MS;
  const number = share.bad === 0 ? more : Number(more.toPrecision(ROUGHLY));
  const needed = `${formatNumber(number)} more needed`;
  return {
    note: `${share.bad === 0 ? needed : `about ${needed} at this share`}${isPossible ? ` (--duration ${formatAtLeast(longer)})` : ""}`,
    ...(isPossible && { needsS: Math.ceil(longer / 1_000) }),
  };
}
