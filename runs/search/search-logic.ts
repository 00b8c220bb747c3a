/**
 * Which load a search tries next, from the runs so far. Pure: a search that was cut off goes on where it was, and a simulation
 * can take the place of the runs.
 *
 * One user alone comes first: what is too slow for one is so at every load. Then it doubles the load from the first one until a run misses the objectives, or halves it until one meets them; then it halves the
 * distance between the two, on a logarithmic scale, until they are close. The lower one must then meet the objectives in a
 * run of full length. If it does not, the search goes down in steps, each in a run of full length. No load is decided twice, so that
 * every search ends.
 */

import { loadOf, type SearchResult, type SearchStep, type StepPurpose } from "../../formats/search.ts";
import { floorOf, ofFloor } from "./search-floor.ts";

export interface SearchSpace {
  readonly first: number;
  readonly min: number;
  readonly max: number;
  /** Relative distance of the bracket at which it is close enough. */
  readonly tolerance: number;
  /** Virtual users are whole numbers. */
  readonly whole: boolean;
  /** One user alone comes first; absent: not. */
  readonly floor?: boolean;
}

/** What a search does next. */
export type Next =
  | { readonly do: "run"; readonly load: number; readonly purpose: StepPurpose; readonly attempt: number }
  | ({ readonly do: "end" } & Ending);

export interface Ending {
  readonly limitedBy: SearchResult["limitedBy"];
  /** Confirmed by a run of full length; null: none is. */
  readonly found: number | null;
  readonly why: "confirmed" | "floor-missed" | "lowest-missed" | "client" | "undecided" | "invalid" | "never-measured";
  /** The load that could not be decided. */
  readonly at?: number;
}

export type Bracket = SearchResult["bracket"];

type Facts = readonly Pick<
  SearchStep,
  "rate" | "vus" | "purpose" | "verdict" | "saturated" | "byChance" | "errorRate" | "neverMeasured" | "starved"
>[];

/** Runs at one load that say nothing before it is given up. */
const MOST_RUNS = 3;
/** Runs at one load when some say something, but not enough. */
const MOST_SPLIT_RUNS = 5;
/** Loads between the one that met the objectives and the one that missed them at which the load generator may be the limit. */
const MOST_LIMITED = 3;

/** What the runs at one load say together; `again`: one more is needed. */
type Decision = "met" | "missed" | "client-limited" | "undecided" | "invalid" | "again";

/**
 * Decides a load by its runs. A run that meets the objectives counts, and so does one whose target was saturated. Another one that
 * misses them may have been disturbed once: two of three decide. What was limited by the load generator, was invalid or left an
 * objective undecided has no vote. A load at which a longer run is as near to a bound as the first counts as missed: it is no load
 * that the target is known to sustain.
 */
function decide(runs: Facts): Decision {
  const count = (verdict: SearchStep["verdict"]): number => runs.filter((run) => run.verdict === verdict).length;
  const [met, missed, limited] = [count("met"), count("missed"), count("client-limited")];
  if (missed >= 2 || runs.some((run) => run.verdict === "missed" && run.saturated)) return "missed";
  if (met > missed) return "met";
  if (met === 0 && runs.filter(({ byChance }) => byChance).length >= 2) return "missed";
  if (met + missed > 0) {
    if (runs.length < MOST_SPLIT_RUNS) return "again";
    return met === 0 && limited >= 2 ? "client-limited" : "undecided";
  }
  if (limited >= 2) return "client-limited";
  if (count("invalid") >= 2) return "invalid";
  if (runs.length < MOST_RUNS) return "again";
  return limited > 0 ? "client-limited" : "undecided";
}

interface DecidedLoad {
  readonly load: number;
  readonly confirm: boolean;
  readonly runs: Facts;
  readonly decision: Decision;
}

/** The loads that were tried, each decided by the runs of one purpose: those that confirm decide alone. */
function decided(steps: Facts): readonly DecidedLoad[] {
  const groups = new Map<string, { load: number; confirm: boolean; runs: Facts[number][] }>();
  for (const step of steps) {
    if (step.verdict === "interrupted" || step.purpose === "floor") continue;
    const [load, confirm] = [loadOf(step), step.purpose === "confirm"];
    const group = groups.get(`${load} ${confirm}`) ?? { load, confirm, runs: [] };
    group.runs.push(step);
    groups.set(`${load} ${confirm}`, group);
  }
  return [...groups.values()].map((group) => ({ ...group, decision: decide(group.runs) }));
}

/** The loads at which all runs together say this. */
const loadsThat = (loads: readonly DecidedLoad[], decision: Decision): number[] =>
  loads.filter((each) => each.decision === decision).map(({ load }) => load);

const finiteOrNull = (load: number): number | null => (Number.isFinite(load) ? load : null);

/**
 * What is known of the target so far: a load counts as missed when any decision at it or below it says so. A load at which the load
 * generator was the limit says nothing of the target, and is no end of the interval.
 */
export function bracketOf(steps: Facts): Bracket & { readonly clientLimited: number | null } {
  return knownOf(decided(steps));
}

function knownOf(loads: readonly DecidedLoad[]) {
  const missed = Math.min(...loadsThat(loads, "missed"));
  const met = Math.max(...loadsThat(loads, "met").filter((load) => load < missed));
  const clientLimited = Math.min(...limitedBetween(loads, met, missed));
  return { met: finiteOrNull(met), missed: finiteOrNull(missed), clientLimited: finiteOrNull(clientLimited) };
}

/** The loads from the one that met the objectives to the one that missed them at which the load generator was the limit. */
const limitedBetween = (loads: readonly DecidedLoad[], met: number, missed: number): number[] =>
  loadsThat(loads, "client-limited").filter((load) => load < missed && load >= met);

