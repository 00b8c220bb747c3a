/** `assay ci`: a gate in a CI system: runs a command, compares it with a baseline, and reports to the system and the pull request. */

import { join } from "node:path";
import { Command } from "commander";
import { jsonFlag } from "../../cli/command-settings.ts";
import { notify, print, printResult } from "../../cli/console.mjs";
import { createResultFolder, holds } from "../../cli/result-folder.ts";
import { gateComment } from "../../reports/ci/gate-comment.ts";
import { gateFigures, gateVerdict } from "../../reports/ci/gate-result.ts";
import { comparisonIn, gateResultsIn, runsIn } from "../../runs/ci/gate-folder.ts";
import { postComment } from "../../runs/ci/post-comment.ts";
import { runGate } from "../../runs/ci/run-gate.ts";
import { tellRunner } from "../../runs/ci/tell-runner.ts";

const NAME = "assay";

interface RunFlags {
  readonly target: string;
  readonly args: string;
  readonly baseline: string;
  readonly maxRegression: string;
  readonly failOn: string;
  readonly out?: string;
  readonly name: string;
}

const run = new Command("run")
  .description("run a command and compare it with a baseline; an empty flag counts as absent")
  .argument("<command>", "what to run, as one text, such as 'load chat-stream'; also conformance and search")
  .option("--target <url>", "base address of the deployment under test", "")
  .option("--args <text>", "further flags of the command, as one text in which quotes keep words together", "")
  .option(
    "--baseline <what>",
    "load: a result folder, or the address of a second target, loaded in turn with the first; conformance: a file of known failures",
    "",
  )
  .option("--max-regression <limits>", "as of assay compare", "")
  .option("--fail-on <level>", "as of assay conformance", "")
  .option("--out <dir>", "new or empty folder for the results (default: a new one in out/)")
  .option("--name <name>", "names the gate where there are several", NAME)
  .addOption(jsonFlag())
  .addHelpText("after", "\nExample: assay ci run 'load chat-stream' --args '--rate 20' --baseline out/main\n")
  .action(async (command: string, { name, out, ...flags }: RunFlags) => {
    const folder = createResultFolder(out, "ci");
    await runGate({ command, folder, ...flags });
    const results = gateResultsIn(folder);
    const { word, exitCode, conclusion } = gateVerdict(results);
    const markdown = gateComment(results, { name });
    tellRunner({ results, markdown, report: reportIn(folder) });
    printResult(markdown, () => ({ verdict: word, exitCode, conclusion, folder, figures: gateFigures(results) }));
    process.exitCode = exitCode;
  });

/** The page of the comparison, else that of the run; the folder where there is none. */
function reportIn(folder: string): string {
  const pages = [comparisonIn(folder), ...runsIn(folder, "new")].flatMap((within) =>
    ["compare.html", "index.html", "run.html", "conformance.html", "search.html"]
      .filter((page) => holds(within, page))
      .map((page) => join(within, page)),
  );
  return pages[0] ?? folder;
}

interface CommentFlags {
  readonly name: string;
  readonly link?: string;
}

const comment = new Command("comment")
  .description("write the results of assay ci run into one comment of the pull or merge request of this job")
  .argument("<dir>", "result folder of assay ci run")
  .option("--name <name>", "names the gate where there are several", NAME)
  .option("--link <url>", "address of the report or of the artifact, for the comment")
  .addOption(jsonFlag())
  .addHelpText("after", "\nThe token is in GITHUB_TOKEN or GITLAB_TOKEN. Example: assay ci comment results\n")
  .action(async (folder: string, { name, link }: CommentFlags) => {
    const text = gateComment(gateResultsIn(folder), { name, link: link === "" ? undefined : link });
    notify(await postComment(text));
    print(text);
  });

export const command = new Command("ci").addCommand(run).addCommand(comment);
