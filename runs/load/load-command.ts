/** What `assay load` does. */

import { join, resolve } from "node:path";
import { keyNotice } from "../../cli/api-keys.ts";
import { type CommonFlags, resolveSettings } from "../../cli/command-settings.ts";
import { coloured, print, printResult, progressOn } from "../../cli/console.mjs";
import { afterLoad, nextLine } from "../../cli/next-command.ts";
import { refusedHeader } from "../../cli/refused-header.ts";
import { createResultFolder, holds, inResultFolder } from "../../cli/result-folder.ts";
import { folderForTarget, givenTarget, prefixNotice, requireTarget, type UsedTarget } from "../../cli/target.ts";
import { FILES } from "../../formats/file-names.ts";
import { repeatJson } from "../../formats/repeat.ts";
import { type RunResult, runJson } from "../../formats/run.ts";
import { sentence } from "../../lib/text.ts";
import { repeatTerminal } from "../../reports/compare/views/repeat-views.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { traceInWords } from "../../reports/load/views/trace-words.ts";
import { checkRoute } from "../../route/route.ts";
import { scenarioTitle } from "../../toolchain/bundle-scenario.ts";
import { earlierInputs } from "../views/earlier-inputs.ts";
import { targetOf } from "./connection.ts";
import { countWordsFor } from "./count-words.ts";
import { gridPreview, loadPreview } from "./load-preview.ts";
import { measureLoad } from "./measure-load.ts";
import { requireUsedFlags, withWorkloads } from "./named-load.ts";
import { checkOpenFiles, openFilesLimit } from "./open-files.ts";
import { k6OutputNotice } from "./outputs/output-plan.ts";
import { type GridCell, planGrid } from "./plan-grid.ts";
import { type LoadPlan, planLoad } from "./plan-load.ts";
import { promptsNotice } from "./prompts-notice.ts";
import { repeatLoad } from "./repeat-load.ts";
import { repeatedNotice } from "./repeated-notice.ts";
import { endedRuns, printGrid, runGrid } from "./run-grid.ts";
import { startNotice, waitNotice } from "./segment-checks.ts";
import { undecidedNotice } from "./undecided-notice.ts";
import { weakerNotice } from "./weaker-notice.ts";

type LoadFlags = CommonFlags & { readonly against?: string; readonly grid?: readonly string[] } & Readonly<
    Record<string, unknown>
  >;

/** Runs the load that flags describe, or shows what it would send, and sets the exit code of the process. */
export async function run(scenario: string | undefined, flags: LoadFlags): Promise<void> {
  if (flags.grid !== undefined) return runCells(scenario, flags);
  const isPreview = flags["plan"] === true;
  requireUsedFlags(scenario, flags);
  await countWordsFor("load", scenario, flags);
  const plan = { ...planLoad(scenario, flags, undefined, !isPreview), ...(await earlierOf(flags)) };
  checkRoute(plan.settings.target, plan.settings);
  if (isPreview) {
    print(loadPreview(plan) + sentNotices(plan).join(""));
    return;
  }
  const progress = progressOn(flags.quiet, undefined, plan.repeat.times === 1);
  for (const notice of noticesOf(plan, flags)) progress.say(notice);
  const folder = await folderForTarget(
    usedTarget(plan, scenario, flags),
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
  const text = `${loadTerminal(run, { colour: coloured() })}\n  report  ${join(folder, "run.html")}\n${nextLine(afterLoad(run, folder, flags))}`;
  printResult(text, () => runJson(run));
  process.exitCode = run.exitCode;
}

/** The same of each combination of a grid: what is wrong with one is said before the first runs. */
async function runCells(scenario: string | undefined, flags: LoadFlags): Promise<void> {
  const isPreview = flags["plan"] === true;
  const grid = await planGrid(scenario, flags, !isPreview);
  const earlier = await earlierOf(flags);
  const cells = grid.cells.map((cell) => ({ ...cell, plan: { ...cell.plan, ...earlier } }));
  for (const { plan } of cells) checkRoute(plan.settings.target, plan.settings);
  const said = (of: (plan: LoadPlan) => readonly string[]) => ofCells(cells, of);
  if (isPreview) {
    print(gridPreview(grid.grid.axes, cells) + said(sentNotices).join(""));
    return;
  }
  const progress = progressOn(flags.quiet);
  const before = flags.out !== undefined && holds(flags.out, FILES.runs) ? endedRuns(flags.out, grid) : undefined;
  for (const notice of said((plan) => noticesOf(plan, flags))) progress.say(notice);
  const targets = [...new Map(cells.map(({ plan }) => [plan.settings.target, plan])).values()];
  const used = targets.map((plan) => usedTarget(plan, scenario, flags));
  const folder =
    before === undefined || flags.out === undefined ? createResultFolder(flags.out, "grid") : resolve(flags.out);
  await inResultFolder(folder, async () => {
    for (const target of used) await requireTarget(target, progress.say);
  });
  if (before !== undefined) progress.say(`Resuming: ${before.length} of ${cells.length} runs are in ${folder}.`);
  printGrid(await runGrid({ ...grid, cells }, folder, before ?? [], progress), folder);
}

/** What is said of combinations, each once: with those that it is about, unless it is about all. */
function ofCells(cells: readonly GridCell[], of: (plan: LoadPlan) => readonly string[]): readonly string[] {
  const all = cells.flatMap(({ name, plan }) => of(plan).map((text) => ({ name, text })));
  return [...new Set(all.map(({ text }) => text))].map((text) => {
    const names = all.flatMap((each) => (each.text === text ? [each.name] : []));
    return names.length === cells.length ? text : `${names.join("; ")}: ${text}`;
  });
}

const earlierOf = async ({ against }: LoadFlags): Promise<Pick<LoadPlan, "earlier">> =>
  against === undefined ? {} : { earlier: await earlierInputs(against) };

const isText = (text: string | undefined): text is string => text !== undefined;

/** What a user is told of what a load sends, as lines. */
const sentNotices = (plan: LoadPlan): readonly string[] =>
  [promptsNotice(plan), undecidedNotice(plan), repeatedNotice(plan)].filter(isText).map((notice) => `${notice}\n`);

function noticesOf(plan: LoadPlan, flags: LoadFlags): readonly string[] {
  const { settings, keys } = plan;
  const { segment, startAt } = settings;
  return [
    prefixNotice(givenTarget(flags), settings.target),
    keyNotice(keys),
    k6OutputNotice(),
    segment && startNotice(segment, settings),
    checkOpenFiles(settings, openFilesLimit()),
    weakerNotice(settings),
    undecidedNotice(plan),
    traceNotice(plan),
    promptsNotice(plan),
    repeatedNotice(plan),
    startAt === undefined ? undefined : waitNotice(startAt, Date.now()),
  ].filter(isText);
}

function usedTarget(plan: LoadPlan, scenario: string | undefined, flags: LoadFlags): UsedTarget {
  const { waitFor } = resolveSettings("load", withWorkloads(scenario, flags)).values;
  return { ...targetOf(plan), waitFor };
}

/** Whether the target refused each request for what it was, which a header may be the cause of. */
const refusedAll = ({ interrupted, counts, failures }: RunResult): boolean =>
  !interrupted &&
  counts.ok === 0 &&
  failures.length > 0 &&
  failures.every(({ outcome, status = 0 }) => outcome === "http_error" && status >= 400 && status < 500);

/** What was read of a trace is said before it is replayed: a wrong unit shows in its length and its rate. */
function traceNotice({ replayed }: LoadPlan): string | undefined {
  return replayed && sentence(traceInWords(replayed));
}
