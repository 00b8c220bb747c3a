/** `assay clean-up`: cancels the video tasks that a run left open. */

import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { apiKeyVariables } from "../../cli/api-keys.ts";
import { type CommonFlags, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { notify, printResult, progressOn } from "../../cli/console.mjs";
import { EXIT, InconclusiveError } from "../../cli/exit-codes.ts";
import { linesOf } from "../../cli/file-lines.ts";
import { whileInterruptible } from "../../cli/interrupt.ts";
import { holds } from "../../cli/result-folder.ts";
import { keepSecret } from "../../cli/secrets.ts";
import { confirmedTarget } from "../../cli/trust.ts";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { FILES } from "../../formats/file-names.ts";
import { recordHeader } from "../../formats/records.ts";
import { verdictHeader } from "../../formats/verdicts.ts";
import { parseJson } from "../../lib/json.ts";
import { redactor } from "../../lib/redact.ts";
import { plural } from "../../reports/numbers.ts";
import { connectionsOf } from "../../runs/load/connection.ts";
import { cancelLeftovers } from "../../runs/tasks/cancel-leftovers.ts";
import { CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { UsageError } from "../../settings/usage-error.ts";

type CleanUpFlags = CommonFlags & Readonly<Record<string, unknown>>;

export const command = withSettings(
  new Command("clean-up")
    .description(
      `cancel the video tasks that a killed run left open (all within ${CLEAN_UP_MS / 1_000} s); the given target must be that of the run`,
    )
    .argument("<dir>", "result folder of the run"),
  "clean-up",
).action(async (folder: string, flags: CleanUpFlags) => {
  process.exitCode = await cleanUp(folder, flags);
});

async function cleanUp(folder: string, flags: CleanUpFlags): Promise<number> {
  if (!holds(folder, FILES.tasks)) {
    throw new UsageError(
      `Cannot clean up ${folder}: ${existsSync(folder) ? `there is no ${FILES.tasks} in it, so no video task is known` : "it does not exist"}. Name the result folder of a run.`,
    );
  }
  if (lstatSync(join(folder, FILES.tasks)).isSymbolicLink()) {
    throw new UsageError(
      `Cannot clean up ${folder}: its ${FILES.tasks} is a symbolic link, and links in a result folder are not followed. Name the result folder of a run.`,
    );
  }
  const { values } = resolveSettings("clean-up", flags);
  const connections = connectionsOf({ ...values, target: values.target ?? "" }, apiKeyVariables(values.apiKeyEnv));
  const secrets = secretsOf(connections);
  keepSecret(secrets);
  const target = confirmedTarget({
    given: values.target,
    named: await targetOf(folder),
    attempt: `clean up ${folder}`,
    redact: redactor(secrets, []).text,
  });
  const leave = new AbortController();
  const { say } = progressOn(flags.quiet);
  const options = { folder, connections, withinMs: CLEAN_UP_MS, leave: leave.signal, say };
  const { ended, warnings, completed, problem } = await whileInterruptible(
    () => leave.abort(),
    () => cancelLeftovers(options),
  );
  if (problem !== undefined) throw new InconclusiveError(problem);
  printResult(
    `${plural(ended.length, "video task")} of ${target} ended, by a cancel or before it.${completed === undefined ? "" : ` ${completed}`}\n`,
    () => ({ target, ended, warnings }),
  );
  for (const warning of warnings) notify(warning);
  return warnings.length === 0 ? EXIT.passed : EXIT.inconclusive;
}

/** The target that the first line of the records or verdicts in a folder names. */
async function targetOf(folder: string): Promise<string | undefined> {
  for (const name of [FILES.records, FILES.verdicts]) {
    const target = await targetIn(folder, name);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** The target that the first line of a file names, whatever else is wrong with it. */
async function targetIn(folder: string, name: string): Promise<string | undefined> {
  for await (const line of linesOf(join(folder, name))) {
    const value = typeof line === "string" ? parseJson(line) : undefined;
    return recordHeader.safeParse(value).data?.settings.target ?? verdictHeader.safeParse(value).data?.target;
  }
  return undefined;
}
