/** `assay history`: many results on one page, and where they changed. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { type CommonFlags, repeated, withSettings } from "../../cli/command-settings.ts";
import { coloured, printResult } from "../../cli/console.mjs";
import { createResultFolder, writeWhole } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import { FILES } from "../../formats/file-names.ts";
import { type HistoryLine, historyLineJson } from "../../formats/history.ts";
import { historySummaryJson } from "../../formats/history-summary.ts";
import { shorten } from "../../lib/text.ts";
import { buildHistory, type History, hasTags } from "../../reports/history/build-history.ts";
import { historyTerminal } from "../../reports/history/history-terminal.ts";
import { appendLines } from "../../runs/history/history-file.ts";
import { HistoryReader } from "../../runs/history/read-history.ts";
import { parseTags, type Tags } from "../../settings/label-table.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

interface HistoryFlags extends CommonFlags {
  readonly append?: string;
  readonly tag?: readonly Tags[];
  readonly name?: readonly string[];
}

const EXAMPLES = `
Examples:
  assay history out
  assay history results --append history.jsonl --out page
  assay history history.jsonl --name nightly --tag branch=main
`;

export const command = withSettings(
  new Command("history")
    .argument("<path...>", "result folders, folders that contain such, and history files")
    .option("--append <file>", "add the results to this history file, and show all of its results")
    .option("--name <name>", "show only results of this name (repeatable)", repeated)
    .option("--tag <name=value>", "show only results with this tag (repeatable)", readTag),
)
  .addHelpText("after", EXAMPLES)
  .action(async (paths: readonly string[], flags: HistoryFlags) => {
    const { history, file } = await readAll(paths, flags);
    const folder = createResultFolder(flags.out, "history");
    if (file === undefined) {
      writeWhole(folder, FILES.history, history.summary.results.map(historyLineJson).join(""));
    }
    // The chart library takes half a second to load.
    const { historyHtml } = await import("../../reports/history/history-html.ts");
    writeWhole(folder, "history.html", historyHtml(history));
    const text = `${historyTerminal(history, { colour: coloured() })}\n  report  ${join(folder, "history.html")}\n  data    ${file ?? join(folder, FILES.history)}\n`;
    printResult(text, () => historySummaryJson(history.summary));
  });

/** What is to be shown, and the file to which it was added. */
async function readAll(
  paths: readonly string[],
  { append, tag = [], name }: HistoryFlags,
): Promise<{
  readonly history: History;
  readonly file: string | undefined;
}> {
  const reader = new HistoryReader();
  const file = append === undefined ? undefined : resolve(append);
  if (file !== undefined && existsSync(file)) await reader.readFile(file);
  const known = reader.lines.length;
  for (const path of paths) await reader.read(path);
  const { lines, unreadable } = reader;
  if (lines.length === 0) {
    const [first] = unreadable;
    throw new UsageError(
      `Cannot show the history of ${paths.join(", ")}: no result was found. ${first ?? "A result folder holds a run.json or a conformance.json; name one, or a folder of such."}`,
    );
  }
  if (file !== undefined) appendLines(file, lines.slice(known));
  const shown = lines.filter((line) => hasTags(line, tag) && (name === undefined || name.includes(line.name ?? "")));
  if (shown.length > 0) return { history: buildHistory(shown, TOOL, unreadable), file };
  throw new UsageError(
    `Cannot show the history of ${paths.join(", ")}: none of ${lines.length} results has the name and the tags that --name and --tag ask for. ${namesOf(lines)}`,
  );
}

/** What to do about a filter that no result passes. */
function namesOf(lines: readonly HistoryLine[]): string {
  const names = [...new Set(lines.flatMap(({ name }) => name ?? []))];
  if (names.length === 0)
    return "Leave one out, or give loads and conformance runs a name and tags with --name and --tag.";
  return `Leave one out; the names are ${shorten(names.join(", "), 200)}.`;
}

function readTag(text: string, before: readonly Tags[] = []): readonly Tags[] {
  try {
    return [...before, parseTags(text)];
  } catch (error) {
    throw new UsageError(`Cannot read --tag: ${reasonOf(error)}.`);
  }
}
