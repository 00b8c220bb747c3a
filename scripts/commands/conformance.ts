/** `assay conformance`: judges a target clause by clause. */

import { Command } from "commander";
import { CONFORMANCE_SETTINGS, runConformance } from "../conformance.ts";
import { withSettings } from "../settings.ts";

export const command = withSettings(
  new Command("conformance").description("judge a target against every statement of the service's document"),
  CONFORMANCE_SETTINGS,
)
  .option("--list", "print the clauses, send nothing")
  .option("--plan", "print what would be sent, send nothing")
  .action(async (flags) => {
    process.exitCode = await runConformance(flags);
  });
