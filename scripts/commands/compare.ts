/** `assay compare`: whether the runs of one side are worse than those of another. */

import { basename, dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { type CommonFlags, repeated, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { coloured, printResult } from "../../cli/console.mjs";
import { afterComparison, nextLine } from "../../cli/next-command.ts";
import { createResultFolder, writeWhole } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import { compareJson } from "../../formats/compare.ts";
import { compareSides } from "../../reports/compare/compare-sides.ts";
import { both, type Sides } from "../../reports/compare/gate-data.ts";
import { type GateRequest, namedGates } from "../../reports/compare/gates.ts";
import { compareMarkdown } from "../../reports/compare/views/markdown.ts";
import { compareTerminal } from "../../reports/compare/views/terminal.ts";
import { USUAL_FORMATS } from "../../reports/report-formats.ts";
import { readSides, runFolders } from "../../runs/compare/read-sides.ts";
import type { RunDatabase } from "../../runs/views/run-database.ts";
import { UsageError } from "../../settings/usage-error.ts";

interface CompareFlags extends CommonFlags, Readonly<Record<string, unknown>> {
  readonly base?: readonly string[];
  readonly new?: readonly string[];
  readonly markdown?: string;
}

export const command = withSettings(
  new Command("compare")
    .description("compare load runs: better, worse, same or inconclusive, per metric (exit code 1: worse than allowed)")
    .argument("[base]", "result folder of a load, or of one with --repeat")
    .argument("[new]", "the same of the new runs")
    .option("--base <dir>", "a run of the base (repeatable)", repeated)
    .option("--new <dir>", "a new run (repeatable)", repeated)
    .option("--markdown <file>", "also write the Markdown there, for a pull request"),
  "compare",
)
  .addHelpText("after", "\nExample: assay compare out/main out/branch --max-regression 5%,ttft_p99=10%\n")
  .action(async (base: string | undefined, next: string | undefined, flags: CompareFlags) => {
    const { values } = resolveSettings("compare", flags);
    const request = { metrics: values.gate ?? [], limits: values.maxRegression ?? [] };
    namedGates(request);
    const sides = { base: sideOf("base", base, flags.base), new: sideOf("new", next, flags.new) };
    const { result, first } = await compareRuns(sides, request);
    const folder = createResultFolder(flags.out, "compare");
    for (const { ending, compare } of USUAL_FORMATS) {
      if (compare !== undefined) writeWhole(folder, `compare.${ending}`, await compare(result, first));
    }
    if (flags.markdown !== undefined) {
      const file = resolve(flags.markdown);
      writeWhole(dirname(file), basename(file), compareMarkdown(result));
    }
    const text = `${compareTerminal(result, { colour: coloured() })}\n  report  ${join(folder, "compare.html")}\n${nextLine(afterComparison(result))}`;
    printResult(text, () => compareJson(result));
    process.exitCode = result.exitCode;
  });

async function compareRuns(folders: Sides<readonly string[]>, request: GateRequest) {
  const opened: RunDatabase[] = [];
  try {
    const sides = await readSides(folders, opened);
    return { result: await compareSides(sides, request, TOOL), first: both(sides, ({ runs: [first] }) => first?.run) };
  } finally {
    for (const database of opened) database.close();
  }
}

/** The folders of the runs of one side. @throws UsageError when there is none */
function sideOf(side: "base" | "new", argument: string | undefined, flags: readonly string[] = []): readonly string[] {
  const folders = [...(argument === undefined ? [] : [argument]), ...flags];
  if (folders.length === 0) {
    throw new UsageError(
      `Cannot compare: no ${side} run was given. Name two result folders, such as assay compare out/main out/branch, or several with --base and --new.`,
    );
  }
  return folders.flatMap(runFolders);
}
