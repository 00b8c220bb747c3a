/** `assay search`: finds the highest rate, or number of users, that meets the objectives. */

import { Command } from "commander";
import { onDemand, repeated, withSettings } from "../../cli/command-settings.ts";

const EXAMPLES = `
Examples:
  assay search chat-stream --target https://inference.example --slo 'ttft_p95<800ms' --rate 5 --max 200
  assay search chat --target https://inference.example --slo 'e2e_p95<10s' --vus 4 --max 256
  assay search chat-stream --target https://inference.example --resume out/search-chat-stream-20261121-180000`;

export const command = withSettings(new Command("search").argument("[scenario]", "as for assay load"), "search")
  .option("--resume <dir>", "resume an interrupted search, by its result folder; give its scenario and target again")
  .option(
    "--grid <name=values>",
    "search with each of these values, such as max-tokens=16,64; several settings: all combinations (repeatable)",
    repeated,
  )
  .option("--plan", "print what the search would cost, send nothing")
  .addHelpText("after", EXAMPLES)
  .action(onDemand(() => import("../../runs/search/search-command.ts")));
