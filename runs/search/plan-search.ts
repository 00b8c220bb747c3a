/** A search before it starts: everything that can be checked without the target is checked. */

import { resolveSettings, type Sources } from "../../cli/command-settings.ts";
import type { SearchResult, SearchStep, StepPurpose } from "../../formats/search.ts";
import { loadOf } from "../../formats/search.ts";
import { haveOwnArrivals } from "../../load/inputs/random.ts";
import { parseSlo, type Slo } from "../../load/objectives/slo.ts";
import { unitsForObjective } from "../../reports/load/metrics/units-for-objective.ts";
import { defaultRate } from "../../scenarios/scenario-list.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { workloadsJson } from "../../settings/load/load-json.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { formatRates, steady, steadyRate } from "../../settings/load/rates.ts";
import type { Workloads } from "../../settings/load/workload.ts";
import { SEARCH_RANGE } from "../../settings/search-table.ts";
import { defaultsOf, type Values, writeTexts } from "../../settings/setting.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { withWorkloads, workloadsFor } from "../load/named-load.ts";
import { type LoadPlan, planResolved, promptSeedOf } from "../load/plan-load.ts";
import { atFloor, floorLength } from "./search-floor.ts";
import type { SearchSpace } from "./search-logic.ts";

const SETTINGS = settingsFor("search");
type OwnSettings = Omit<Values<typeof SETTINGS>, "workload" | "mix">;
type SearchSettings = OwnSettings & { readonly workload?: Workloads };

const LOAD = settingsFor("load");
const DEFAULTS = defaultsOf(LOAD);

/** Those settings of a search that its runs have, and the defaults of the others. */
const ofLoad = (values: OwnSettings): { readonly values: Values<typeof LOAD> } => ({
  values: {
    ...DEFAULTS,
    ...Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(LOAD, name))),
  },
});

/** A search that was requested, checked, and ready to run. */
export interface SearchPlan {
  readonly scenario: string;
  readonly unit: SearchResult["unit"];
  readonly space: SearchSpace;
  readonly budget: { readonly runs: number; readonly arrivals: number };
  /** Its settings as texts, by name: what is saved, and read again to resume it. */
  readonly texts: Readonly<Record<string, string>>;
  readonly slos: readonly string[];
  readonly target: string;
  /** Milliseconds of warm-up before each run. */
  readonly warmup: number;
  /** Planned length of the measured window in milliseconds, after these runs. */
  readonly lengthOf: (load: number, purpose: StepPurpose, steps: readonly SearchStep[]) => number;
  /** The plan of a run. @param number of the run, from 0, which changes its random choices */
  readonly run: (load: number, lengthMs: number, number: number) => LoadPlan;
  /** The plan of a run of one user alone. */
  readonly atFloor: (lengthMs: number, number: number) => LoadPlan;
}

/** The run of a search that sends most. */
export const highestOf = ({ space, run, lengthOf }: SearchPlan): LoadPlan =>
  run(space.max, lengthOf(space.max, "bracket", []), 0);

/**
 * Checks all that can be checked before anything starts.
 * @param flags options as commander gives them, or the texts of a search that is resumed
 * @param isStartedHere whether its runs are: only they need the API keys
 * @throws UsageError that says what is wrong and what to do
 */
