/** `assay replay`: checks recorded exchanges again, without network. */

import { Command } from "commander";
import { conformanceJson } from "../../formats/conformance.ts";
import { verificationLines } from "../../reports/conformance/verification-lines.ts";
import { plural } from "../../reports/numbers.ts";
import { ALL_FORMATS } from "../../reports/report-formats.ts";
import { type CommonFlags, withSettings } from "../cli/command-settings.ts";
import { coloured, print, printResult } from "../cli/console.mjs";
import { EXIT } from "../cli/exit-codes.ts";
import { createResultFolder } from "../cli/result-folder.ts";
import { replay } from "../conformance/replay-run.ts";
import { conformanceLines, writeConformanceViews } from "../views/conformance-views.ts";

export const command = withSettings(
  new Command("replay")
    .description(
      "check the recorded exchanges of a conformance run again, without network, and verify the conformance.json of their folder",
    )
    .argument("<dir>", "result folder of the run"),
).action(async (folder: string, flags: CommonFlags) => {
  const { result, changes, kept, unknown, verification } = await replay(folder);
  if (flags.out !== undefined) {
    await writeConformanceViews(folder, result, ALL_FORMATS, createResultFolder(flags.out, "replay"));
  }
  printResult(await conformanceLines(folder, result), () => conformanceJson(result));
  for (const { id, recorded, now } of changes) print(`\n${id} was ${recorded}, is now ${now}`);
  print(changes.length === 0 ? "\nAll verdicts are unchanged.\n" : "\n");
  if (kept.length > 0) {
    print(
      `${plural(kept.length, "verdict")} stand as recorded, for a secret was taken out of what they rest on: ${kept.join(", ")}\n`,
    );
  }
  if (unknown.length > 0) {
    print(
      `${plural(unknown.length, "verdict")} stand as recorded, for this version has no such clause: ${unknown.join(", ")}\n`,
    );
  }
  if (verification !== undefined) print(verificationLines(verification, { colour: coloured() }));
  const isReproduced = verification === undefined || verification.differences.length === 0;
  // Nothing is concluded of the target from a result that does not follow from its evidence.
  process.exitCode = isReproduced || result.exitCode === EXIT.usage ? result.exitCode : EXIT.inconclusive;
});
