/** `assay conformance`: checks a target, clause by clause. */

import { join } from "node:path";
import { Command } from "commander";
import { type CommonFlags, keyNotice, withSettings } from "../cli/command-settings.ts";
import { print, progressOn } from "../cli/console.mjs";
import { folderForTarget, givenTarget, prefixNotice } from "../cli/target.ts";
import { checkTarget } from "../conformance/check-target.ts";
import { conformancePreview } from "../conformance/conformance-preview.ts";
import { planConformance, targetOf } from "../conformance/run-conformance.ts";
import { conformanceLines } from "../views/conformance-views.ts";

interface ConformanceFlags extends CommonFlags, Readonly<Record<string, unknown>> {
  readonly list?: boolean;
  readonly plan?: boolean;
}

export const command = withSettings(
  new Command("conformance").description("check a target against every statement of the specification"),
  "conformance",
)
  .option("--list", "print every clause with its level, send nothing")
  .option("--plan", "print what would be sent, send nothing")
  .action(async (flags: ConformanceFlags) => {
    if (flags.list) print(await clauseList());
    else if (flags.plan) print(conformancePreview(await planConformance(flags)));
    else await check(flags);
  });

async function check(flags: ConformanceFlags): Promise<void> {
  const plan = await planConformance(flags);
  const progress = progressOn(flags.quiet);
  for (const notice of [prefixNotice(givenTarget(flags), plan.settings.target), keyNotice(plan.keys)]) {
    if (notice !== undefined) progress.say(notice);
  }
  const folder = await folderForTarget(targetOf(plan), flags.out, "conformance", progress.say);
  const result = await checkTarget(plan, folder, progress);
  print(await conformanceLines(folder, result));
  print(`\n  report  ${join(folder, "conformance.html")}\n`);
  process.exitCode = result.exitCode;
}

async function clauseList(): Promise<string> {
  const { loadClauses } = await import("../../conformance/engine/load-clauses.ts");
  const clauses = await loadClauses();
  const width = Math.max(...clauses.map(({ id }) => id.length));
  return clauses.map(({ id, level, text }) => `${id.padEnd(width)}  ${level.padEnd(11)}  ${text}\n`).join("");
}
