/** From the result of a run to what a search says of its load. Pure. */

import type { RunResult } from "../../formats/run.ts";
import type { CostOfRun } from "../../formats/run-cost.ts";
import type { SearchStep, StepPurpose, StepVerdict } from "../../formats/search.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { metric } from "../../load/objectives/metrics.ts";
import { isUpper, parseSlo } from "../../load/objectives/slo.ts";
import { uncheckedIn, violationsIn } from "../load/metrics/sample-check.ts";
import { neverMeasured } from "./never-measured.ts";
import { type ProbeResult, probeObjectives } from "./probe-objectives.ts";
import { stepLatency } from "./step-latency.ts";

/** What is known of a run before its result is looked at. */
export interface PlannedStep extends Pick<SearchStep, "repeated"> {
  readonly rate?: number;
  readonly vus?: number;
  readonly purpose: StepPurpose;
  readonly seconds: number;
  readonly run: string;
}

/**
 * What a run says about its load. A target whose queue grew cannot sustain it, whatever the objectives say so far; neither can one
 * at which a condition ended the run. What was missed in a CLIENT-LIMITED run and does not depend on its timing is missed all the
 * same.
 */
function verdictOf(run: RunResult, purpose: StepPurpose): StepVerdict {
  const { interrupted, aborted, validity, refused, unanswered, saturation } = run;
  if (interrupted && aborted === undefined) return "interrupted";
  if (validity.verdict === "INVALID" || refused !== undefined) return "invalid";
  if (validity.verdict === "VALID" && unanswered !== undefined) return "missed";
  if (purpose === "floor") return validity.verdict === "CLIENT-LIMITED" ? "client-limited" : floorVerdict(run);
  const objectives = purpose === "confirm" ? run.exitCode : shortRun(run);
  if (objectives === 1) return "missed";
  if (validity.verdict === "CLIENT-LIMITED") return "client-limited";
  if (saturation !== undefined || aborted !== undefined) return "missed";
  return objectives === 0 ? "met" : "undecided";
}

/**
 * What one user alone says: met by the figures of the run, as in any short one, but missed only where chance does not explain it,
 * for this ends the search. One user may be faster than a target allows, so that shares of requests that failed are no reason to end it.
 */
function floorVerdict(run: RunResult): StepVerdict {
  const own = run.slos.map(({ expr }) => isOfOneUser(expr));
  const isOfFailures = (expr: string): boolean => run.counts.failed > 0 && parseSlo(expr).unit === "share";
  if (run.slos.some(({ ok, expr }, index) => own[index] && ok === false && !isOfFailures(expr))) return "missed";
  const results = probeObjectives(run).filter((_, index) => own[index]);
  return results.some((result) => result === "missed" || result === "undecided") ? "undecided" : "met";
}

/** Whether an objective asks of one user what it asks of many: an amount per second, or a number that is to be reached, does not. */
function isOfOneUser(expr: string): boolean {
  const slo = parseSlo(expr);
  const { metric: name, unit, statistic, each, within } = slo;
  if (within !== undefined || name === "recovery" || name === "slot_wait") return false;
  return unit === "share" || statistic !== undefined || each === true || isUpper(slo);
}

/** The exit code of a run by what it was long enough to decide. */
function shortRun(run: RunResult): RunResult["exitCode"] {
  const { slos, validity, check, outages } = run;
  const isLimited = validity.verdict === "CLIENT-LIMITED";
  const results = probeObjectives(run);
  const counts = (index: number): boolean =>
    !isLimited || metric(parseSlo(slos[index]?.expr ?? "").metric).independentOfTiming === true;
  const isMissed = results.some((result, index) => result === "missed" && counts(index));
  const isGone = !isLimited && outages.some(({ recovered }) => !recovered);
  if (isMissed || isGone || violationsIn(check).length > 0) return 1;
  return results.includes("undecided") || uncheckedIn(check).length > 0 ? 2 : 0;
}

/** The objectives of a run that meets what it was long enough to decide, as far as it was not. */
const leftOpenIn = (run: RunResult, purpose: StepPurpose, verdict: StepVerdict): readonly string[] =>
  isShort(purpose) && verdict === "met" ? objectivesThatAre("open", run) : [];

const isShort = (purpose: StepPurpose): boolean => purpose !== "confirm" && purpose !== "floor";

const objectivesThatAre = (result: ProbeResult, run: RunResult): string[] => {
  const results = probeObjectives(run);
  return run.slos.filter((_, index) => results[index] === result).map(({ expr }) => expr);
};

