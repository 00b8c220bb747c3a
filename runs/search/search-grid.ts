/** `assay search --grid`: a search for each combination of the values of some settings, and a page with what each found. */

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CommonFlags, resolveSettings } from "../../cli/command-settings.ts";
import { coloured, type Progress, print, printResult, progressOn } from "../../cli/console.mjs";
import { whileInterruptible } from "../../cli/interrupt.ts";
import { createResultFolder, holds, inResultFolder } from "../../cli/result-folder.ts";
import { requireTarget } from "../../cli/target.ts";
import { TOOL } from "../../cli/tool.mjs";
import { FILES } from "../../formats/file-names.ts";
import type { SearchResult } from "../../formats/search.ts";
import { type SearchesResult, searchesJson } from "../../formats/searches.ts";
import { compareSearches, type NamedSearch } from "../../reports/search/compare-searches.ts";
import { searchesTerminal } from "../../reports/search/searches-views.ts";
import { checkRoute } from "../../route/route.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { targetOf } from "../load/connection.ts";
import { withWorkloads } from "../load/named-load.ts";
import { type GridCell, type GridPlan, planCells, requireSameGrid } from "../load/plan-grid.ts";
import { highestOf, planSearch, type SearchPlan } from "./plan-search.ts";
import { resumeSearch, startedNow } from "./resume-search.ts";
import { runSearch } from "./run-search.ts";
import { nextRunName, readSearch, readSearches, writeSearchesViews, writeSearchViews } from "./search-folder.ts";
import { searchGridPreview, searchNotices } from "./search-preview.ts";

type Flags = Readonly<Record<string, unknown>>;

/** A search of a grid, and the flags that it would have alone. */
interface CellPlan {
  readonly search: SearchPlan;
  readonly flags: Flags;
}

/** As far apart are the seeds of searches whose seed was given: no search has as many runs. */
const SEEDS_APART = 1_000;

/**
 * Plans every search of a grid.
 * @throws UsageError that names the combination which cannot be searched, and says why
 */
export const planSearches = (
  scenario: string | undefined,
  flags: Flags,
  isStartedHere: boolean,
): Promise<GridPlan<CellPlan>> =>
  planCells("search", scenario, flags, (own, { index }) => {
    const search = planSearch(scenario, own, undefined, isStartedHere);
    if (index === 0 || search.texts["promptSeed"] !== undefined) return { search, flags: own };
    // No search sends what another one sent.
    const promptSeed = String(Number(search.texts["seed"]) + index * SEEDS_APART);
    return { search: planSearch(scenario, { ...own, promptSeed }, undefined, isStartedHere), flags: own };
  });

/** Searches with each combination, or shows what that would cost, and sets the exit code of the process. */
export async function runSearches(scenario: string | undefined, flags: CommonFlags & Flags): Promise<void> {
  if (flags["resume"] !== undefined) {
    throw new UsageError("Cannot resume a grid with --resume. Repeat its command, with the --out that it had.");
  }
  const isPreview = flags["plan"] === true;
  const grid = await planSearches(scenario, flags, !isPreview);
  const highest = grid.cells.map(({ plan }) => highestOf(plan.search));
  for (const { settings } of highest) checkRoute(settings.target, settings);
  const cost = searchGridPreview(grid.cells.map(({ name, plan }) => ({ name, plan: plan.search })));
  if (isPreview) return print(cost);
  const progress = progressOn(flags.quiet);
  const isBegun = flags.out !== undefined && holds(flags.out, FILES.searches);
  if (flags.out !== undefined && isBegun) {
    requireSameGrid(flags.out, readSearches(flags.out), grid);
  }
  for (const notice of new Set(highest.flatMap((plan) => searchNotices(plan, flags, cost)))) progress.say(notice);
  const { waitFor } = resolveSettings("search", withWorkloads(scenario, flags)).values;
  const folder = flags.out !== undefined && isBegun ? resolve(flags.out) : createResultFolder(flags.out, "search-grid");
  const targets = new Map(highest.map((plan) => [plan.settings.target, { ...targetOf(plan), waitFor }]));
  await inResultFolder(folder, async () => {
    for (const target of targets.values()) await requireTarget(target, progress.say);
  });
  const result = await searchLeft(grid, scenario, folder, progress);
  const text = `\n${searchesTerminal(result, { colour: coloured() })}\n  report  ${join(folder, FILES.index)}\n`;
  printResult(text, () => searchesJson(result));
  process.exitCode = result.exitCode;
}

/** The search of a cell in a folder, if it was begun there: what the whole grid has was compared before. */
function begunIn(
  folder: string,
  axes: readonly string[],
): (cell: GridCell<CellPlan>) => { readonly dir: string; readonly search: SearchResult } | undefined {
  const dirs = readdirSync(folder).filter(
    (name) => /^search-\d+$/.test(name) && holds(join(folder, name), FILES.search),
  );
  const left = dirs.toSorted().map((dir) => ({ dir, search: readSearch(join(folder, dir)) }));
  // A search has a random seed of prompts, unless it is given.
  const isCompared = (name: string): boolean =>
    !["apiKeyEnv", "waitFor"].includes(name) && (name !== "promptSeed" || axes.includes("prompt-seed"));
  const textOf = (texts: SearchResult["settings"]): string =>
    JSON.stringify(Object.entries(texts).filter(([name]) => isCompared(name)));
  return ({ plan }) => {
    const own = textOf(plan.search.texts);
    const index = left.findIndex(({ search }) => textOf(search.settings) === own);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
}

/** Searches what is left. An interrupt ends the run that it meets, and the page has the searches so far. */
async function searchLeft(
  { grid, cells }: GridPlan<CellPlan>,
  scenario: string | undefined,
  folder: string,
  progress: Progress,
): Promise<SearchesResult> {
  const begun = begunIn(folder, grid.axes);
  const all = cells.map((cell) => ({ cell, before: begun(cell) }));
  const known = new Map<string, NamedSearch>();
  const add = ({ name, texts }: GridCell<CellPlan>, dir: string, search: SearchResult): void =>
    void known.set(name, { dir, cell: name, texts, search });
  for (const { cell, before } of all) if (before?.search.state === "ended") add(cell, before.dir, before.search);
  const write = async (): Promise<SearchesResult> => {
    const searches = compareSearches(inOrder(cells, known), { tool: TOOL, grid });
    await writeSearchesViews(folder, searches);
    return searches;
  };
  let result = await write();
  let isInterrupted = false;
  const stop = (): void => {
    isInterrupted = true;
  };
  await whileInterruptible(stop, async () => {
    for (const { cell, before } of all) {
      if (known.has(cell.name)) continue;
      if (isInterrupted) break;
      const dir = before?.dir ?? nextRunName(folder, "search");
      const own = join(folder, dir);
      const { plan, state } =
        before === undefined ? startedNow(cell.plan.search) : resumeSearch(own, scenario, cell.plan.flags);
      progress.say(`${before === undefined ? "Search" : "Resuming"} ${dir} of ${grid.cells}: ${cell.name} …`);
      if (before === undefined) createResultFolder(own, dir);
      const search = await runSearch(plan, own, state, progress);
      await writeSearchViews(own, search);
      add(cell, dir, search);
      result = await write();
      print(`${dir}  ${cell.name}  ${search.conclusion}\n`);
      if (search.state !== "ended") break;
    }
  });
  return result;
}

const inOrder = (cells: readonly GridCell<CellPlan>[], known: ReadonlyMap<string, NamedSearch>): NamedSearch[] =>
  cells.flatMap(({ name }) => known.get(name) ?? []);
