/**
 * Settings of a command: flags before `ASSAY_*` variables before `assay.yaml` before defaults.
 * All sources are texts that the table in `settings/` reads, so that a value means the same wherever it is written.
 */

import { existsSync, readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { parse } from "yaml";
import { z } from "zod";
import { nearest } from "../../settings/nearest.ts";
import {
  readSettings,
  SETTINGS,
  type SettingName,
  settingKey,
  settingVariable,
  type Values,
} from "../../settings/table.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

const DEFAULT_CONFIG = "assay.yaml";

/** Flags that every command takes beside its settings. */
export interface CommonFlags {
  readonly out?: string;
  readonly config?: string;
  readonly quiet?: boolean;
}

/** Adds `--out`, `--config`, `--quiet` and one flag a setting to a command. */
export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) command.addOption(flagOf(name));
  return command
    .option("--out <dir>", "folder of the results (default: a new one in out/)")
    .option("--config <file>", `settings file (default: ${DEFAULT_CONFIG}, if it exists)`)
    .option("--quiet", "print the result only");
}

function flagOf(name: SettingName): Option {
  const setting: { value?: string; help: string; default?: string; repeatable?: boolean } = SETTINGS[name];
  const flag = `--${settingKey(name)}${setting.value === undefined ? "" : ` <${setting.value}>`}`;
  const shown = setting.default === undefined ? setting.help : `${setting.help} (default: ${setting.default})`;
  const option = new Option(flag, shown);
  if (setting.repeatable) option.argParser((value: string, before?: string) => (before ? `${before},${value}` : value));
  return option;
}

/** What a command works with: the parsed values, and the texts to hand to the processes that it starts. */
export interface Resolved<N extends SettingName> {
  readonly values: Values<N>;
  /** `ASSAY_*` variables of every setting that was given, by flag, variable or file. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Where settings may come from beside the flags. */
export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Read when no `--config` is given and it exists; absent: no file is. */
  readonly defaultConfig?: string;
}

const userSources = (): Sources => ({ env: process.env, defaultConfig: DEFAULT_CONFIG });

/**
 * Merges the sources and reads the settings named.
 * @param flags options as commander gives them: camelCase names, texts or true
 * @throws UsageError for an unknown key of the file or a value that cannot be read
 */
export function resolveSettings<N extends SettingName>(
  names: readonly N[],
  flags: Readonly<Record<string, unknown>>,
  { env, defaultConfig }: Sources = userSources(),
): Resolved<N> {
  const file = readConfig(typeof flags["config"] === "string" ? flags["config"] : undefined, defaultConfig);
  const variables: Record<string, string> = {};
  for (const name of names) {
    const given = textOf(flags[name]) ?? presence(env[settingVariable(name)]) ?? file[settingKey(name)];
    if (given !== undefined) variables[settingVariable(name)] = given;
  }
  try {
    return { values: readSettings(names, variables), variables };
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

const textOf = (flag: unknown): string | undefined =>
  flag === true ? "true" : typeof flag === "string" ? flag : undefined;
const presence = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const configFile = z.record(z.string(), z.union([scalar, z.array(scalar).transform((items) => items.join(","))]));

function readConfig(path: string | undefined, byDefault: string | undefined): Readonly<Record<string, string>> {
  const file = path ?? byDefault;
  if (file === undefined || (path === undefined && !existsSync(file))) return {};
  const settings = parseConfig(file);
  const known = Object.keys(SETTINGS).map(settingKey);
  for (const key of Object.keys(settings)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const hint = meant === undefined ? `Known settings: ${known.join(", ")}` : `Did you mean "${meant}"?`;
    throw new UsageError(`Cannot use ${file}: it sets "${key}", which is no setting. ${hint}`);
  }
  return settings;
}

function parseConfig(file: string): Record<string, string> {
  try {
    return configFile.parse(parse(readFileSync(file, "utf8")) ?? {});
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error);
    throw new UsageError(
      `Cannot read settings from ${file}: ${reason}. It holds one "name: value" a line, as in: rate: 20/s`,
    );
  }
}

/** Sent when the user gives no key: the document asks for a key with every request, and many targets take any. */
export const PLACEHOLDER_KEY = "assay-no-key";

/** Tells the user that requests carry no real key. */
export const keyNotice = (keys: Readonly<Record<string, string>>): string | undefined =>
  keys["ASSAY_API_KEY"] === PLACEHOLDER_KEY
    ? `No API key in ASSAY_API_KEY: sending the placeholder "${PLACEHOLDER_KEY}".`
    : undefined;

/**
 * The secrets that processes of ours need, by variable: the API keys. They travel in the environment only.
 * @throws UsageError when `--api-key-env` names a variable that is not set
 */
export function apiKeyVariables(
  apiKeyEnv: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const several = presence(env["ASSAY_API_KEYS"]);
  if (apiKeyEnv === undefined) {
    const key = presence(env["ASSAY_API_KEY"]) ?? several?.split(",")[0]?.trim();
    return { ASSAY_API_KEY: key ?? PLACEHOLDER_KEY, ...(several && { ASSAY_API_KEYS: several }) };
  }
  const key = presence(env[apiKeyEnv]);
  if (key === undefined) {
    throw new UsageError(
      `Cannot take the API key from ${apiKeyEnv}: that environment variable is not set. Set it or leave --api-key-env out.`,
    );
  }
  return { ASSAY_API_KEY: key };
}