/** Below this share of its CPUs, a load generator that gets them too late lacks them at any load. */
const HARDLY_BUSY = 0.1;

/** Whether others took the CPUs of the load generator: all that limits it is lateness, and it has hardly anything to do. */
const isStarved = ({ validity, client: { cpuMax, cpus } }: RunResult): boolean =>
  validity.verdict === "CLIENT-LIMITED" &&
  validity.lateness.some(({ ms, limitMs }) => ms > limitMs) &&
  cpuMax !== undefined &&
  cpus !== undefined &&
  cpuMax < cpus * HARDLY_BUSY;

/** The step of a search that a run is. */
export function stepOf(run: RunResult, planned: PlannedStep): SearchStep {
  const { validity, slos, counts, metrics, saturation } = run;
  const verdict = verdictOf(run, planned.purpose);
  const leftOpen = leftOpenIn(run, planned.purpose, verdict);
  const saturated = validity.verdict === "VALID" && saturation !== undefined;
  const never = verdict === "interrupted" || verdict === "invalid" ? [] : neverMeasured(run);
  const shown = planned.purpose === "floor" ? slos.filter(({ expr }) => isOfOneUser(expr)) : slos;
  return omitUndefined<SearchStep>({
    ...planned,
    verdict,
    reason:
      leftOpen.length > 0
        ? `met as far as a short run can decide; undecided: ${leftOpen.join(", ")}`
        : reasonOf(run, { purpose: planned.purpose, verdict, saturated, never }),
    validity: validity.verdict,
    saturated,
    ...(run.inputs?.times?.sooner === true && { cacheAnswers: true as const }),
    objectives: shown.map(({ expr, observed, ok }) => ({ expr, observed, ok })),
    arrivals: counts.offered,
    ...(run.cost && { cost: costIn(run.cost) }),
    throughput: metrics["requests_per_s"]?.value,
    errorRate: metrics["error_rate"]?.value,
    latency: stepLatency(run),
    ...(leftOpen.length > 0 && { leftOpen: [...leftOpen] }),
    ...(planned.purpose === "confirm" && verdict === "undecided" && isOfChance(run) && { byChance: true as const }),
    ...(never.length > 0 && { neverMeasured: [...never] }),
    ...(verdict === "client-limited" && isStarved(run) && { starved: true as const }),
    needsS: verdict === "undecided" ? secondsThatDecide(run.slos) : undefined,
  });
}

const costIn = ({ currency, total, perOk, per1000Good }: CostOfRun): NonNullable<SearchStep["cost"]> =>
  omitUndefined({ currency, total, perOk, per1000Good });

/** Whether more requests would decide every objective that is open. */
const isOfChance = ({ slos, validity }: RunResult): boolean =>
  validity.verdict === "VALID" &&
  slos.every(({ ok, criterion, byFigure, expr }) => {
    const { unit, within } = parseSlo(expr);
    return ok !== null || criterion === true || byFigure !== undefined || (unit === "share" && within === undefined);
  });

/** Measured seconds that decide every objective that is open; undefined where no length would, or none is known. */
export function secondsThatDecide(slos: RunResult["slos"]): number | undefined {
  const open = slos.filter(({ ok, criterion }) => ok === null && criterion !== true);
  const needed = open.flatMap(({ needsS }) => needsS ?? []);
  return needed.length > 0 && needed.length === open.length ? Math.max(...needed) : undefined;
}

function reasonOf(
  run: RunResult,
  {
    purpose,
    verdict,
    saturated,
    never,
  }: Pick<SearchStep, "purpose" | "verdict" | "saturated"> & { readonly never: readonly string[] },
): string {
  const { conclusion, counts, validity } = run;
  if (never.length > 0) return conclusion;
  if (verdict === "missed" && saturated && !conclusion.includes("missed")) return "the queue of the target grew";
  const byFigure = verdict === "missed" && isShort(purpose) ? objectivesThatAre("missed", run) : [];
  if (byFigure.length > 0 && run.slos.every(({ ok }) => ok !== false))
    return `the figures of this short run miss ${byFigure.join(", ")}`;
  if (purpose === "floor" && verdict === "undecided" && counts.failed > 0)
    return `${conclusion}; one user alone may be faster than the target allows`;
  const [reason] = validity.reasons;
  if ((verdict === "client-limited" || verdict === "invalid") && reason !== undefined) return reason;
  return saturated ? `${conclusion}; the queue of the target grew` : conclusion;
}
