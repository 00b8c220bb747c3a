/** The reports of a load that was repeated: of each run in its folder, and of the spread between them. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { notify } from "../../cli/console.mjs";
import { isEmpty } from "../../cli/file-lines.ts";
import { holds, recordedIn, writeWhole } from "../../cli/result-folder.ts";
import { readSavedResult } from "../../cli/saved-result.ts";
import { TOOL } from "../../cli/tool.mjs";
import { foldersIn, folderWithin } from "../../cli/trust.ts";
import { FILES } from "../../formats/file-names.ts";
import { type RepeatResult, repeatJson, repeatResult } from "../../formats/repeat.ts";
import { type RepeatedRun, summarizeRepeats } from "../../reports/compare/summarize-repeats.ts";
import { repeatSection } from "../../reports/compare/views/repeat-views.ts";
import { overviewHtml } from "../../reports/overview.ts";
import { type ReportFormat, USUAL_FORMATS } from "../../reports/report-formats.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { loadResultOf, writeLoadViews } from "./load-views.ts";

/**
 * Writes `repeat.json` and the page of a repeated load.
 * @param state how many runs were asked for, and whether the user ended them before their time
 * @throws UsageError when they cannot be written
 */
export function writeRepeatViews(
  folder: string,
  repeated: readonly RepeatedRun[],
  state: { readonly asked: number; readonly ended: boolean },
): RepeatResult {
  const result = summarizeRepeats(repeated, { ...state, tool: TOOL });
  const loads = repeated.map(({ dir, run }) => ({ result: run, href: `${dir}/run.html`, name: dir }));
  const title = `${result.scenario}, ${result.shape}`;
  const saved = recordedIn(repeated.map(({ dir }) => join(folder, dir)));
  writeWhole(folder, FILES.repeat, repeatJson(result), saved);
  writeWhole(folder, FILES.index, overviewHtml({ title, loads, tool: TOOL, more: [repeatSection(result)] }), saved);
  return result;
}

const RUN = /^run-[1-9]\d*$/;

/** The folders of the runs of a repeated load, in their order; a search and a grid count theirs from run-01. */
function runsIn(folder: string): readonly string[] {
  const names = foldersIn(folder).filter((name) => RUN.test(name));
  return names.includes("run-1") ? names.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })) : [];
}

/** Whether a folder is that of a repeated load, also of one that was killed in its first run. */
export const isRepeated = (folder: string): boolean =>
  holds(folder, FILES.repeat) ||
  (existsSync(folder) &&
    !holds(folder, FILES.records) &&
    runsIn(folder).some((name) => holds(folder, `${name}/${FILES.records}`)));

/** The runs of a repeated load that have records; each of the others is said by name. */
function recordedRunsIn(folder: string): readonly string[] {
  const runs = runsIn(folder);
  const recorded = runs.filter((name) => !isEmpty(join(folder, name, FILES.records)));
  for (const name of runs.filter((each) => !recorded.includes(each)))
    notify(`Skipped ${join(folder, name)}: nothing was recorded in it.`);
  return recorded;
}

/**
 * Makes the reports of a repeated load again, from the records of its runs, of one that was killed too.
 * @param out folder that gets them; that of the load itself or another
 * @throws UsageError when a run cannot be read
 */
export async function regenerateRepeats(
  folder: string,
  out: string,
  formats: readonly ReportFormat[] = USUAL_FORMATS,
): Promise<RepeatResult> {
  const known = holds(folder, FILES.repeat)
    ? readSavedResult(folder, FILES.repeat, repeatResult, "load with --repeat")
    : undefined;
  const dirs = new Set([...(known?.runs ?? []).map(({ dir }) => dir), ...recordedRunsIn(folder)]);
  if (dirs.size === 0) {
    throw new UsageError(`Cannot report on ${folder}: none of its runs recorded anything. Run the load again.`);
  }
  const repeated: RepeatedRun[] = [];
  for (const dir of dirs) {
    const source = folderWithin(folder, dir);
    const run = await loadResultOf([source]);
    const own = join(out, dir);
    if (!existsSync(own)) mkdirSync(own);
    folderWithin(out, dir);
    await writeLoadViews(own, run, [source], formats);
    repeated.push({ dir, run });
  }
  return writeRepeatViews(out, repeated, {
    asked: Math.max(known?.asked ?? 0, runsIn(folder).length),
    ended: known?.interrupted ?? true,
  });
}
