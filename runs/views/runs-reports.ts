/** The reports of several runs of unlike loads: of each run in its folder, and of what differs between them. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { recordedIn, writeWhole } from "../../cli/result-folder.ts";
import { readSavedResult } from "../../cli/saved-result.ts";
import { TOOL } from "../../cli/tool.mjs";
import { folderWithin } from "../../cli/trust.ts";
import { FILES } from "../../formats/file-names.ts";
import { type RunsResult, runsJson, runsResult } from "../../formats/runs.ts";
import { literal } from "../../lib/duckdb.mjs";
import type { ReportFormat } from "../../reports/report-formats.ts";
import { type Circumstances, compareRuns, type NamedRun } from "../../reports/runs/compare-runs.ts";
import { runsHtml, runsMarkdown } from "../../reports/runs/runs-views.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { loadResultOf, recordFoldersOf, recordHeaderOf, writeLoadViews } from "./load-views.ts";
import { RunDatabase } from "./run-database.ts";

/** Reads `runs.json`. @throws UsageError that says why it cannot be read */
export const readRuns = (folder: string): RunsResult =>
  readSavedResult(folder, FILES.runs, runsResult, "load with --grid");

/** Whether folders of records are of loads of their own, and no parts of one that machines shared. */
export async function areWholeLoads(folders: readonly string[]): Promise<boolean> {
  const headers = await Promise.all(folders.map(recordHeaderOf));
  return (
    folders.length > 1 && headers.every(({ segment, run }) => (segment ?? undefined) === undefined && run === undefined)
  );
}

/**
 * Writes `runs.json`, `runs.md`, `runs.parquet` and the page of several runs.
 * @throws UsageError when they cannot be written
 */
export async function writeRunsViews(
  folder: string,
  named: readonly NamedRun[],
  state: Omit<Circumstances, "tool">,
): Promise<RunsResult> {
  const result = compareRuns(named, { ...state, tool: TOOL });
  const saved = named.length === 0 ? "" : recordedIn(named.map(({ dir }) => join(folder, dir)));
  writeWhole(folder, FILES.runs, runsJson(result), saved);
  writeWhole(folder, "runs.md", runsMarkdown(result), saved);
  writeWhole(folder, FILES.index, runsHtml(result), saved);
  if (named.length > 0) await writeTable(folder, result);
  return result;
}

/** A row per run: what it is, the settings that differ, and all figures. */
async function writeTable(folder: string, { settings }: RunsResult): Promise<void> {
  const database = await RunDatabase.empty([folder]);
  const columns = [
    "* EXCLUDE (settings, figures)",
    ...(settings.length === 0 ? [] : ["unnest(settings)"]),
    "unnest(figures)",
  ];
  const runs = `unnest(runs, max_depth := 2) FROM read_json(${literal(join(folder, FILES.runs))}, map_inference_threshold = -1)`;
  try {
    await database.writeParquet(`SELECT ${columns.join(", ")} FROM (SELECT ${runs})`, join(folder, FILES.runTable));
  } finally {
    database.close();
  }
}

/**
 * Reports on the runs in these folders, each in a folder of its own within `out`.
 * @param formats of the reports of each run
 * @throws UsageError when a run cannot be read
 */
export async function reportRuns(
  sources: readonly string[],
  out: string,
  formats: readonly ReportFormat[],
): Promise<RunsResult> {
  const named: NamedRun[] = [];
  for (const [index, source] of sources.entries()) {
    const dir = `run-${String(index + 1).padStart(2, "0")}`;
    named.push({ dir, source, run: await writeRun(source, join(out, dir), formats) });
  }
  return writeRunsViews(out, named, {});
}

/**
 * Makes the reports of a grid again, from the records of its runs.
 * @throws UsageError when a run cannot be read, or the folder is a report on other folders
 */
export async function regenerateRuns(
  folder: string,
  out: string,
  formats: readonly ReportFormat[],
): Promise<RunsResult> {
  const { grid, runs } = readRuns(folder);
  if (grid === undefined) {
    throw new UsageError(
      `Cannot report on ${folder}: it is a report on other folders. Name these: ${runs.map(({ source }) => source ?? "").join(" ")}.`,
    );
  }
  const named: NamedRun[] = [];
  for (const { dir, cell } of runs) {
    const run = await writeRun(folderWithin(folder, dir), join(out, dir), formats);
    named.push({ dir, ...(cell !== undefined && { cell }), run });
  }
  return writeRunsViews(out, named, { grid, interrupted: runs.length < grid.cells });
}

async function writeRun(source: string, out: string, formats: readonly ReportFormat[]): Promise<NamedRun["run"]> {
  const parts = recordFoldersOf(source);
  const run = await loadResultOf(parts, { isMerged: parts[0] !== source });
  if (!existsSync(out)) mkdirSync(out);
  await writeLoadViews(out, run, parts, formats);
  return run;
}
