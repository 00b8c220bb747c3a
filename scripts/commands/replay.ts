/** `assay replay`: checks recorded exchanges or computes the result of a load again, without network. */

import { Command } from "commander";
import { type CommonFlags, withSettings } from "../../cli/command-settings.ts";
import { coloured, print, printResult } from "../../cli/console.mjs";
import { EXIT } from "../../cli/exit-codes.ts";
import { createResultFolder } from "../../cli/result-folder.ts";
import { conformanceJson } from "../../formats/conformance.ts";
import { runJson } from "../../formats/run.ts";
import { loadTerminal } from "../../reports/load/views/terminal.ts";
import { plural } from "../../reports/numbers.ts";
import { ALL_FORMATS } from "../../reports/report-formats.ts";
import type { Verification } from "../../reports/verification.ts";
import { VERIFIED, verificationLines } from "../../reports/verification-lines.ts";
import { replay } from "../../runs/conformance/replay-run.ts";
import { holdsLoad, replayLoad } from "../../runs/load/replay-load.ts";
import { conformanceLines, writeConformanceViews } from "../../runs/views/conformance-views.ts";
import { writeLoadViews } from "../../runs/views/load-views.ts";

export const command = withSettings(
  new Command("replay")
    .description(
      "check the recorded exchanges of a conformance run, or compute the result of a load, again without network; verify its conformance.json or run.json",
    )
    .argument("<dir>", "result folder of the run"),
).action(async (folder: string, flags: CommonFlags) => {
  process.exitCode = await (holdsLoad(folder) ? replayOfLoad(folder, flags) : replayOfConformance(folder, flags));
});

async function replayOfLoad(folder: string, { out }: CommonFlags): Promise<number> {
  const { run, sources, verification } = await replayLoad(folder);
  if (out !== undefined) await writeLoadViews(createResultFolder(out, "replay"), run, sources);
  printResult(loadTerminal(run, { colour: coloured() }), () => runJson(run));
  return concluded(run.exitCode, VERIFIED.load, verification);
}

async function replayOfConformance(folder: string, flags: CommonFlags): Promise<number> {
  const { result, changes, kept, unknown, verification } = await replay(folder);
  if (flags.out !== undefined) {
    await writeConformanceViews(folder, result, ALL_FORMATS, createResultFolder(flags.out, "replay"));
  }
  printResult(await conformanceLines(folder, result), () => conformanceJson(result));
  for (const { id, recorded, now } of changes) print(`\n${id} was ${recorded}, is now ${now}`);
  print(changes.length === 0 ? "\nAll verdicts are unchanged.\n" : "\n");
  if (kept.length > 0) {
    print(
      `${plural(kept.length, "verdict")} cannot be checked again, because a secret was taken out of their evidence: ${kept.join(", ")}\n`,
    );
  }
  if (unknown.length > 0) {
    print(
      `${plural(unknown.length, "verdict")} cannot be checked again, because this version has no such clause: ${unknown.join(", ")}\n`,
    );
  }
  return concluded(result.exitCode, VERIFIED.conformance, verification);
}

/** Prints whether a published result was reproduced. Nothing is concluded of the target from one that was not. */
function concluded(
  exitCode: number,
  verified: (typeof VERIFIED)[keyof typeof VERIFIED],
  verification: Verification | undefined,
): number {
  if (verification === undefined) return exitCode;
  print(verificationLines(verified, verification, { colour: coloured() }));
  const isReproduced = verification.differences.length === 0;
  return isReproduced || exitCode === EXIT.usage ? exitCode : EXIT.inconclusive;
}
