/** What a search will cost, told before it starts: the search itself, against targets whose limits lie all over the range. Pure. */

import type { SearchStep } from "../../formats/search.ts";
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

/** The cost of a search in which every run is decided at once. */
export function estimateSearch(plan: EstimatedPlan): Estimate {
  const { min, max } = plan.space;
  const costs = Array.from({ length: LIMITS }, (_, index) =>
    costOf(plan, min * 1.01 * (max / min) ** (index / (LIMITS - 1))),
  );
  const between = (values: readonly number[]): Between => [Math.min(...values), Math.max(...values)];
  return {
    runs: between(costs.map(({ runs }) => runs)),
    seconds: between(costs.map(({ seconds }) => seconds)),
    arrivals: plan.unit === "vus" ? undefined : between(costs.map(({ arrivals }) => arrivals)),
  };
}

function costOf({ space, lengthOf, warmup, unit }: EstimatedPlan, limit: number) {
  const steps: SearchStep[] = [];
  let [seconds, arrivals] = [0, 0];
  for (let next = nextOf(steps, space); next.do === "run"; next = nextOf(steps, space)) {
    const { load, purpose } = next;
    const length = (warmup + lengthOf(load, purpose, [])) / 1_000;
    seconds += length;
    arrivals += load * length;
    const [verdict, saturated] = load <= limit ? (["met", false] as const) : (["missed", true] as const);
    const unknown = { reason: "", validity: "VALID", objectives: [], arrivals: 0, run: "" };
    steps.push({ ...unknown, [unit]: load, purpose, seconds: length, verdict, saturated });
  }
  return { runs: steps.length, seconds, arrivals };
}
