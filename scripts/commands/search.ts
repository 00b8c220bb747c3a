/** `assay search`: finds the highest load that meets the objectives. */

import { resolve } from "node:path";
import { Command } from "commander";
import { searchTerminal } from "../../reports/search/search-terminal.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { settingKey } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type CommonFlags, keyNotice, withSettings } from "../cli/command-settings.ts";
import { coloured, print, progressOn } from "../cli/console.mjs";
import { folderForTarget, givenTarget, prefixNotice, requireReachable } from "../cli/target.ts";
import { checkOpenFiles, openFilesLimit } from "../load/open-files.ts";
import { planSearch, type SearchPlan } from "../search/plan-search.ts";
import { runSearch, type SearchState } from "../search/run-search.ts";
import { readSearch, writeSearchViews } from "../search/search-folder.ts";
import { searchPreview } from "../search/search-preview.ts";
import { scenarioTitle } from "../toolchain/bundle-scenario.ts";

type SearchFlags = CommonFlags & Readonly<Record<string, unknown>>;

const EXAMPLES = `
Examples:
  assay search chat-stream --target https://inference.example --slo 'ttft_p95<800ms' --rate 5 --max-rate 200
  assay search chat --target https://inference.example --slo 'e2e_p95<10s' --vus 4 --max-vus 256
  assay search --resume out/search-chat-stream-20261121-180000`;

export const command = withSettings(
  new Command("search")
    .description("find the highest rate, or number of users, that meets the objectives")
    .argument("[scenario]", "as for assay load; with --resume, that of the search"),
  "search",
)
  .option("--resume <dir>", "go on with a search that was cut off, by its result folder")
  .option("--plan", "print what the search would cost, send nothing")
  .addHelpText("after", EXAMPLES)
  .action(async (scenario: string | undefined, flags: SearchFlags) => {
    const resumed = typeof flags["resume"] === "string" ? resolve(flags["resume"]) : undefined;
    const { plan, state } = resumed === undefined ? started(scenario, flags) : continued(resumed, scenario, flags);
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
    if (resumed !== undefined) await requireReachable(plan.target);
    const folder = resumed ?? (await folderForTarget(plan.target, flags.out, `search-${scenarioTitle(plan.scenario)}`));
    const search = await runSearch(plan, folder, state, progress);
    const page = await writeSearchViews(folder, search);
    print(`${searchTerminal(search, { colour: coloured(), folder })}\n  report  ${page}\n`);
    process.exitCode = search.exitCode;
  });

type Begun = { readonly plan: SearchPlan; readonly state: SearchState };

function started(scenario: string | undefined, flags: SearchFlags): Begun {
  return {
    plan: planSearch(scenario, flags, undefined, flags["plan"] !== true),
    state: { startedAt: new Date().toISOString(), steps: [] },
  };
}

/** Budgets may be raised when a search goes on, and the key may be elsewhere; everything else stays as it was. */
const MAY_CHANGE = ["maxRuns", "maxArrivals", "apiKeyEnv"];

/** @throws UsageError when the search has ended, or a setting is to be changed that its runs depend on */
function continued(folder: string, scenario: string | undefined, flags: SearchFlags): Begun {
  const search = readSearch(folder);
  if (search.found !== null) {
    throw new UsageError(
      `Cannot resume the search in ${folder}: it has ended (${search.conclusion}). assay report ${folder} shows it; start a new one to search again.`,
    );
  }
  const changed = Object.keys(settingsFor("search")).find(
    (name) => flags[name] !== undefined && !MAY_CHANGE.includes(name),
  );
  if (changed !== undefined || (scenario !== undefined && scenario !== search.scenario)) {
    throw new UsageError(
      `Cannot resume the search in ${folder} with another ${changed === undefined ? "scenario" : `--${settingKey(changed)}`}: its runs could not be compared. Leave it out, or start a new search.`,
    );
  }
  const budgets = Object.fromEntries(
    MAY_CHANGE.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  );
  const plan = planSearch(
    search.scenario,
    { ...search.settings, ...budgets },
    { env: process.env },
    flags["plan"] !== true,
  );
  const steps = search.steps.filter(({ verdict }) => verdict !== "interrupted");
  return { plan, state: { startedAt: search.startedAt, steps } };
}
