/** `assay search`: finds the highest load that meets the objectives. */

import { resolve } from "node:path";
import { Command } from "commander";
import { searchJson } from "../../formats/search.ts";
import { searchTerminal } from "../../reports/search/search-terminal.ts";
import { keyNotice } from "../cli/api-keys.ts";
import { type CommonFlags, resolveSettings, withSettings } from "../cli/command-settings.ts";
import { coloured, print, printResult, progressOn } from "../cli/console.mjs";
import { afterSearch, nextLine } from "../cli/next-command.ts";
import { folderForTarget, givenTarget, prefixNotice, requireTarget } from "../cli/target.ts";
import { targetOf } from "../load/connection.ts";
import { countWordsFor } from "../load/count-words.ts";
import { requireUsedFlags, withWorkloads } from "../load/named-load.ts";
import { checkOpenFiles, openFilesLimit } from "../load/open-files.ts";
import { planSearch } from "../search/plan-search.ts";
import { type BegunSearch, resumeSearch } from "../search/resume-search.ts";
import { runSearch } from "../search/run-search.ts";
import { writeSearchViews } from "../search/search-folder.ts";
import { searchPreview } from "../search/search-preview.ts";
import { scenarioTitle } from "../toolchain/bundle-scenario.ts";

type SearchFlags = CommonFlags & Readonly<Record<string, unknown>>;

const EXAMPLES = `
Examples:
  assay search chat-stream --target https://inference.example --slo 'ttft_p95<800ms' --rate 5 --max 200
  assay search chat --target https://inference.example --slo 'e2e_p95<10s' --vus 4 --max 256
  assay search chat-stream --target https://inference.example --resume out/search-chat-stream-20261121-180000`;

export const command = withSettings(new Command("search").argument("[scenario]", "as for assay load"), "search")
  .option("--resume <dir>", "resume an interrupted search, by its result folder; give its scenario and target again")
  .option("--plan", "print what the search would cost, send nothing")
  .addHelpText("after", EXAMPLES)
  .action(async (scenario: string | undefined, flags: SearchFlags) => {
    requireUsedFlags(scenario, flags);
    await countWordsFor("search", scenario, flags);
    const resumed = typeof flags["resume"] === "string" ? resolve(flags["resume"]) : undefined;
    const { plan, state } = resumed === undefined ? started(scenario, flags) : resumeSearch(resumed, scenario, flags);
    if (flags["plan"] === true) {
      print(searchPreview(plan));
      return;
    }
    const progress = progressOn(flags.quiet);
    const highest = plan.run(plan.space.max, plan.lengthOf(plan.space.max, "bracket", []), 0);
    for (const notice of [
      prefixNotice(givenTarget(flags), plan.target),
      keyNotice(highest.keys),
      checkOpenFiles(highest.settings, { of: 1 }, openFilesLimit()),
      searchPreview(plan).trimEnd(),
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
  });

function started(scenario: string | undefined, flags: SearchFlags): BegunSearch {
  return {
    plan: planSearch(scenario, flags, undefined, flags["plan"] !== true),
    state: { startedAt: new Date().toISOString(), steps: [] },
  };
}