export function planSearch(
  named: string | undefined,
  flags: Readonly<Record<string, unknown>>,
  sources?: Sources,
  isStartedHere = true,
): SearchPlan {
  const resolved = resolveSettings("search", withWorkloads(named, flags), sources);
  const { mix, workload: _, ...others } = resolved.values;
  // A search that is resumed goes on with that of its folder.
  const own = { ...others, ...promptSeedOf(others, resolved.given), ...shortRunsOf(others, resolved.given) };
  const workload = workloadsFor(named, resolved.workload, mix);
  const scenario = workload?.title ?? named ?? "";
  requireOneLoad(workload);
  const values: SearchSettings = { ...own, ...(workload && { workload }) };
  const unit = values.vus === undefined ? "rate" : "vus";
  const space = spaceOf(scenario, values, workload);
  const texts = {
    ...writeTexts(SETTINGS, own),
    ...(workload && { workload: JSON.stringify(workloadsJson(workload)) }),
  };
  const slos = objectivesOf(values);
  requireSearchable(values);
  const { rate: _rate, ...common } = own;
  const planOf = (arrivals: Partial<OwnSettings>, lengthMs: number, number: number): LoadPlan => {
    const { promptSeed } = values;
    const seeds = { seed: values.seed + number, ...(promptSeed !== undefined && { promptSeed: promptSeed + number }) };
    const changed = { ...arrivals, duration: lengthMs, ...seeds };
    const ofRun = { ...ofLoad({ ...common, ...changed }), given: new Set(["seed"]), ...(workload && { workload }) };
    return planResolved(workload === undefined ? named : undefined, ofRun, sources?.env, isStartedHere);
  };
  const run = (load: number, lengthMs: number, number: number): LoadPlan =>
    planOf(unit === "vus" ? { vus: load } : { rate: steady(load) }, lengthMs, number);
  const alone = { vus: 1, arrival: DEFAULTS.arrival, abortOn: [], slo: (values.slo ?? []).map(atFloor) };
  const lengthOf = lengthsOf(values, unit);
  // Whatever is wrong with the settings of a run is said now, with the lowest and the highest load.
  const [plan] = [space.max, space.min].map((load) => run(load, lengthOf(load, "bracket", []), 0));
  const floor = space.floor && isPossible(() => planOf(alone, lengthOf(1, "floor", []), 0));
  return {
    ...{ scenario, unit, space: { ...space, floor }, texts, slos, run, lengthOf },
    atFloor: (lengthMs, number) => planOf(alone, lengthMs, number),
    budget: { runs: values.maxRuns, arrivals: values.maxArrivals ?? Number.POSITIVE_INFINITY },
    target: plan?.settings.target ?? "",
    warmup: values.warmup,
  };
}

/** The length of the short runs, where none was given: at most that of the last run. */
const shortRunsOf = (
  { probeDuration, duration }: Pick<OwnSettings, "probeDuration" | "duration">,
  given: ReadonlySet<string>,
): Partial<OwnSettings> => (given.has("probeDuration") ? {} : { probeDuration: Math.min(probeDuration, duration) });

