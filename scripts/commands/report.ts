/** `assay report`: regenerates the reports of a run from its records, or compares the conformance of several targets. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { AGAINST, type CommonFlags, withSettings } from "../../cli/command-settings.ts";
import { coloured, notify, printResult } from "../../cli/console.mjs";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { createResultFolder, holds, inResultFolder, isUnwritten } from "../../cli/result-folder.ts";
import { conformanceJson } from "../../formats/conformance.ts";
import { conformanceMatrixJson } from "../../formats/conformance-matrix.ts";
import { FILES } from "../../formats/file-names.ts";
import { repeatJson } from "../../formats/repeat.ts";
import { runJson } from "../../formats/run.ts";
import { runsJson } from "../../formats/runs.ts";
import { searchJson } from "../../formats/search.ts";
import { searchesJson } from "../../formats/searches.ts";
import { endSentence } from "../../lib/text.ts";
import { repeatTerminal } from "../../reports/compare/views/repeat-views.ts";
import { TOOLS } from "../../reports/load/tools/tool-table.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { matrixTerminal } from "../../reports/matrix/terminal.ts";
import { FORMAT_NAMES, parseFormats, type ReportFormat, USUAL_FORMATS } from "../../reports/report-formats.ts";
import { runsTerminal } from "../../reports/runs/runs-views.ts";
import { searchTerminal } from "../../reports/search/search-terminal.ts";
import { searchesTerminal } from "../../reports/search/searches-views.ts";
import { readSearch, readSearches, writeSearchesViews, writeSearchViews } from "../../runs/search/search-folder.ts";
import { conformanceLines, writeConformanceViews } from "../../runs/views/conformance-views.ts";
import { earlierInputs } from "../../runs/views/earlier-inputs.ts";
import { adviceFor, loadResultOf, recordFoldersOf, withTools, writeLoadViews } from "../../runs/views/load-views.ts";
import { kindOf, matrixOf, resultOf, writeMatrixViews } from "../../runs/views/matrix-views.ts";
import { PUBLISHED } from "../../runs/views/published-result.ts";
import { isRepeated, regenerateRepeats } from "../../runs/views/repeat-reports.ts";
import { areWholeLoads, regenerateRuns, reportRuns } from "../../runs/views/runs-reports.ts";
import { notOneOf } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";

interface ReportFlags extends CommonFlags {
  readonly format?: string;
  readonly as?: string;
  readonly parquet?: boolean;
  readonly against?: string;
}

export const command = withSettings(
  new Command("report")
    .description(
      "regenerate the reports of a run from its records. Several folders: merge the shards of one load, or show how several loads or conformance results differ, such as: assay report vendor-a vendor-b",
    )
    .argument("<dir...>", "result folders"),
)
  .option("--format <list>", `formats of the reports: ${FORMAT_NAMES.join(",")} (default: all but card)`)
  .option("--parquet", "loads: also write requests and gaps between chunks as Parquet files")
  .option("--as <list>", `loads: what these tools would have printed (${Object.keys(TOOLS).join(",")})`)
  .option("--against <dir>", `of a load: ${AGAINST}`)
  .action(async (folders: readonly string[], flags: ReportFlags) => {
    const formats = flags.format === undefined ? USUAL_FORMATS : parseFormats(flags.format);
    const [only = ""] = folders;
    const report = folders.length === 1 ? reportOn(only, formats, flags) : reportTogether(folders, formats, flags);
    process.exitCode = await report;
  });

/** What a folder holds: a search, those of a grid, a grid of loads, a repeated load, a load that runners shared, a load, or a conformance run. */
async function reportOn(folder: string, formats: readonly ReportFormat[], flags: ReportFlags): Promise<number> {
  if (holds(folder, FILES.search)) return reportSearch(folder, flags);
  if (holds(folder, FILES.searches)) return reportSearches(folder, flags);
  if (holds(folder, FILES.runs)) return reportDiffering([folder], formats, flags);
  if (isRepeated(folder)) return reportRepeats(folder, formats, flags);
  const parts = recordFoldersOf(folder);
  const isMerged = parts[0] !== folder;
  const isLoad = isMerged || kindOfAll([folder]) === "load";
  return isLoad
    ? reportLoad(parts, formats, flags, { isMerged, beside: [folder] })
    : reportConformance(folder, formats, flags);
}

