/** What a search will cost, told before it starts: the search itself, against targets whose limits lie all over the range. Pure. */

import { loadOf, type SearchStep } from "../../formats/search.ts";
import type { SearchPlan } from "./plan-search.ts";
import { nextOf } from "./search-logic.ts";

/** Fewest and most of something. */
type Between = readonly [number, number];

export interface Estimate {
  readonly runs: Between;
  readonly seconds: Between;
  /** Arrivals, those of warm-ups included; undefined for users, who send as fast as the target responds. */
  readonly arrivals: Between | undefined;
}

/** Limits that are tried, evenly spread over the range on a logarithmic scale. */
const LIMITS = 12;

type EstimatedPlan = Pick<SearchPlan, "space" | "lengthOf" | "warmup" | "unit">;

/**
 * The cost of a search: from one in which every run is decided at once, to one in which what is above the limit takes a second run
 * and more samples.
 */
export function estimateSearch(plan: EstimatedPlan): Estimate {
  const { min, max } = plan.space;
  const costs = Array.from(
    { length: LIMITS },
    (_, index) => min * 1.01 * (max / min) ** (index / (LIMITS - 1)),
  ).flatMap((limit) => [costOf(plan, limit, true), costOf(plan, limit, false)]);
  const between = (values: readonly number[]): Between => [Math.min(...values), Math.max(...values)];
  return {
    runs: between(costs.map(({ runs }) => runs)),
    seconds: between(costs.map(({ seconds }) => seconds)),
    arrivals: plan.unit === "vus" ? undefined : between(costs.map(({ arrivals }) => arrivals)),
  };
}

/** @param isClear whether a run above the limit shows at once that the target is saturated */
function costOf(plan: EstimatedPlan, limit: number, isClear: boolean) {
  const { space, lengthOf, warmup, unit } = plan;
  const steps: SearchStep[] = [];
  let [seconds, arrivals] = [0, 0];
  for (let next = nextOf(steps, space); next.do === "run"; next = nextOf(steps, space)) {
    const { load, purpose } = next;
    const length = (warmup + lengthOf(load, purpose, steps)) / 1_000;
    seconds += length;
    arrivals += purpose === "floor" ? 0 : load * length;
    const unknown = { reason: "", validity: "VALID", objectives: [], arrivals: 0, run: "" };
    const step = {
      ...unknown,
      [purpose === "floor" ? "vus" : unit]: load,
      purpose,
      seconds: length,
      verdict: "met" as const,
      saturated: false,
    };
    if (purpose === "floor" || load <= limit) steps.push(step);
    else if (isClear) steps.push({ ...step, verdict: "missed", saturated: true });
    else steps.push({ ...step, verdict: hasTooFew(plan, steps, step) ? "undecided" : "missed" });
  }
  return { runs: steps.length, seconds, arrivals };
}

/** Whether a run is so short that one after it, if it decides nothing, would be more than twice as long. */
function hasTooFew({ lengthOf }: EstimatedPlan, steps: readonly SearchStep[], step: SearchStep): boolean {
  const load = loadOf(step);
  const now = lengthOf(load, step.purpose, steps);
  return lengthOf(load, step.purpose, [...steps, { ...step, verdict: "undecided" }]) > 2 * now;
}
