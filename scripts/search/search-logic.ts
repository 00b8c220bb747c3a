/**
 * Which load a search tries next, from the runs so far. Pure: a search that was cut off goes on where it was, and a simulation
 * can take the place of the runs.
 *
 * It doubles the load from the first one until a run misses the objectives, or halves it until one meets them; then it halves the
 * distance between the two, on a logarithmic scale, until they are close. The lower one must then meet the objectives in a
 * run of full length. If it does not, the search goes down in steps, each in a run of full length.
 */

import { loadOf, type SearchResult, type SearchStep, type StepPurpose } from "../../formats/search.ts";

export interface SearchSpace {
  readonly first: number;
  readonly min: number;
  readonly max: number;
  /** Relative distance of the bracket at which it is close enough. */
  readonly tolerance: number;
  /** Virtual users are whole numbers. */
  readonly whole: boolean;
}

/** What a search does next. */
export type Next =
  | { readonly do: "run"; readonly load: number; readonly purpose: StepPurpose; readonly attempt: number }
  | ({ readonly do: "end" } & Ending);

export interface Ending {
  readonly limitedBy: SearchResult["limitedBy"];
  /** Confirmed by a run of full length; null: none is. */
  readonly found: number | null;
  readonly why: "confirmed" | "lowest-missed" | "client" | "undecided" | "invalid";
  /** The load that could not be decided. */
  readonly at?: number;
}

export type Bracket = SearchResult["bracket"];

type Facts = readonly Pick<SearchStep, "rate" | "vus" | "purpose" | "verdict" | "saturated">[];

/** Runs at one load that do not say the same, or nothing, before it is given up. */
const MOST_RUNS = 3;

/** What the runs at one load say together; `again`: one more is needed. */
type Decision = "met" | "missed" | "client-limited" | "undecided" | "invalid" | "again";

/**
 * Decides a load by its runs. A run that meets the objectives counts, and so does one whose target was saturated. Another one that
 * misses them may have been disturbed once: two of three decide. What was limited by the load generator, or was invalid, is tried once
 * more.
 */
function decide(runs: Facts): Decision {
  const count = (verdict: SearchStep["verdict"]): number => runs.filter((run) => run.verdict === verdict).length;
  const missed = count("missed");
  if (runs.some((run) => run.verdict === "missed" && run.saturated)) return "missed";
  if (missed >= 2) return "missed";
  if (count("met") > (missed > 0 ? 1 : 0)) return "met";
  if (count("client-limited") >= 2) return "client-limited";
  if (count("invalid") >= 2) return "invalid";
  if (runs.length < MOST_RUNS) return "again";
  if (missed + count("met") > 0) return missed > 0 ? "missed" : "met";
  return count("client-limited") > 0 ? "client-limited" : "undecided";
}

/** The loads that were decided, each by the runs of one purpose: those that confirm decide alone. */
function decided(steps: Facts): { readonly load: number; readonly confirm: boolean; readonly runs: Facts }[] {
  const groups = new Map<string, { load: number; confirm: boolean; runs: Facts[number][] }>();
  for (const step of steps) {
    if (step.verdict === "interrupted") continue;
    const [load, confirm] = [loadOf(step), step.purpose === "confirm"];
    const group = groups.get(`${load} ${confirm}`) ?? { load, confirm, runs: [] };
    group.runs.push(step);
    groups.set(`${load} ${confirm}`, group);
  }
  return [...groups.values()];
}

/** What is known so far: a load counts as missed when any decision at it or below it says so. */
export function bracketOf(steps: Facts): Bracket & { readonly limited: boolean } {
  const loads = decided(steps).map((group) => ({ ...group, decision: decide(group.runs) }));
  const of = (decision: Decision): number[] =>
    loads.filter((each) => each.decision === decision).map(({ load }) => load);
  const missed = Math.min(...of("missed"));
  const limited = Math.min(...of("client-limited"));
  const above = Math.min(missed, limited);
  const met = Math.max(...of("met").filter((load) => load < above));
  return {
    met: Number.isFinite(met) ? met : null,
    missed: Number.isFinite(above) ? above : null,
    limited: limited < missed,
  };
}

/** What a search does after these runs. */
export function nextOf(steps: Facts, space: SearchSpace): Next {
  const groups = decided(steps);
  for (const { load, confirm, runs } of groups) {
    const decision = decide(runs);
    if (decision === "undecided" || decision === "invalid") {
      return { do: "end", limitedBy: null, found: null, why: decision, at: load };
    }
    if (decision === "again") {
      const purpose = confirm ? "confirm" : (runs[0]?.purpose ?? "bracket");
      return { do: "run", load, purpose, attempt: runs.length };
    }
  }
  const { met, missed, limited } = bracketOf(steps);
  const run = (load: number, purpose: StepPurpose): Next => ({
    do: "run",
    load: rounded(load, space),
    purpose,
    attempt: 0,
  });
  const confirmed = groups.find((group) => group.confirm && group.load === met && decide(group.runs) === "met");
  if (confirmed !== undefined && met !== null) {
    if (missed === null) return { do: "end", limitedBy: "range", found: met, why: "confirmed" };
    if (!limited) return { do: "end", limitedBy: "target", found: met, why: "confirmed" };
  }
  if (met === null && missed === null) return run(space.first, "bracket");
  if (missed === null) return (met ?? 0) >= space.max ? run(space.max, "confirm") : run((met ?? 0) * 2, "bracket");
  if (met === null) {
    if (missed > space.min) return run(missed / 2, "bracket");
    return limited
      ? { do: "end", limitedBy: "client", found: null, why: "client" }
      : { do: "end", limitedBy: "target", found: null, why: "lowest-missed" };
  }
  const failures = groups.filter((group) => group.confirm && decide(group.runs) === "missed").length;
  if (failures > 0) return run(Math.max(met, lower(missed, failures, space)), "confirm");
  if (!isClose(met, missed, space)) return run(Math.sqrt(met * missed), "bisect");
  // A limit of the load generator's own is never named, so that it needs no confirmation.
  return limited ? { do: "end", limitedBy: "client", found: null, why: "client" } : run(met, "confirm");
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