async function reportTogether(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: ReportFlags,
): Promise<number> {
  // That of a run on a cluster stands for those of its runners.
  const held = withoutEmpty(folders.flatMap(recordFoldersOf));
  const isLoad = kindOfAll(held) === "load";
  if (isLoad && (await areWholeLoads(held))) return reportDiffering(held, formats, flags);
  if (isLoad) return reportLoad(held, formats, flags, { isMerged: true, beside: [] });
  return held.length > 1 ? reportSeveral(held, formats, flags) : reportConformance(held[0] ?? "", formats, flags);
}

/**
 * The folders without those in which nothing was written, each of which is said: a cluster mounts a folder for the process
 * that prepares a load too, and leaves that of a runner which was killed before it began.
 */
function withoutEmpty(folders: readonly string[]): readonly string[] {
  const empty = folders.filter(isUnwritten);
  for (const folder of empty) notify(`Skipped ${folder}: it is empty.`);
  return empty.length === folders.length ? folders : folders.filter((folder) => !empty.includes(folder));
}

/**
 * What the folders hold.
 * @throws UsageError when one holds no result
 * @throws InconclusiveError when they hold results of both kinds
 */
function kindOfAll(folders: readonly string[]): "load" | "conformance" {
  const kinds = folders.map((folder) => ({ folder, kind: kindOf(folder) }));
  const empty = kinds.find(({ kind }) => kind === undefined);
  if (empty !== undefined) {
    throw new UsageError(
      `Cannot report on ${folders.join(", ")}: ${empty.folder} ${existsSync(empty.folder) ? `contains neither ${FILES.records} nor ${FILES.verdicts} nor ${PUBLISHED}` : "does not exist"}. ${adviceFor(empty.folder)}`,
    );
  }
  const load = kinds.find(({ kind }) => kind === "load");
  const other = kinds.find(({ kind }) => kind === "conformance");
  if (load === undefined || other === undefined) return load === undefined ? "conformance" : "load";
  throw new InconclusiveError(
    `Cannot report on ${folders.join(", ")} together: ${load.folder} holds a load and ${other.folder} a conformance run. Report on the loads and on the conformance runs apart.`,
  );
}

/** The runs of a search have reports of their own. */
async function reportSearch(folder: string, flags: ReportFlags): Promise<number> {
  requireNoOfLoad(flags);
  const search = readSearch(folder);
  await writeSearchViews(destination([folder], flags), search);
  printResult(searchTerminal(search, { colour: coloured(), folder }), () => searchJson(search));
  return search.exitCode;
}

/** The searches of a grid have a page of their own, and each has its own reports. */
async function reportSearches(folder: string, flags: ReportFlags): Promise<number> {
  requireNoOfLoad(flags);
  const searches = readSearches(folder);
  const page = await writeSearchesViews(destination([folder], flags), searches);
  const text = `${searchesTerminal(searches, { colour: coloured() })}\n  report  ${page}\n`;
  printResult(text, () => searchesJson(searches));
  return searches.exitCode;
}

/** Several loads, or those of a grid, have a page of what differs between them. */
async function reportDiffering(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: ReportFlags,
): Promise<number> {
  requireNoOfLoad(flags);
  const out = destination(folders, flags);
  const [only = ""] = folders;
  const result = await (folders.length === 1 ? regenerateRuns(only, out, formats) : reportRuns(folders, out, formats));
  const text = `${runsTerminal(result, { colour: coloured() })}\n  report  ${join(out, FILES.index)}\n`;
  printResult(text, () => runsJson(result));
  return result.exitCode;
}

/** The runs of a load that was repeated have a page of their own. */
async function reportRepeats(folder: string, formats: readonly ReportFormat[], flags: ReportFlags): Promise<number> {
  requireNoOfLoad(flags);
  const out = destination([folder], flags);
  const repeated = await regenerateRepeats(folder, out, formats);
  const text = `${repeatTerminal(repeated, { colour: coloured() })}\n  report  ${join(out, FILES.index)}\n`;
  printResult(text, () => repeatJson(repeated));
  return repeated.exitCode;
}

