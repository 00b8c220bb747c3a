/** Runs what a grid has left, each run in a folder of its own, and writes the page of all. */

import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { coloured, type Progress, print, printResult } from "../../cli/console.mjs";
import { untilInterrupted } from "../../cli/interrupt.ts";
import { createResultFolder } from "../../cli/result-folder.ts";
import { readSavedResult } from "../../cli/saved-result.ts";
import { folderWithin } from "../../cli/trust.ts";
import { FILES } from "../../formats/file-names.ts";
import { runResult } from "../../formats/run.ts";
import { type RunsResult, runsJson } from "../../formats/runs.ts";
import { loadLine } from "../../reports/load/views/one-line.ts";
import type { NamedRun } from "../../reports/runs/compare-runs.ts";
import { runsTerminal } from "../../reports/runs/runs-views.ts";
import { nextRunName } from "../search/search-folder.ts";
import { readRuns, writeRunsViews } from "../views/runs-reports.ts";
import { waitAfterFailures } from "./await-serving.ts";
import { targetOf } from "./connection.ts";
import { type GridPlan, requireSameGrid } from "./plan-grid.ts";
import { measured } from "./repeat-load.ts";

/**
 * The runs of a grid that ended in a folder before.
 * @throws UsageError when the folder is of another command, or one of them cannot be read
 */
export function endedRuns(folder: string, plan: GridPlan): readonly NamedRun[] {
  const before = readRuns(folder);
  requireSameGrid(folder, before, plan);
  return before.runs.map(({ dir, cell = "" }) => {
    return { dir, cell, run: readSavedResult(folderWithin(folder, dir), "run.json", runResult, "load") };
  });
}

/**
 * Runs the combinations that are left. An interrupt ends the run or the pause that it meets; the page has the runs that ended.
 * A target that stopped responding ends the grid too.
 * @param ended the runs that the folder has
 * @throws as `measureLoad` does; the runs that ended are saved
 */
export async function runGrid(
  plan: GridPlan,
  folder: string,
  ended: readonly NamedRun[],
  progress: Progress,
): Promise<RunsResult> {
  return untilInterrupted(progress, (signal) => runLeft(plan, [...ended], { folder, progress, signal }));
}

interface Running {
  readonly folder: string;
  readonly progress: Progress;
  /** Aborts when no further run is to start. */
  readonly signal: AbortSignal;
}

async function runLeft({ grid, cells }: GridPlan, named: NamedRun[], running: Running): Promise<RunsResult> {
  const { folder, progress, signal } = running;
  const left = cells.filter(({ name }) => !named.some(({ cell }) => cell === name));
  let result = await writeRunsViews(folder, named, { grid, interrupted: left.length > 0 });
  const [first] = left;
  const ready = waitAfterFailures(first ? targetOf(first.plan) : { endpoints: [] }, { say: progress.say, signal });
  for (const { name, plan } of left) {
    await ready(named.at(-1)?.run.metrics["error_rate"]?.value);
    if (signal.aborted) break;
    const dir = nextRunName(folder);
    progress.say(`Run ${named.length + 1} of ${grid.cells}: ${name}, seed ${plan.settings.seed} …`);
    const { run } = await measured(plan, createResultFolder(join(folder, dir), dir), progress, true);
    if (run === undefined || (run.interrupted && run.aborted === undefined)) break;
    named.push({ dir, cell: name, run });
    print(`${dir}  ${name}  ${loadLine(run, { colour: coloured() })}\n`);
    const isLast = named.length === grid.cells;
    result = await writeRunsViews(folder, named, { grid, interrupted: !isLast });
    // The target no longer responds: the other runs would show the same.
    if (run.aborted !== undefined && run.aborted.expr === undefined) break;
    if (!isLast) await setTimeout(plan.repeat.pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return result;
}

/** Prints what a grid measured, and sets the exit code of the process. */
export function printGrid(result: RunsResult, folder: string): void {
  const left = (result.grid?.cells ?? 0) - result.runs.length;
  const more =
    left === 0 ? "" : `  left    ${left} of ${result.grid?.cells}: the same command with --out ${folder} runs them\n`;
  printResult(
    `\n${runsTerminal(result, { colour: coloured() })}\n  report  ${join(folder, FILES.index)}\n${more}`,
    () => runsJson(result),
  );
  process.exitCode = result.exitCode;
}