/** What a search does after these runs. */
export function nextOf(steps: Facts, space: SearchSpace): Next {
  const hasVote = ({ verdict }: Facts[number]): boolean => verdict === "met" || verdict === "missed";
  if (steps.some(({ neverMeasured }) => neverMeasured !== undefined) && !steps.some(hasVote))
    return { do: "end", limitedBy: null, found: null, why: "never-measured" };
  const floor = space.floor === true ? floorOf(steps) : "passed";
  if (floor === "again") return { do: "run", load: 1, purpose: "floor", attempt: ofFloor(steps).length };
  if (floor === "missed") return { do: "end", limitedBy: "target", found: null, why: "floor-missed" };
  const loads = decided(steps);
  for (const { load, confirm, runs, decision } of loads) {
    if (decision === "undecided" || decision === "invalid") return endAt(decision, load);
    if (decision === "again") {
      const purpose = confirm ? "confirm" : (runs[0]?.purpose ?? "bracket");
      return { do: "run", load, purpose, attempt: runs.length };
    }
  }
  const next = nextLoad(loads, space);
  if (next.do === "end") {
    const lowest = Math.min(...loadsThat(loads, "missed"));
    // Where nothing but chance speaks against the lowest load, it is not the limit of the target.
    const isOfChance = loads.every(
      ({ load, runs }) => load > lowest || runs.every(({ verdict }) => verdict !== "missed"),
    );
    return next.why === "lowest-missed" && isOfChance ? endAt("undecided", lowest) : next;
  }
  // A load that was decided is never tried again: the runs at it and at others do not agree.
  const repeats = loads.some(({ load, confirm }) => load === next.load && confirm === (next.purpose === "confirm"));
  return repeats ? endAt("undecided", next.load) : next;
}

const endAt = (why: "undecided" | "invalid", at: number): Next => ({
  do: "end",
  limitedBy: null,
  found: null,
  why,
  at,
});

/** The load generator is the limit: of the search, and not of the target. */
const CLIENT = { do: "end", limitedBy: "client", found: null, why: "client" } as const;

/** The next load, when each of those so far is decided. */
function nextLoad(loads: readonly DecidedLoad[], space: SearchSpace): Next {
  const { met, missed, clientLimited } = knownOf(loads);
  const run = (load: number, purpose: StepPurpose): Next => ({
    do: "run",
    load: rounded(load, space),
    purpose,
    attempt: 0,
  });
  const lowest = Math.min(missed ?? Number.POSITIVE_INFINITY, clientLimited ?? Number.POSITIVE_INFINITY);
  if (met === null) {
    if (!Number.isFinite(lowest)) return run(space.first, "bracket");
    const isStarved = loads.some(({ load, runs }) => load === clientLimited && runs.every(({ starved }) => starved));
    if (lowest === clientLimited && isStarved) return CLIENT;
    if (lowest > space.min) return run(lowest / 2, "bracket");
    return lowest === missed ? { do: "end", limitedBy: "target", found: null, why: "lowest-missed" } : CLIENT;
  }
  const confirms = loads.filter(({ confirm }) => confirm);
  const confirmed = confirms.find(({ load }) => load === met);
  if (limitedBetween(confirms, met, missed ?? Number.POSITIVE_INFINITY).length > 0) return CLIENT;
  if (missed === null) {
    if (clientLimited !== null) return closer(met, [], clientLimited, space) ?? CLIENT;
    if (met < space.max) return run(met * 2, "bracket");
    return confirmed === undefined
      ? run(space.max, "confirm")
      : { do: "end", limitedBy: "range", found: met, why: "confirmed" };
  }
  if (confirmed !== undefined) return { do: "end", limitedBy: "target", found: met, why: "confirmed" };
  const failures = loadsThat(confirms, "missed").length;
  if (failures > 0) return run(Math.max(met, lower(missed, failures, space)), "confirm");
  if (isClose(met, missed, space)) return run(met, "confirm");
  return closer(met, limitedBetween(loads, met, missed), missed, space) ?? CLIENT;
}

/**
 * Halves the distance of two loads, on a logarithmic scale; between the loads that say nothing, in the widest gap.
 * @returns undefined when no gap is left to look at
 */
function closer(met: number, silent: readonly number[], above: number, space: SearchSpace): Next | undefined {
  if (isClose(met, above, space) || silent.length >= MOST_LIMITED) return undefined;
  const points = [met, ...silent.toSorted((a, b) => a - b), above];
  const gaps = points.slice(1).map((to, index) => ({ from: points[index] ?? met, to }));
  const widest = gaps.reduce((best, gap) => (gap.to / gap.from > best.to / best.from ? gap : best));
  if (isClose(widest.from, widest.to, space)) return undefined;
  return { do: "run", load: rounded(Math.sqrt(widest.from * widest.to), space), purpose: "bisect", attempt: 0 };
}

/** Whether two loads are close enough, or no other lies between them. */
function isClose(met: number, missed: number, space: SearchSpace): boolean {
  if (missed / met <= 1 + space.tolerance) return true;
  const middle = rounded(Math.sqrt(met * missed), space);
  return middle <= met || middle >= missed;
}

/** The next load below one that was not confirmed: one step of the tolerance, then two, then four. */
function lower(missed: number, failures: number, space: SearchSpace): number {
  const load = rounded(missed / (1 + space.tolerance) ** (2 ** (failures - 1)), space);
  return space.whole ? Math.min(load, missed - 1) : load;
}

/** Within the range, as a whole number of users, or as a rate of four digits. */
function rounded(load: number, { min, max, whole }: SearchSpace): number {
  const value = whole ? Math.round(load) : Number(load.toPrecision(4));
  return Math.min(Math.max(value, min), max);
}
