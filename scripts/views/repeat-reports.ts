/** The reports of a load that was repeated: of each run in its folder, and of the spread between them. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { type RepeatResult, repeatJson, repeatResult } from "../../formats/repeat.ts";
import { type RepeatedRun, summarizeRepeats } from "../../reports/compare/summarize-repeats.ts";
import { repeatSection } from "../../reports/compare/views/repeat-views.ts";
import { overviewHtml } from "../../reports/overview.ts";
import { ALL_FORMATS, type ReportFormat } from "../../reports/report-formats.ts";
import { recordedIn, writeWhole } from "../cli/result-folder.ts";
import { readSavedResult } from "../cli/saved-result.ts";
import { TOOL } from "../cli/tool.mjs";
import { folderWithin } from "../cli/trust.ts";
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

/**
 * Makes the reports of a repeated load again, from the records of its runs.
 * @param out folder that gets them; that of the load itself or another
 * @throws UsageError when a run cannot be read
 */
export async function regenerateRepeats(
  folder: string,
  out: string,
  formats: readonly ReportFormat[] = ALL_FORMATS,
): Promise<RepeatResult> {
  const { asked, interrupted, runs } = readSavedResult(folder, FILES.repeat, repeatResult, "load with --repeat");
  const repeated: RepeatedRun[] = [];
  for (const { dir } of runs) {
    const source = folderWithin(folder, dir);
    const run = await loadResultOf([source]);
    const own = join(out, dir);
    if (!existsSync(own)) mkdirSync(own);
    folderWithin(out, dir);
    await writeLoadViews(own, run, [source], formats);
    repeated.push({ dir, run });
  }
  return writeRepeatViews(out, repeated, { asked, ended: interrupted });
}
