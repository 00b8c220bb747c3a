/** `assay bundle`: a load as a folder, for a k6 that Assay does not start. */

import { constants, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { type CommonFlags, SCENARIO_CHOICES, withoutHelp, withSettings } from "../../cli/command-settings.ts";
import { print } from "../../cli/console.mjs";
import { createResultFolder, inResultFolder } from "../../cli/result-folder.ts";
import { FILES } from "../../formats/file-names.ts";
import { LOCAL_SETTINGS, planPortable, portableLoad } from "../../runs/bundle/portable-load.ts";
import { runScript } from "../../runs/bundle/run-script.ts";
import { countWordsFor } from "../../runs/load/count-words.ts";
import { bundleScenario } from "../../toolchain/bundle-scenario.ts";

type BundleFlags = CommonFlags & Readonly<Record<string, unknown>>;

/** Beside the bundle; runs it. */
const SCRIPT = "run.sh";

export const command = withoutHelp(
  withSettings(
    new Command("bundle")
      .description(
        "write a load as a folder for a k6 on another machine: the bundle, its files, and a script that runs it",
      )
      .argument("[scenario]", SCENARIO_CHOICES),
    "load",
  ),
  LOCAL_SETTINGS,
)
  .addHelpText("after", "\nExample: assay bundle chat-stream --target https://inference.example --rate 100 --out load")
  .action(async (scenario: string | undefined, flags: BundleFlags) => {
    await countWordsFor("load", scenario, flags);
    const plan = planPortable(scenario, flags);
    const load = portableLoad(plan, ".");
    const folder = createResultFolder(flags.out, "bundle");
    await inResultFolder(folder, () => bundleScenario(plan.entry, join(folder, FILES.bundle)));
    for (const file of load.files) {
      const path = join(folder, file.name);
      if ("source" in file) copyFileSync(file.source, path, constants.COPYFILE_EXCL);
      else writeFileSync(path, file.text, { flag: "wx" });
    }
    writeFileSync(join(folder, SCRIPT), runScript(load, `Loads ${plan.settings.target} with ${plan.scenario}.`), {
      flag: "wx",
      mode: 0o755,
    });
    print(`Wrote ${folder}. Copy it to any machine, and run there: sh ${SCRIPT} RESULTS\n`);
  });
