/** `assay load`: loads a target and measures it. */

import { join } from "node:path";
import { Command } from "commander";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { SCENARIOS } from "../../scenarios/scenario-list.ts";
import { type CommonFlags, keyNotice, withSettings } from "../cli/command-settings.ts";
import { coloured, print, progressOn } from "../cli/console.mjs";
import { folderForTarget, givenTarget, prefixNotice } from "../cli/target.ts";
import { loadPreview } from "../load/load-preview.ts";
import { measureLoad } from "../load/measure-load.ts";
import { checkOpenFiles, openFilesLimit } from "../load/open-files.ts";
import { planLoad } from "../load/plan-load.ts";
import { startNotice, waitNotice } from "../load/segment-checks.ts";

type LoadFlags = CommonFlags & Readonly<Record<string, unknown>>;

export const command = withSettings(
  new Command("load")
    .description("load a target and measure it")
    .argument("<scenario>", `${Object.keys(SCENARIOS).join(", ")}, or a .ts or .js file of your own`),
  "load",
)
  .option("--plan", "print what would be sent, send nothing")
  .action(async (scenario: string, flags: LoadFlags) => {
    const plan = planLoad(scenario, flags);
    if (flags["plan"] === true) {
      print(loadPreview(plan));
      return;
    }
    const progress = progressOn(flags.quiet);
    const { segment, settings } = plan;
    const notices = [
      prefixNotice(givenTarget(flags), settings.target),
      keyNotice(plan.keys),
      segment && startNotice(segment, settings),
      checkOpenFiles(settings, segment ?? { of: 1 }, openFilesLimit()),
      settings.startAt === undefined ? undefined : waitNotice(settings.startAt, Date.now()),
    ];
    for (const notice of notices) {
      if (notice !== undefined) progress.say(notice);
    }
    const folder = await folderForTarget(plan.settings.target, flags.out, scenarioTitle(scenario));
    const run = await measureLoad(plan, folder, progress);
    print(`${loadTerminal(run, { colour: coloured() })}\n  report  ${join(folder, "run.html")}\n`);
    process.exitCode = run.exitCode;
  });

/** A scenario's name, or the file name of a user's own without its ending. */
const scenarioTitle = (scenario: string): string => scenario.replace(/^.*[/\\]/, "").replace(/\.\w+$/, "");
