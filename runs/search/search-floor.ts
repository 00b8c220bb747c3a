/**
 * The floor of a search: one user alone, in a closed loop. A target that is too slow for one user meets the objectives at no rate,
 * and nothing else has to be tried. Pure.
 */

import type { SearchStep } from "../../formats/search.ts";
import { metric } from "../../load/objectives/metrics.ts";
import { parseSlo } from "../../load/objectives/slo.ts";

/** The first run at the floor is no longer than this; a second one, after which the search goes on or ends, no longer than that. */
const FIRST_MS = 30_000;
const SECOND_MS = 60_000;

type FloorStep = Pick<SearchStep, "purpose" | "verdict" | "errorRate">;

/** What is known of the floor: `again` asks for another run. */
export type Floor = "again" | "missed" | "passed";

/**
 * One run that meets the objectives is enough, and so is one that the load generator limits, or whose failures decide nothing: it is
 * no reason to end. Two that do not meet them, of which the last decides so, end the search: one may have been disturbed.
 */
export function floorOf(steps: readonly FloorStep[]): Floor {
  const [first, second] = ofFloor(steps);
  const isOpen = ({ verdict, errorRate = 0 }: FloorStep): boolean =>
    verdict === "missed" || (verdict === "undecided" && errorRate === 0);
  if (first === undefined) return "again";
  if (!isOpen(first)) return "passed";
  if (second === undefined) return "again";
  return second.verdict === "missed" ? "missed" : "passed";
}

/** The runs of one user alone, without those that were interrupted. */
export const ofFloor = <Step extends FloorStep>(steps: readonly Step[]): Step[] =>
  steps.filter(({ purpose, verdict }) => purpose === "floor" && verdict !== "interrupted");

/**
 * Milliseconds of a run at the floor: one that could not be decided is made again with the requests that the objectives need, as
 * far as that takes no longer than a minute.
 * @param probeMs length of a short run @param needed requests that decide the objectives
 */
export function floorLength(steps: readonly SearchStep[], probeMs: number, needed: number): number {
  const shortest = Math.min(probeMs, FIRST_MS);
  const [first] = ofFloor(steps);
  if (first?.verdict !== "undecided") return shortest;
  const { throughput = 0 } = first;
  const ms = throughput === 0 ? SECOND_MS : Math.ceil(needed / throughput) * 1_000;
  return Math.min(SECOND_MS, Math.max(ms, 2 * shortest));
}

/** An objective as a closed loop can have it: without a schedule, the request itself takes the place of what is from its start. */
export function atFloor(expr: string): string {
  const { metric: name } = parseSlo(expr);
  return metric(name).scheduled === true ? expr.replace(/_scheduled/i, "") : expr;
}
