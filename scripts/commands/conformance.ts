/** `assay conformance`: judges a target, clause by clause. */

import { join } from "node:path";
import { Command } from "commander";
import type { ConformanceResult } from "../../reports/conformance/result.ts";
import { type CommonFlags, keyNotice, withSettings } from "../cli/command-settings.ts";
import { type Progress, progressOn } from "../cli/console.ts";
import { prepareFolder } from "../cli/result-folder.ts";
import { givenTarget, prefixNotice, requireReachable } from "../cli/target.ts";
import { conformancePreview } from "../conformance/conformance-preview.ts";
import { type ConformancePlan, planConformance, runConformance } from "../conformance/run-suite.ts";
import { conformanceLines, conformanceResultOf, writeConformanceViews } from "../views/conformance-views.ts";

interface ConformanceFlags extends CommonFlags, Readonly<Record<string, unknown>> {
  readonly list?: boolean;
  readonly plan?: boolean;
}

export const command = withSettings(
  new Command("conformance").description("judge a target by every statement of the service's document"),
  "conformance",
)
  .option("--list", "print every clause with its level, send nothing")
  .option("--plan", "print what would be sent, send nothing")
  .action(async (flags: ConformanceFlags) => {
    if (flags.list) process.stdout.write(await clauseList());
    else if (flags.plan) process.stdout.write(conformancePreview(await planConformance(flags)));
    else await judge(flags);
  });

async function judge(flags: ConformanceFlags): Promise<void> {
  const plan = await planConformance(flags);
  const progress = progressOn(process.stderr, flags.quiet);
  for (const notice of [prefixNotice(givenTarget(flags), plan.settings.target), keyNotice(plan.variables)]) {
    if (notice !== undefined) progress.say(notice);
  }
  const folder = prepareFolder(flags.out, "conformance");
  await requireReachable(plan.settings.target);
  const result = await verify(plan, folder, progress, flags.quiet ?? false);
  process.stdout.write(await conformanceLines(folder, result));
  process.stdout.write(`\n  report  ${join(folder, "conformance.html")}\n`);
  process.exitCode = result.exitCode;
}

/** Runs the suite, writes its result and views into `folder`, and gives the result. */
export async function verify(
  plan: ConformancePlan,
  folder: string,
  progress: Progress,
  quiet: boolean,
): Promise<ConformanceResult> {
  const { warnings } = await runConformance(plan, folder, progress, quiet);
  const result = await conformanceResultOf(folder);
  await writeConformanceViews(folder, result);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  return result;
}

async function clauseList(): Promise<string> {
  const { loadClauses } = await import("../../conformance/engine/load-clauses.ts");
  const clauses = await loadClauses();
  const width = Math.max(...clauses.map(({ id }) => id.length));
  return clauses.map(({ id, level, text }) => `${id.padEnd(width)}  ${level.padEnd(11)}  ${text}\n`).join("");
}
