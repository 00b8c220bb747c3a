/** `assay load`: loads a target and measures it. */

import { Command } from "commander";
import { AGAINST, onDemand, SCENARIO_CHOICES, withSettings } from "../cli/command-settings.ts";

const EXAMPLES = `
Examples:
  assay load chat-stream --target https://inference.example --rate 20 --duration 30s --slo 'ttft_p95<800ms'
  assay load --target https://inference.example --workload team-load.yaml`;

export const command = withSettings(new Command("load").argument("[scenario]", SCENARIO_CHOICES), "load")
  .option("--plan", "print what would be sent, send nothing")
  .option("--against <dir>", AGAINST)
  .addHelpText("after", EXAMPLES)
  .action(onDemand(() => import("../load/load-command.ts")));
