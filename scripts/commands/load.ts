/** `assay load`: loads a target and measures it. */

import { join } from "node:path";
import { Command } from "commander";
import { FILES } from "../../formats/file-names.ts";
import { repeatJson } from "../../formats/repeat.ts";
import { runJson } from "../../formats/run.ts";
import { repeatTerminal } from "../../reports/compare/views/repeat-views.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { keyNotice } from "../cli/api-keys.ts";
import { type CommonFlags, resolveSettings, withSettings } from "../cli/command-settings.ts";
import { coloured, print, printResult, progressOn } from "../cli/console.mjs";
import { afterLoad, nextLine } from "../cli/next-command.ts";
import { inResultFolder } from "../cli/result-folder.ts";
import { folderForTarget, givenTarget, prefixNotice } from "../cli/target.ts";
import { targetOf } from "../load/connection.ts";
import { countWordsFor } from "../load/count-words.ts";
import { loadPreview } from "../load/load-preview.ts";
import { measureLoad } from "../load/measure-load.ts";
import { requireUsedFlags, withWorkloads } from "../load/named-load.ts";
import { checkOpenFiles, openFilesLimit } from "../load/open-files.ts";
import { k6OutputNotice } from "../load/outputs/output-plan.ts";
import { planLoad } from "../load/plan-load.ts";
import { repeatLoad } from "../load/repeat-load.ts";
import { startNotice, waitNotice } from "../load/segment-checks.ts";
import { undecidedNotice } from "../load/undecided-notice.ts";
import { SCENARIO_CHOICES, scenarioTitle } from "../toolchain/bundle-scenario.ts";

type LoadFlags = CommonFlags & Readonly<Record<string, unknown>>;

const EXAMPLES = `
Examples:
  assay load chat-stream --target https://inference.example --rate 20 --duration 30s --slo 'ttft_p95<800ms'
  assay load chat-stream --target https://inference.example --rate 20 --output web-dashboard --output csv=samples.csv
  assay load chat-stream --target https://inference.example --rate 20 --scrape https://inference.example/metrics
  assay load --target https://inference.example --workload team-load.yaml
`;

export const command = withSettings(new Command("load").argument("[scenario]", SCENARIO_CHOICES), "load")
  .option("--plan", "print what would be sent, send nothing")
  .addHelpText("after", EXAMPLES)
  .action(async (scenario: string | undefined, flags: LoadFlags) => {
    const isPreview = flags["plan"] === true;
    requireUsedFlags(scenario, flags);
    await countWordsFor("load", scenario, flags);
    const plan = planLoad(scenario, flags, undefined, !isPreview);
    const undecided = undecidedNotice(plan);
    if (isPreview) {
      print(loadPreview(plan) + (undecided === undefined ? "" : `${undecided}\n`));
      return;
    }
    const progress = progressOn(flags.quiet);
    const { segment, settings } = plan;
    const notices = [
      prefixNotice(givenTarget(flags), settings.target),
      keyNotice(plan.keys),
      k6OutputNotice(),
      segment && startNotice(segment, settings),
      checkOpenFiles(settings, segment ?? { of: 1 }, openFilesLimit()),
      undecided,
      settings.startAt === undefined ? undefined : waitNotice(settings.startAt, Date.now()),
    ];
    for (const notice of notices) {
      if (notice !== undefined) progress.say(notice);
    }
    const { waitFor } = resolveSettings("load", withWorkloads(scenario, flags)).values;
    const folder = await folderForTarget(
      { ...targetOf(plan), waitFor },
      flags.out,
      scenarioTitle(plan.scenario),
      progress.say,
    );
    if (plan.repeat.times > 1) {
      const repeated = await inResultFolder(folder, () => repeatLoad(plan, folder, progress));
      const text = `\n${repeatTerminal(repeated, { colour: coloured() })}\n  report  ${join(folder, FILES.index)}\n`;
      printResult(text, () => repeatJson(repeated));
      process.exitCode = repeated.exitCode;
      return;
    }
    const { run } = await measureLoad(plan, folder, progress);
    const text = `${loadTerminal(run, { colour: coloured() })}\n  report  ${join(folder, "run.html")}\n${nextLine(afterLoad(run, folder))}`;
    printResult(text, () => runJson(run));
    process.exitCode = run.exitCode;
  });
