/** `assay report`: regenerates the reports of a run from its records, or compares the conformance of several targets. */

import { Command } from "commander";
import { FILES } from "../../formats/file-names.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { matrixTerminal } from "../../reports/matrix/terminal.ts";
import { ALL_FORMATS, FORMAT_NAMES, parseFormats, type ReportFormat } from "../../reports/report-formats.ts";
import { searchTerminal } from "../../reports/search/search-terminal.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type CommonFlags, withSettings } from "../cli/command-settings.ts";
import { coloured, notify, print } from "../cli/console.mjs";
import { InconclusiveError } from "../cli/exit-codes.ts";
import { createResultFolder, holds, isUnwritten } from "../cli/result-folder.ts";
import { readSearch, writeSearchViews } from "../search/search-folder.ts";
import { conformanceLines, writeConformanceViews } from "../views/conformance-views.ts";
import { loadResultOf, writeLoadViews } from "../views/load-views.ts";
import { kindOf, matrixOf, resultOf, writeMatrixViews } from "../views/matrix-views.ts";
import { PUBLISHED } from "../views/published-result.ts";

interface ReportFlags extends CommonFlags {
  readonly format?: string;
}

export const command = withSettings(
  new Command("report")
    .description(
      "regenerate the reports of a run from its records; merges several folders that are shards of one load, and compares several that hold conformance results, such as: assay report vendor-a vendor-b",
    )
    .argument("<dir...>", "result folders"),
)
  .option("--format <list>", `formats of the reports: ${FORMAT_NAMES.join(",")} (default: all)`)
  .action(async (folders: readonly string[], flags: ReportFlags) => {
    const formats = flags.format === undefined ? ALL_FORMATS : parseFormats(flags.format);
    const [only = ""] = folders;
    if (folders.length === 1 && holds(only, FILES.search)) {
      process.exitCode = await reportSearch(only, flags);
      return;
    }
    const held = folders.length > 1 ? withoutEmpty(folders) : folders;
    const kind = kindOfAll(held);
    if (kind === "load") process.exitCode = await reportLoad(held, formats, flags, folders.length > 1);
    else if (held.length > 1) process.exitCode = await reportSeveral(held, formats, flags);
    else process.exitCode = await reportConformance(held[0] ?? "", formats, flags);
  });

/**
 * The folders without those in which nothing was written, each of which is said: a cluster mounts a folder for the process
 * that prepares a load too, and leaves that of a runner which was killed before it began.
 */
function withoutEmpty(folders: readonly string[]): readonly string[] {
  const empty = folders.filter(isUnwritten);
  for (const folder of empty) notify(`Skipped ${folder}: nothing was written to it.`);
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
      `Cannot report on ${folders.join(", ")}: ${empty.folder} contains neither ${FILES.records} nor ${FILES.verdicts} nor ${PUBLISHED}. Name the result folder of a run.`,
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
async function reportSearch(folder: string, flags: CommonFlags): Promise<number> {
  const search = readSearch(folder);
  await writeSearchViews(destination([folder], flags), search);
  print(searchTerminal(search, { colour: coloured(), folder }));
  return search.exitCode;
}

async function reportLoad(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: CommonFlags,
  isMerged: boolean,
): Promise<number> {
  if (formats.every(({ load }) => load === undefined)) {
    throw new UsageError("Cannot write a badge or a summary of a load: they are of conformance results.");
  }
  const run = await loadResultOf(folders, isMerged);
  await writeLoadViews(destination(isMerged ? [] : folders, flags), run, folders, formats);
  print(loadTerminal(run, { colour: coloured() }));
  return run.exitCode;
}

async function reportConformance(
  folder: string,
  formats: readonly ReportFormat[],
  flags: CommonFlags,
): Promise<number> {
  const result = await resultOf(folder);
  await writeConformanceViews(folder, result, formats, destination([folder], flags));
  print(await conformanceLines(folder, result));
  return result.exitCode;
}

async function reportSeveral(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: CommonFlags,
): Promise<number> {
  const several = await matrixOf(folders);
  const out = destination(folders, flags);
  await writeMatrixViews(several, formats, out);
  print(`${matrixTerminal(several.matrix, { colour: coloured() })}${flags.quiet ? "" : `\nReport: ${out}\n`}`);
  return several.matrix.exitCode;
}

/** Where the reports go: `--out`, else beside the records of a single run, else a new folder. */
function destination(folders: readonly string[], { out }: CommonFlags): string {
  const [only] = folders;
  return out === undefined && folders.length === 1 && only !== undefined ? only : createResultFolder(out, "report");
}
