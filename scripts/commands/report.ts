/** `assay report`: regenerates the reports of a run from its records. */

import { Command } from "commander";
import { FILES } from "../../formats/file-names.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { ALL_FORMATS, FORMAT_NAMES, parseFormats, type ReportFormat } from "../../reports/report-formats.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type CommonFlags, withSettings } from "../cli/command-settings.ts";
import { coloured, print } from "../cli/console.mjs";
import { createResultFolder, holds } from "../cli/result-folder.ts";
import { conformanceLines, conformanceResultOf, writeConformanceViews } from "../views/conformance-views.ts";
import { loadResultOf, writeLoadViews } from "../views/load-views.ts";

interface ReportFlags extends CommonFlags {
  readonly format?: string;
}

export const command = withSettings(
  new Command("report")
    .description("regenerate the reports of a run from its records; merges several folders that are shards of one load")
    .argument("<dir...>", "result folders"),
)
  .option("--format <list>", `formats of the reports: ${FORMAT_NAMES.join(",")} (default: all)`)
  .action(async (folders: readonly string[], flags: ReportFlags) => {
    const formats = flags.format === undefined ? ALL_FORMATS : parseFormats(flags.format);
    process.exitCode = folders.every((folder) => holds(folder, FILES.records))
      ? await reportLoad(folders, formats, flags)
      : await reportConformance(folders, formats, flags);
  });

async function reportLoad(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: CommonFlags,
): Promise<number> {
  const run = await loadResultOf(folders);
  await writeLoadViews(destination(folders, flags), run, folders, formats);
  print(loadTerminal(run, { colour: coloured() }));
  return run.exitCode;
}

async function reportConformance(
  folders: readonly string[],
  formats: readonly ReportFormat[],
  flags: CommonFlags,
): Promise<number> {
  const [source] = folders;
  if (source === undefined || folders.length > 1 || !holds(source, FILES.verdicts)) {
    const seen = folders.filter((folder) => !holds(folder, FILES.records) && !holds(folder, FILES.verdicts));
    throw new UsageError(
      `Cannot report on ${folders.join(", ")}: ${seen.length > 0 ? `${seen[0]} contains neither ${FILES.records} nor ${FILES.verdicts}` : "only load runs can be merged"}. Name the result folder of a run.`,
    );
  }
  const result = await conformanceResultOf(source);
  await writeConformanceViews(source, result, formats, destination(folders, flags));
  print(await conformanceLines(source, result));
  return result.exitCode;
}

/** Where the reports go: `--out`, else beside the records of a single run, else a new folder. */
function destination(folders: readonly string[], { out }: CommonFlags): string {
  const [only] = folders;
  return out === undefined && folders.length === 1 && only !== undefined ? only : createResultFolder(out, "report");
}
