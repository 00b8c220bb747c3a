/** Whether a run meets its objectives: met, missed, or undecided for a stated reason. */

import type { Counts, MetricResult, SloResult } from "../../../formats/run.ts";
import { metric, QUANTILES } from "../../../scenarios/metrics.ts";
import { holds, type Slo, type Statistic } from "../../../scenarios/slo.ts";
import { formatError, formatValue, plural } from "../../numbers.ts";
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
}

/** What was measured of a load, or of one part of it. */
export interface Measured {
  readonly metrics: Readonly<Record<string, MetricResult>>;
  readonly counts: Counts;
  /** The metrics that unfinished units could change, with those as samples of which only a lower bound is known. */
  readonly withUnfinished?: Readonly<Record<string, MetricResult>>;
  /** By the number of the bound among those of the run. */
  readonly bounds: readonly BoundCount[];
  /** The run ended before its plan, so that its counts could have grown. */
  readonly isCutShort?: boolean;
}

/**
 * Compares the objectives with what was measured; the results are in the same order.
 * @param of what was measured of a part; undefined: of the whole load
 */
export function evaluateSlos(slos: readonly Slo[], of: (part: Slo["part"]) => Measured | undefined): SloResult[] {
  const bounds = requestBounds(slos);
  return slos.map((slo) => {
    const measured = of(slo.part);
    const bound = measured?.bounds[bounds.indexOf(slo)];
    if (measured === undefined) return undecided(slo, `${slo.part} was not measured`);
    if (!slo.each) {
      const result = evaluateSlo(slo, measured.metrics, measured.counts, measured.withUnfinished);
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

const GOODPUT: readonly string[] = ["goodput", "goodput_share"];

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
  const { met, unknown, of, exceeded, open } = count;
  if (unknown > 0) return undecided(slo, "the records do not contain enough; record all gaps with --records full");
  const missed = met < of || exceeded > 0;
  const note = [
    `of ${plural(of, "ok unit")}`,
    ...(exceeded > 0 ? [`${plural(exceeded, "unit")} that did not start or end had exceeded it too`] : []),
    ...(!missed && open > 0 ? [`not known of ${plural(open, "unit")} that did not start or end`] : []),
  ].join("; ");
  return { expr: slo.expr, observed: of === 0 ? null : met / of, ok: missed ? false : open > 0 ? null : true, note };
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
    return ofUnits(slo, taskShare(slo, result), result.count, { unfinished: result.parts?.["unfinished"] ?? 0 });
  }
  if (result.value !== undefined) return ofUnits(slo, result.value, result.count, counts);
  return ofStatistic(slo, result, withUnfinished[slo.metric] ?? result, counts);
}

/** Units that are neither ok nor failed. */
type OpenUnits = Pick<Counts, "unfinished"> & Partial<Pick<Counts, "outcomes">>;

const openUnits = (counts: OpenUnits): number => counts.unfinished + clientErrors(counts);
const clientErrors = ({ outcomes }: OpenUnits): number => outcomes?.["client_error"] ?? 0;

/** `2 unfinished units and 1 client_error`; empty without any. */
const openInWords = (counts: OpenUnits): string =>
  [
    ...(counts.unfinished > 0 ? [plural(counts.unfinished, "unfinished unit")] : []),
    ...(clientErrors(counts) > 0 ? [`${clientErrors(counts)} client_error`] : []),
  ].join(" and ");

function absent({ metric: name }: Slo): string {
  const { requires } = metric(name);
  return requires === undefined ? `${name} was not measured` : `${name} is not defined without ${requires}`;
}

/** @param possible the same, with unfinished units as samples of which a lower bound is known */
function ofStatistic(slo: Slo, result: MetricResult, possible: MetricResult, counts: OpenUnits): SloResult {
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
    return undecided(slo, `${had} of ${needed}`);
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
    ...(unfinished > 0 ? [plural(unfinished, "unfinished unit")] : []),
  ];
  const end = most === undefined ? " or more" : most === least ? "" : ` to ${formatValue(most, unit)}`;
  return `${formatValue(least, unit)}${end} with ${causes.join(" and ")}`;
}

const isUpper = ({ comparison }: Slo): boolean => comparison === "<" || comparison === "<=";

/** The extremes of a histogram are kept as they were. */
const isExact = (statistic: Statistic): boolean => statistic === "min" || statistic === "max";
const TOO_NEAR = ", too close to the bound to decide; record all gaps with --records full";

/** Of the tasks that were accepted, those with this end: their share, or their number. */
function taskShare({ end = "failed", unit }: Slo, { count, parts = {} }: MetricResult): number {
  const ended = parts[end] ?? 0;
  return unit === "share" ? ended / count : ended;
}

/** Chance at which a target that is only just bad enough to miss an objective may look as if it met it. */
const CHANCE = 0.05;

/**
 * Number of units from which a share can be said to be within a bound: so many that a target whose units fail with the
 * probability `allowed` shows no failure at most five times in a hundred, (1 - allowed)^n <= 0.05.
 */
export const unitsNeeded = (allowed: number): number =>
  allowed <= 0 || allowed >= 1 ? 1 : Math.ceil(Math.log(CHANCE) / Math.log1p(-allowed));

/** Compares one value; if it counts units, only where those that are neither ok nor failed could not change it, and a share needs enough. */
function ofUnits(slo: Slo, observed: number, count: number, counts: OpenUnits): SloResult {
  const open = openUnits(counts);
  const ok = holds(observed, slo);
  const result = { expr: slo.expr, observed, ok };
  const isShare = slo.unit === "share";
  const needed = isShare ? unitsNeeded(isUpper(slo) ? slo.bound : 1 - slo.bound) : 0;
  if (ok && count < needed) {
    const note = `of ${plural(count, "unit")}, too few to decide: ${needed} needed`;
    return { ...result, ok: null, note };
  }
  if (open === 0 || !(isShare || slo.metric === "ok" || slo.end !== undefined)) return result;
  const most = isShare ? (Math.round(observed * count) + open) / count : observed + open;
  if (holds(most, slo) === ok) return result;
  return {
    ...result,
    ok: null,
    note: `up to ${formatValue(most, slo.unit)} with ${openInWords(counts)}`,
  };
}
