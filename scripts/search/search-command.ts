/** What `assay search` does. */

import { resolve } from "node:path";
import { searchJson } from "../../formats/search.ts";
import { searchTerminal } from "../../reports/search/search-terminal.ts";
import { checkRoute } from "../../route/route.ts";
import { keyNotice } from "../cli/api-keys.ts";
import { type CommonFlags, resolveSettings } from "../cli/command-settings.ts";
import { coloured, print, printResult, progressOn } from "../cli/console.mjs";
import { afterSearch, nextLine } from "../cli/next-command.ts";
import { folderForTarget, givenTarget, prefixNotice, requireTarget } from "../cli/target.ts";
import { targetOf } from "../load/connection.ts";
import { countWordsFor } from "../load/count-words.ts";
import { requireUsedFlags, withWorkloads } from "../load/named-load.ts";
import { checkOpenFiles, openFilesLimit } from "../load/open-files.ts";
import { repeatedNotice } from "../load/repeated-notice.ts";
import { scenarioTitle } from "../toolchain/bundle-scenario.ts";
import { planSearch } from "./plan-search.ts";
import { type BegunSearch, resumeSearch } from "./resume-search.ts";
import { runSearch } from "./run-search.ts";
import { writeSearchViews } from "./search-folder.ts";
import { runSearches } from "./search-grid.ts";
import { searchPreview } from "./search-preview.ts";

type SearchFlags = CommonFlags & Readonly<Record<string, unknown>>;

/** Begins or resumes the search that flags describe, or shows what it would cost, and sets the exit code of the process. */
export async function run(scenario: string | undefined, flags: SearchFlags): Promise<void> {
  if (flags["grid"] !== undefined) return runSearches(scenario, flags);
  requireUsedFlags(scenario, flags);
  await countWordsFor("search", scenario, flags);
  const resumed = typeof flags["resume"] === "string" ? resolve(flags["resume"]) : undefined;
  const { plan, state } = resumed === undefined ? started(scenario, flags) : resumeSearch(resumed, scenario, flags);
  const highest = plan.run(plan.space.max, plan.lengthOf(plan.space.max, "bracket", []), 0);
  checkRoute(plan.target, highest.settings);
  const repeated = repeatedNotice(highest, true);
  if (flags["plan"] === true) {
    print(searchPreview(plan) + (repeated === undefined ? "" : `${repeated}\n`));
    return;
  }
  const progress = progressOn(flags.quiet);
  for (const notice of [
    prefixNotice(givenTarget(flags), plan.target),
    keyNotice(highest.keys),
    checkOpenFiles(highest.settings, openFilesLimit()),
    searchPreview(plan).trimEnd(),
    repeated,
  ]) {
    if (notice !== undefined) progress.say(notice);
  }
  const target = {
    ...targetOf(highest),
    waitFor: resolveSettings("search", withWorkloads(scenario, flags)).values.waitFor,
  };
  if (resumed !== undefined) await requireTarget(target, progress.say);
  const folder =
    resumed ?? (await folderForTarget(target, flags.out, `search-${scenarioTitle(plan.scenario)}`, progress.say));
  const search = await runSearch(plan, folder, state, progress);
  const page = await writeSearchViews(folder, search);
  const text = `${searchTerminal(search, { colour: coloured(), folder })}\n  report  ${page}\n${nextLine(afterSearch(search, folder))}`;
  printResult(text, () => searchJson(search));
  process.exitCode = search.exitCode;
}

function started(scenario: string | undefined, flags: SearchFlags): BegunSearch {
  return {
    plan: planSearch(scenario, flags, undefined, flags["plan"] !== true),
    state: { startedAt: new Date().toISOString(), steps: [] },
  };
}
