/** `assay clean-up`: cancels the video tasks that a run left open. */

import { join } from "node:path";
import { Command } from "commander";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { FILES } from "../../formats/file-names.ts";
import { recordHeader } from "../../formats/records.ts";
import { verdictHeader } from "../../formats/verdicts.ts";
import { parseJson } from "../../lib/json.ts";
import { plural } from "../../reports/numbers.ts";
import { CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { apiKeyVariables, type CommonFlags, resolveSettings, withSettings } from "../cli/command-settings.ts";
import { notify, print, progressOn } from "../cli/console.mjs";
import { EXIT } from "../cli/exit-codes.ts";
import { linesOf } from "../cli/file-lines.ts";
import { whileInterruptible } from "../cli/interrupt.ts";
import { holds } from "../cli/result-folder.ts";
import { keepSecret } from "../cli/secrets.ts";
import { connectionsOf } from "../load/connection.ts";
import { cancelLeftovers } from "../tasks/cancel-leftovers.ts";

type CleanUpFlags = CommonFlags & Readonly<Record<string, unknown>>;

export const command = withSettings(
  new Command("clean-up")
    .description(
      `cancel the video tasks that a run which was killed left open (all within ${CLEAN_UP_MS / 1_000} s); the target is that of the run`,
    )
    .argument("<dir>", "result folder of the run"),
  "clean-up",
).action(async (folder: string, flags: CleanUpFlags) => {
  process.exitCode = await cleanUp(folder, flags);
});

async function cleanUp(folder: string, flags: CleanUpFlags): Promise<number> {
  if (!holds(folder, FILES.tasks)) {
    throw new UsageError(
      `Cannot clean up ${folder}: there is no ${FILES.tasks} in it, so no video task is known. Name the result folder of a run.`,
    );
  }
  const { values } = resolveSettings("clean-up", flags);
  const target = values.target ?? (await targetOf(folder));
  const connections = connectionsOf({ ...values, target }, apiKeyVariables(values.apiKeyEnv));
  keepSecret(secretsOf(connections));
  const leave = new AbortController();
  const { say } = progressOn(flags.quiet);
  const options = { folder, connections, withinMs: CLEAN_UP_MS, leave: leave.signal, say };
  const { ended, warnings } = await whileInterruptible(
    () => leave.abort(),
    () => cancelLeftovers(options),
  );
  print(`${plural(ended.length, "video task")} of ${target} ended, by a cancel or before it.\n`);
  for (const warning of warnings) notify(warning);
  return warnings.length === 0 ? EXIT.passed : EXIT.inconclusive;
}

/** The target of the run, from the first line of its records or verdicts. */
async function targetOf(folder: string): Promise<string> {
  for (const name of [FILES.records, FILES.verdicts]) {
    const target = await targetIn(folder, name);
    if (target !== undefined) return target;
  }
  throw new UsageError(`Cannot clean up ${folder}: it does not name the target of its run. Name it with --target.`);
}

/** The target that the first line of a file names, whatever else is wrong with it. */
async function targetIn(folder: string, name: string): Promise<string | undefined> {
  for await (const line of linesOf(join(folder, name))) {
    const value = typeof line === "string" ? parseJson(line) : undefined;
    return recordHeader.safeParse(value).data?.settings.target ?? verdictHeader.safeParse(value).data?.target;
  }
  return undefined;
}
