/** What `assay load` does. */

import { join } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { repeatJson } from "../../formats/repeat.ts";
import { type RunResult, runJson } from "../../formats/run.ts";
import { sentence } from "../../lib/text.ts";
import { repeatTerminal } from "../../reports/compare/views/repeat-views.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { checkRoute } from "../../route/route.ts";
import { keyNotice } from "../cli/api-keys.ts";
import { type CommonFlags, resolveSettings } from "../cli/command-settings.ts";
import { coloured, print, printResult, progressOn } from "../cli/console.mjs";
import { afterLoad, nextLine } from "../cli/next-command.ts";
import { refusedHeader } from "../cli/refused-header.ts";
import { inResultFolder } from "../cli/result-folder.ts";
import { folderForTarget, givenTarget, prefixNotice } from "../cli/target.ts";
import { scenarioTitle } from "../toolchain/bundle-scenario.ts";
import { earlierInputs } from "../views/earlier-inputs.ts";
import { targetOf } from "./connection.ts";
import { countWordsFor } from "./count-words.ts";
import { loadPreview } from "./load-preview.ts";
import { measureLoad } from "./measure-load.ts";
import { requireUsedFlags, withWorkloads } from "./named-load.ts";
import { checkOpenFiles, openFilesLimit } from "./open-files.ts";
import { k6OutputNotice } from "./outputs/output-plan.ts";
import { planLoad } from "./plan-load.ts";
import { promptsNotice } from "./prompts-notice.ts";
import { repeatLoad } from "./repeat-load.ts";
import { repeatedNotice } from "./repeated-notice.ts";
import { startNotice, waitNotice } from "./segment-checks.ts";
import { traceNotice } from "./trace-notice.ts";
import { undecidedNotice } from "./undecided-notice.ts";

type LoadFlags = CommonFlags & { readonly against?: string } & Readonly<Record<string, unknown>>;

/** Runs the load that flags describe, or shows what it would send, and sets the exit code of the process. */
export async function run(scenario: string | undefined, flags: LoadFlags): Promise<void> {
  const isPreview = flags["plan"] === true;
  requireUsedFlags(scenario, flags);
  await countWordsFor("load", scenario, flags);
  const planned = planLoad(scenario, flags, undefined, !isPreview);
  const plan = flags.against === undefined ? planned : { ...planned, earlier: await earlierInputs(flags.against) };
  checkRoute(plan.settings.target, plan.settings);
  const undecided = undecidedNotice(plan);
  if (isPreview) {
    const notices = [promptsNotice(plan), undecided, repeatedNotice(plan)].flatMap((notice) =>
      notice === undefined ? [] : [`${notice}\n`],
    );
    print(loadPreview(plan) + notices.join(""));
    return;
  }
  const progress = progressOn(flags.quiet, undefined, plan.repeat.times === 1);
  const { settings } = plan;
  const { segment } = settings;
  const notices = [
    prefixNotice(givenTarget(flags), settings.target),
    keyNotice(plan.keys),
    k6OutputNotice(),
    segment && startNotice(segment, settings),
    checkOpenFiles(settings, openFilesLimit()),
    undecided,
    traceNotice(plan),
    promptsNotice(plan),
    repeatedNotice(plan),
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
  const header = refusedAll(run) ? await refusedHeader(targetOf(plan).endpoints) : undefined;
  if (header !== undefined) progress.say(sentence(header));
  const text = `${loadTerminal(run, { colour: coloured() })}\n  report  ${join(folder, "run.html")}\n${nextLine(afterLoad(run, folder))}`;
  printResult(text, () => runJson(run));
  process.exitCode = run.exitCode;
}

/** Whether the target refused each request for what it was, which a header may be the cause of. */
const refusedAll = ({ interrupted, counts, failures }: RunResult): boolean =>
  !interrupted &&
  counts.ok === 0 &&
  failures.length > 0 &&
  failures.every(({ outcome, status = 0 }) => outcome === "http_error" && status >= 400 && status < 500);
