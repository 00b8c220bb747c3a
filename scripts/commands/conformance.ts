/** `assay conformance`: checks a target, clause by clause. */

import { Command } from "commander";
import { onDemand, withSettings } from "../../cli/command-settings.ts";

export const command = withSettings(new Command("conformance"), "conformance")
  .option("--list", "print every clause with its level, send nothing")
  .option("--plan", "print what would be sent, send nothing")
  .action(onDemand(() => import("../../runs/conformance/conformance-command.ts")));
