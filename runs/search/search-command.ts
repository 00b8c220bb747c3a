/** What `assay search` does. */

import { resolve } from "node:path";
import { type CommonFlags, resolveSettings } from "../../cli/command-settings.ts";
import { coloured, print, printResult, progressOn } from "../../cli/console.mjs";
import { afterSearch, nextLine } from "../../cli/next-command.ts";
import { folderForTarget, requireTarget } from "../../cli/target.ts";
import { searchJson } from "../../formats/search.ts";
import { searchTerminal } from "../../reports/search/search-terminal.ts";
import { checkRoute } from "../../route/route.ts";
import { scenarioTitle } from "../../toolchain/bundle-scenario.ts";
import { targetOf } from "../load/connection.ts";
import { countWordsFor } from "../load/count-words.ts";
import { requireUsedFlags, withWorkloads } from "../load/named-load.ts";
import { repeatedNotice } from "../load/repeated-notice.ts";
import { highestOf, planSearch } from "./plan-search.ts";
import { resumeSearch, startedNow } from "./resume-search.ts";
import { runSearch } from "./run-search.ts";
import { writeSearchViews } from "./search-folder.ts";
import { runSearches } from "./search-grid.ts";
import { searchNotices, searchPreview } from "./search-preview.ts";

type SearchFlags = CommonFlags & Readonly<Record<string, unknown>>;

/** Begins or resumes the search that flags describe, or shows what it would cost, and sets the exit code of the process. */
export async function run(scenario: string | undefined, flags: SearchFlags): Promise<void> {
  if (flags["grid"] !== undefined) return runSearches(scenario, flags);
  requireUsedFlags(scenario, flags);
  await countWordsFor("search", scenario, flags);
  const resumed = typeof flags["resume"] === "string" ? resolve(flags["resume"]) : undefined;
  const isPreview = flags["plan"] === true;
  const { plan, state } =
    resumed === undefined
      ? startedNow(planSearch(scenario, flags, undefined, !isPreview))
      : resumeSearch(resumed, scenario, flags);
  const highest = highestOf(plan);
  checkRoute(plan.target, highest.settings);
  if (isPreview) {
    const repeated = repeatedNotice(highest, true);
    print(searchPreview(plan) + (repeated === undefined ? "" : `${repeated}\n`));
    return;
  }
  const progress = progressOn(flags.quiet);
  for (const notice of searchNotices(highest, flags, searchPreview(plan))) progress.say(notice);
  const target = {
    ...targetOf(highest),
    waitFor: resolveSettings("search", withWorkloads(scenario, flags)).values.waitFor,
  };
  if (resumed !== undefined) await requireTarget(target, progress.say);
  const folder =
    resumed ?? (await folderForTarget(target, flags.out, `search-${scenarioTitle(plan.scenario)}`, progress.say));
  const search = await runSearch(plan, folder, state, progress);
  const page = await writeSearchViews(folder, search);
  const text = `${searchTerminal(search, { colour: coloured(), folder })}\n  report  ${page}\n${nextLine(afterSearch(search, folder, flags))}`;
  printResult(text, () => searchJson(search));
  process.exitCode = search.exitCode;
}
