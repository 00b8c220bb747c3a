/** `assay load`: loads a target and measures it. */

import { Command } from "commander";
import { AGAINST, onDemand, repeated, SCENARIO_CHOICES, withSettings } from "../../cli/command-settings.ts";

const EXAMPLES = `
Examples:
  assay load chat-stream --target https://inference.example --rate 20 --duration 30s --slo 'ttft_p95<800ms'
  assay load --target https://inference.example --workload team-load.yaml
  assay load chat-stream --target https://inference.example --grid rate=5,10,20 --grid max-tokens=64,256`;

export const command = withSettings(new Command("load").argument("[scenario]", SCENARIO_CHOICES), "load")
  .option("--plan", "print what would be sent, send nothing")
  .option("--against <dir>", AGAINST)
  .option(
    "--grid <name=values>",
    "run the load with each of these values, such as rate=5,10,20; several settings: all combinations (repeatable)",
    repeated,
  )
  .addHelpText("after", EXAMPLES)
  .action(onDemand(() => import("../../runs/load/load-command.ts")));
