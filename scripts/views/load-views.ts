/** From the records in result folders to a load's result and its views. */

import { join } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { type RecordHeader, recordHeader } from "../../formats/records.ts";
import type { RunResult } from "../../formats/run.ts";
import { describeLoad } from "../../reports/load/read/load-description.ts";
import { differenceOf } from "../../reports/load/read/same-load.ts";
import { summarizeLoad } from "../../reports/load/summarize-load.ts";
import { ALL_FORMATS, type ReportFormat } from "../../reports/report-formats.ts";
import { objectivesOf } from "../../settings/load-table.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { headerOf } from "../cli/file-header.ts";
import { linesOf } from "../cli/file-lines.ts";
import { recordedIn, writeWhole } from "../cli/result-folder.ts";
import { TOOL } from "../cli/tool.ts";

/**
 * Summarizes the records of one run, or of the shards of one, in one folder each.
 * @throws UsageError when a folder holds no records of a run
 */
export async function loadResultOf(folders: readonly string[]): Promise<RunResult> {
  const headers = await Promise.all(folders.map(recordHeaderOf));
  const [first] = headers;
  if (first === undefined) throw new UsageError("Cannot read a run: no folder was given.");
  requireOneLoad(folders, headers);
  const { settings } = first;
  return summarizeLoad({
    shards: folders.map((folder) => ({
      records: linesOf(join(folder, FILES.records)),
      client: linesOf(join(folder, FILES.client)),
    })),
    slos: objectivesOf(settings),
    target: settings.target,
    scenario: settings.scenario,
    shape: describeLoad(
      settings,
      headers.map(({ segment }) => segment ?? undefined),
    ),
    tool: TOOL,
  });
}

async function recordHeaderOf(folder: string): Promise<RecordHeader> {
  const header = await headerOf(folder, FILES.records, recordHeader);
  if (header !== undefined) return header;
  throw new UsageError(
    `Cannot read the run in ${folder}: there is no ${FILES.records} in it, or it is empty. Name the result folder of a load.`,
  );
}

/** @throws UsageError that names the first setting in which two shards differ, and both values */
function requireOneLoad(folders: readonly string[], [first, ...others]: readonly RecordHeader[]): void {
  for (const [index, other] of others.entries()) {
    const difference = first && differenceOf(first.settings, other.settings);
    if (difference === undefined) continue;
    const { setting, values } = difference;
    throw new UsageError(
      `Cannot merge ${folders[0]} and ${folders[index + 1]}: they are not shards of one load, for ${setting} differs: ${values[0]} in the first, ${values[1]} in the other. Report on each alone, or run both with the same settings.`,
    );
  }
}

/**
 * Writes the views of a load, as `run.json`, `run.html`, `run.md` and `run.junit.xml`.
 * @param sources the folders that the result was read from
 * @throws UsageError when one cannot be written
 */
export async function writeLoadViews(
  folder: string,
  run: RunResult,
  sources: readonly string[],
  formats: readonly ReportFormat[] = ALL_FORMATS,
): Promise<void> {
  for (const { ending, load } of formats) {
    writeWhole(folder, `run.${ending}`, await load(run), recordedIn(sources));
  }
}