/** @param beside the folder that gets the reports where `--out` names none; empty: a new one */
async function reportLoad(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: ReportFlags,
  { isMerged, beside }: { readonly isMerged: boolean; readonly beside: readonly string[] },
): Promise<number> {
  if (formats.every(({ load }) => load === undefined)) {
    throw new UsageError("Cannot write a badge, a summary or a HAR file of a load: they are of conformance results.");
  }
  const tools = toolsIn(flags.as);
  const run = await intoDestination(beside, flags, async (out) => {
    const earlier = flags.against === undefined ? undefined : await earlierInputs(flags.against, folders);
    const read = await loadResultOf(folders, { isMerged, earlier });
    const result = tools.length === 0 ? read : await withTools(read, folders, tools);
    await writeLoadViews(out, result, folders, formats);
    if (flags.parquet === true) await writeTables(folders, out);
    return result;
  });
  printResult(loadTerminal(run, { colour: coloured() }), () => runJson(run));
  return run.exitCode;
}

/** Writes `requests.parquet` and `gaps.parquet`. */
async function writeTables(folders: readonly string[], out: string): Promise<void> {
  const { RunDatabase } = await import("../../runs/views/run-database.ts");
  const database = await RunDatabase.of(folders);
  try {
    await database.writeParquet("SELECT * EXCLUDE (gaps_us) FROM requests", join(out, FILES.requestTable));
    await database.writeParquet("FROM gaps", join(out, FILES.gapTable));
  } finally {
    database.close();
  }
}

/** @throws UsageError on a name that is not of a tool */
function toolsIn(list = ""): readonly string[] {
  const names = [...new Set(list.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  const unknown = names.find((name) => !Object.hasOwn(TOOLS, name));
  if (unknown === undefined) return names;
  throw new UsageError(`Cannot report as other tools: ${endSentence(notOneOf(unknown, Object.keys(TOOLS)))}`);
}

/** @throws UsageError when something is asked for that only a single load has */
function requireNoOfLoad({ as, parquet, against }: ReportFlags): void {
  const asked = [
    as && `report as other tools (--as ${as})`,
    parquet && "write tables (--parquet)",
    against && `look for repeated inputs (--against ${against})`,
  ];
  const what = asked.find(Boolean);
  if (!what) return;
  throw new UsageError(
    `Cannot ${what}: the folder holds no single load. Name the result folder of a load, such as run-1 of a repeated load.`,
  );
}

/** @throws UsageError when nothing but a report of a load is asked for */
function requireOfConformance(formats: readonly ReportFormat[]): void {
  if (formats.some(({ conformance }) => conformance !== undefined)) return;
  throw new UsageError(
    "Cannot write a card: it is of a load, and the folder holds a conformance result. Leave out --format card; --format badge,summary writes what is to be published.",
  );
}

async function reportConformance(
  folder: string,
  formats: readonly ReportFormat[],
  flags: ReportFlags,
): Promise<number> {
  requireNoOfLoad(flags);
  requireOfConformance(formats);
  const result = await intoDestination([folder], flags, async (out) => {
    const read = await resultOf(folder);
    await writeConformanceViews(folder, read, formats, out);
    return read;
  });
  printResult(await conformanceLines(folder, result), () => conformanceJson(result));
  return result.exitCode;
}

async function reportSeveral(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: ReportFlags,
): Promise<number> {
  requireNoOfLoad(flags);
  requireOfConformance(formats);
  return intoDestination(folders, flags, async (out) => {
    const several = await matrixOf(folders);
    await writeMatrixViews(several, formats, out);
    const text = `${matrixTerminal(several.matrix, { colour: coloured() })}${flags.quiet ? "" : `\nReport: ${out}\n`}`;
    printResult(text, () => conformanceMatrixJson(several.matrix));
    return several.matrix.exitCode;
  });
}

/** Makes reports for where they go, which is refused before anything is read. */
function intoDestination<T>(
  folders: readonly string[],
  flags: CommonFlags,
  make: (out: string) => Promise<T>,
): Promise<T> {
  const out = destination(folders, flags);
  return inResultFolder(out, () => make(out));
}

/** Where the reports go: `--out`, else beside the records of a single run, else a new folder. */
function destination(folders: readonly string[], { out }: CommonFlags): string {
  const [only] = folders;
  return out === undefined && folders.length === 1 && only !== undefined ? only : createResultFolder(out, "report");
}
