/** A search that goes on: what was measured comes from its folder; what is loaded, with which key and files, from its user. */

import { resolveSettings, type Sources } from "../../cli/command-settings.ts";
import { filesNamedBy, told } from "../../cli/trust.ts";
import type { SearchResult } from "../../formats/search.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { type Setting, settingFlag } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { withWorkloads } from "../load/named-load.ts";
import { planSearch, type SearchPlan } from "./plan-search.ts";
import type { SearchState } from "./run-search.ts";
import { readSearch } from "./search-folder.ts";

type Flags = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

const SETTINGS = settingsFor("search");

/** A search that is about to start or go on. */
export interface BegunSearch {
  readonly plan: SearchPlan;
  readonly state: SearchState;
}

/** A search from its start. */
export const startedNow = (plan: SearchPlan): BegunSearch => ({
  plan,
  state: { startedAt: new Date().toISOString(), steps: [] },
});

/** Budgets may be raised when a search goes on, and the key may be elsewhere; everything else stays as it was. */
const MAY_CHANGE = ["maxRuns", "maxArrivals", "apiKeyEnv"];

/** What names a load, like a scenario. */
const NAMES_LOAD = ["workload", "mix"];

/**
 * Plans the rest of a search.
 * @param scenario as at its start, as are the target and all that names a file, a header or a variable
 * @throws UsageError when the search has ended, the folder is of another one, or it tells of loads that no search would try
 */
export function resumeSearch(
  folder: string,
  scenario: string | undefined,
  flags: Flags,
  sources?: Sources,
): BegunSearch {
  const search = readSearch(folder);
  if (search.found !== null) {
    throw new UsageError(
      `Cannot resume the search in ${folder}: it has ended (${told(search.conclusion)}). assay report ${folder} shows it; start a new one to search again.`,
    );
  }
  requireNamed(folder, search, scenario, flags, sources);
  const plan = planSearch(scenario, { ...ownNumbers(search.settings), ...flags }, sources, flags["plan"] !== true);
  if (plan.scenario !== search.scenario) throw differs(folder, "scenario", search.scenario, plan.scenario);
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const [before, now] = [search.settings[name] ?? setting.default, plan.texts[name]];
    if (MAY_CHANGE.includes(name) || before === now) continue;
    throw differs(folder, settingFlag(name, setting), before, now);
  }
  requireOwnLoads(folder, search, plan);
  const steps = search.steps.filter(({ verdict }) => verdict !== "interrupted");
  return { plan, state: { startedAt: search.startedAt, steps } };
}

/** @throws UsageError when it is not said what is loaded: a folder does not decide that */
function requireNamed(
  folder: string,
  search: SearchResult,
  scenario: string | undefined,
  flags: Flags,
  sources?: Sources,
): void {
  const { target, workload } = resolveSettings("search", withWorkloads(scenario, flags), sources).values;
  const missing = [
    ...(scenario === undefined && workload === undefined ? ["scenario"] : []),
    ...(target === undefined ? ["target"] : []),
  ];
  if (missing.length === 0) return;
  throw new UsageError(
    `Cannot resume the search in ${folder}: no ${missing.join(" and no ")} is given. The folder says that it loads ${told(search.target)} with ${told(search.scenario)}, but a folder does not decide what runs and where the API key goes. If that is your search, repeat its command with --resume ${folder}: its scenario or --workload, --target, and what names files and headers.`,
  );
}

/** Of the settings in a folder, those that name neither a file, a header or a variable, nor what is loaded. */
function ownNumbers(settings: Texts): Texts {
  const taken = Object.entries<Setting>(SETTINGS).flatMap(([name, setting]) => {
    const text = settings[name];
    const isAsked = setting.group === "Connection" || NAMES_LOAD.includes(name) || MAY_CHANGE.includes(name);
    return text === undefined || isAsked || namesFile(setting, text) ? [] : [[name, text]];
  });
  return Object.fromEntries(taken);
}

const namesFile = (setting: Setting, text: string): boolean => filesNamedBy(setting, text)?.length !== 0;

const differs = (folder: string, what: string, before: string | undefined, now: string | undefined): UsageError =>
  new UsageError(
    `Cannot resume the search in ${folder} with another ${what}: the folder says ${told(before ?? "none")}, and ${told(now ?? "none")} is given. Its runs could not be compared. Give what the search was started with, if it is yours, or start a new search.`,
  );

/** What a load may differ from the bounds of its search, by how numbers are written. */
const ROUNDING = 1e-6;

/** @throws UsageError when a step does not belong to this search: what it tries next would be beyond its bounds */
function requireOwnLoads(folder: string, { steps }: SearchResult, { unit, space }: SearchPlan): void {
  for (const step of steps) {
    if (step.purpose === "floor" && step.vus === 1) continue;
    const load = step[unit];
    if (load !== undefined && load >= space.min * (1 - ROUNDING) && load <= space.max * (1 + ROUNDING)) continue;
    throw new UsageError(
      `Cannot resume the search in ${folder}: its ${step.run} was at ${load ?? "no"} ${unit}, beyond ${space.min} to ${space.max}, which the search may try. Start a new search.`,
    );
  }
}