/** Whether settings fit each other: some hold for a schedule alone, which one user does not have. */
function isPossible(plan: () => LoadPlan): boolean {
  try {
    plan();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** @throws UsageError when workloads have arrivals of their own: a search tries one rate, or number of users, after another */
function requireOneLoad(workload: Workloads | undefined): void {
  if (workload === undefined || !haveOwnArrivals(workload.workloads)) return;
  throw new UsageError(
    `Cannot search: each workload of ${workload.title} has arrivals of its own, and a search changes one rate. Give each a weight in place of its rate or vus.`,
  );
}

/** @throws UsageError when the range makes no sense */
function spaceOf(
  scenario: string,
  values: SearchSettings,
  workload: Workloads | undefined,
): SearchSpace & { readonly floor: boolean } {
  const { vus, rate, max: most, tolerance } = values;
  if (tolerance === 0) throw new UsageError("Cannot search: --tolerance is 0. Give a share above 0, such as 2.5%.");
  const first = vus ?? (rate === undefined ? defaultRate(scenario, workload?.workloads) : steadyRate(rate));
  if (first === undefined) {
    throw new UsageError(
      `Cannot search: --rate ${formatRates(rate ?? [])} changes, and a search tries constant rates. Give the first one, such as --rate 5.`,
    );
  }
  const max = most ?? first * SEARCH_RANGE.up;
  const name = vus === undefined ? "rate" : "vus";
  if (max < first) {
    throw new UsageError(`Cannot search: the first load, --${name} ${first}, is above --max ${max}. Lower it.`);
  }
  if (vus !== undefined && !Number.isInteger(max)) {
    throw new UsageError(
      `Cannot search: --max ${max} is not a whole number of virtual users. Give one such as ${Math.ceil(max)}.`,
    );
  }
  const min = vus === undefined ? first / SEARCH_RANGE.down : 1;
  // The first load is one user, too: it needs no run of its own.
  return { first, min, max, tolerance, whole: vus !== undefined, floor: vus !== 1 };
}

/** @throws UsageError when the search would have nothing to find, or could not find it */
function requireSearchable({ slo = [], arrival, probeDuration, duration }: SearchSettings): void {
  if (slo.length === 0) {
    throw new UsageError(
      "Cannot search: it needs to know what the target must meet. Name at least one objective, such as --slo ttft_p95<800ms.",
    );
  }
  if (arrival.process === "trace") {
    throw new UsageError(
      "Cannot search with a trace: its own times decide the rate. Use --arrival constant, poisson or gamma:CV.",
    );
  }
  if (probeDuration > duration) {
    throw new UsageError(
      `Cannot search: --probe-duration ${formatDuration(probeDuration)} is longer than --duration ${formatDuration(duration)}, that of the last run. Shorten it, or lengthen --duration.`,
    );
  }
}

/** Spare samples beyond those that the objectives need, since arrivals may be few by chance. */
const SPARE = 1.05;

/** The same of a run that takes the place of an undecided one, whose shares may be higher. */
const SPARE_AFTER = 1.5;

/** Runs that were undecided lengthen the next one at their load by two each, but no further than this. */
const MOST_DOUBLINGS = 2;

/**
 * How long a run must be. The runs before the last one are as short as they may be: they look at latencies and at the queue. After
 * one that could not decide these, the next has the samples that their percentiles need, and is twice as long. The run that
 * confirms has all units that any objective needs, and after one that could not decide, those that it turned out to need.
 */
function lengthsOf(values: SearchSettings, unit: SearchResult["unit"]): SearchPlan["lengthOf"] {
  const slos = objectivesOf(values).map(parseSlo);
  const unitsFor = (some: readonly Slo[]): number =>
    Math.max(0, ...some.map((slo) => unitsForObjective(slo, values.confidence)));
  const [all, latencies] = [unitsFor(slos), unitsFor(slos.filter((slo) => slo.unit !== "share"))];
  return (load, purpose, steps) => {
    if (purpose === "floor") return floorLength(steps, values.probeDuration, latencies);
    const perS = unit === "rate" ? load : throughputAt(load, steps);
    const isConfirm = purpose === "confirm";
    const undecided = steps.filter(
      (step) => step[unit] === load && step.verdict === "undecided" && (step.purpose === "confirm") === isConfirm,
    );
    const needed = isConfirm ? all : undecided.length > 0 ? latencies : 0;
    const least = perS === undefined ? 0 : Math.ceil((needed * SPARE) / perS) * 1_000;
    const shortest = isConfirm ? Math.max(values.duration, least) : values.probeDuration;
    const doublings = (runs: number): number => 2 ** Math.min(Math.max(0, runs), MOST_DOUBLINGS);
    if (!isConfirm) {
      return Math.max(shortest * doublings(undecided.length), least * doublings(undecided.length - 1));
    }
    const known = (undecided.at(-1)?.needsS ?? 0) * 1_000 * SPARE_AFTER;
    const longest = shortest * doublings(MOST_DOUBLINGS);
    return Math.max(shortest * doublings(undecided.length), known > longest ? 0 : known);
  };
}

/** Units per second that a number of users makes, from the run with the nearest number; undefined before the first. */
function throughputAt(load: number, steps: readonly SearchStep[]): number | undefined {
  const known = steps.filter(({ throughput = 0 }) => throughput > 0);
  const distance = (step: SearchStep): number => Math.abs(Math.log(loadOf(step) / load));
  const [nearest] = known.toSorted((a, b) => distance(a) - distance(b));
  return nearest?.throughput === undefined ? undefined : (nearest.throughput * load) / loadOf(nearest);
}
