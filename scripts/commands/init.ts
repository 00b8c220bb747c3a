/** `assay init`: writes starter files that are true for a target, which it probes first. */

import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { apiKeyVariables, keyNotice } from "../../cli/api-keys.ts";
import { type CommonFlags, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { printResult, progressOn } from "../../cli/console.mjs";
import { keepSecret } from "../../cli/secrets.ts";
import { givenTarget, prefixNotice, requireTarget } from "../../cli/target.ts";
import { requireFoundSettings } from "../../cli/trust.ts";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { probeTarget } from "../../runs/init/probe-target.ts";
import { NEXT_COMMANDS, starterFiles } from "../../runs/init/starter-files.ts";
import { writeAll } from "../../runs/init/write-files.ts";
import { connectionsOf } from "../../runs/load/connection.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { settingKey, writeTexts } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";

type InitFlags = CommonFlags & Readonly<Record<string, unknown>>;

export const command = withSettings(
  new Command("init").description(
    "write assay.yaml, a workload, a baseline and a workflow for a target, which gets one chat of one token and one embedding",
  ),
  "init",
).action(init);
for (const option of command.options) {
  if (option.long === "--out") option.description = "folder of the files (default: this one)";
}

async function init(flags: InitFlags): Promise<void> {
  const { values, given } = resolveSettings("init", flags);
  const { target } = values;
  if (target === undefined) {
    throw new UsageError(
      "Cannot write starter files: no target is given. Name it with --target, such as --target http://127.0.0.1:8080.",
    );
  }
  const folder = resolve(flags.out ?? ".");
  const settings = settingsToWrite(values, given);
  requireFoundSettings(join(folder, "assay.yaml"), settings);
  const models = { chat: values.chatModel, embeddings: values.embeddingModel };
  const facts = { folder, settings: { ...settings, target }, target, models };
  requireNew(folder, Object.keys(starterFiles({ ...facts, served: [] })));
  const keys = apiKeyVariables(values.apiKeyEnv);
  const [connection] = connectionsOf({ ...values, target }, keys);
  if (connection === undefined) throw new Error("there is no connection without a key");
  keepSecret(secretsOf([connection]));
  const { say } = progressOn(flags.quiet);
  for (const notice of [prefixNotice(givenTarget(flags), target), keyNotice(keys)]) {
    if (notice !== undefined) say(notice);
  }
  const endpoints = (["chat", "embeddings"] as const).map((part) => ({ part, connection }));
  await requireTarget({ target, endpoints, waitFor: values.waitFor }, say);
  const { served, refused } = await probeTarget(connection, models);
  for (const reason of refused) say(`Left out: ${reason}`);
  const files = starterFiles({ ...facts, served });
  writeAll(folder, files);
  const next = NEXT_COMMANDS.map(([line, what]) => `  ${line}\n    ${what}\n`);
  printResult(`Wrote ${Object.keys(files).join(", ")} to ${folder}. Next:\n${next.join("")}`, () => ({
    folder,
    files: Object.keys(files),
    served,
    refused,
    next: NEXT_COMMANDS.map(([line]) => line),
  }));
}

/** The settings that were given, and the models, by their keys; how long to wait is for this run alone. */
function settingsToWrite(
  values: ReturnType<typeof resolveSettings<"init">>["values"],
  given: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const { waitFor: _, ...settings } = settingsFor("init");
  const written = Object.entries(writeTexts(settings, values)).filter(
    ([name]) => given.has(name) || name === "chatModel" || name === "embeddingModel",
  );
  return Object.fromEntries(written.map(([name, text]) => [settingKey(name), text]));
}

/** @throws UsageError that names the files that are there, also as links: nothing of anybody's is touched, or followed */
function requireNew(folder: string, names: readonly string[]): void {
  const present = [
    ...names.filter((name) => statsOf(join(folder, name)) !== undefined),
    ...foldersAbove(names).filter((name) => statsOf(join(folder, name))?.isDirectory() === false),
  ];
  if (present.length === 0) return;
  throw new UsageError(
    `Cannot write starter files to ${folder}: ${present.join(", ")} ${present.length === 1 ? "is" : "are"} there already. Move them away, or name another folder with --out.`,
  );
}

const statsOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/** The folders on the way to files: `a` and `a/b` of `a/b/c`. */
const foldersAbove = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index)));
