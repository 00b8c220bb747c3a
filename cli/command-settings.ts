/**
 * Settings of a command: flags before `ASSAY_*` variables before a file of workloads before `assay.yaml` before defaults. All sources are texts that
 * `settings/` reads, so that a value means the same wherever it is written.
 */

import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { z } from "zod";
import { shapeError } from "../lib/shape-error.ts";
import { shellWord } from "../lib/text.ts";
import { readTextFile } from "../lib/text-file.ts";
import { parseYaml } from "../lib/yaml.ts";
import { OWN_RATE, SCENARIOS } from "../scenarios/scenario-list.ts";
import { SETTINGS, type SettingsFor, settingsFor } from "../settings/all-settings.ts";
import { shapeNamed } from "../settings/load/load-shapes.ts";
import type { Workloads } from "../settings/load/workload.ts";
import { didYouMean } from "../settings/nearest.ts";
import {
  byGroup,
  type GivenText,
  readTexts,
  type Setting,
  type Settings,
  type SettingsCommand,
  settingFlag,
  settingKey,
  settingVariable,
  type Values,
} from "../settings/setting.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { OTHER_VARIABLES } from "./child-environment.ts";
import { notifyOnce } from "./console.mjs";
import { foundNotice, requireFoundSettings, requireFoundWorkloads } from "./trust.ts";
import { variablesOf, workloadLayer } from "./workload-layer.ts";

const DEFAULT_CONFIG = "assay.yaml";

/** Flags that every command takes beside its settings. */
export interface CommonFlags {
  readonly out?: string;
  readonly config?: string;
  readonly quiet?: boolean;
}

/** What a scenario is named by, for the help of a command. */
export const SCENARIO_CHOICES = `${Object.keys(SCENARIOS).join(", ")}, or a .ts or .js file of your own; without one, --workload names a file that describes the load`;

/** What `--against` is for. */
export const AGAINST =
  "result folder of an earlier load: count the requests that repeat its inputs or their beginnings";

/** Collects the values of a flag that may be given several times. */
export const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** What a command does, in a module of its own that is loaded when it is run: its help does without. */
export const onDemand =
  <A extends readonly unknown[]>(load: () => Promise<{ readonly run: (...given: A) => Promise<void> }>) =>
  async (...given: A): Promise<void> =>
    (await load()).run(...given);

/** Adds `--out`, `--config`, `--quiet` and one flag per setting of these commands to a command. */
export function withSettings(command: Command, ...settingsOf: readonly SettingsCommand[]): Command {
  const settings = Object.assign({}, ...settingsOf.map(settingsFor));
  for (const [group, members] of byGroup(settings)) {
    for (const [name, entry] of Object.entries(members).filter(([, { rare }]) => !rare)) {
      const option = flagOf(name, entry);
      command.addOption(group === undefined ? option : option.helpGroup(`${group}:`));
    }
  }
  withRareSettings(command, settings);
  return command
    .option("--out <dir>", "new or empty folder for the results (default: a new one in out/)")
    .option("--config <file>", `settings file (default: ${DEFAULT_CONFIG}, if it exists)`)
    .option("--quiet", "print the result only")
    .addOption(jsonFlag());
}

/** Adds `--set` to a command that takes rare settings: each counts as if it had a flag of its own. */
function withRareSettings(command: Command, settings: Settings): void {
  const isRare = ([, { rare }]: [string, Setting]): boolean => rare === true;
  if (!Object.entries(settings).some(isRare)) return;
  command
    .option("--set <name=value>", "any other setting, such as stall=30s; assay help settings lists them (repeatable)")
    .on("option:set", (given: string) => {
      const { name, text } = settingNamed(given, settings);
      const before: unknown = command.getOptionValue(name);
      const isFirst = before === undefined || settings[name]?.repeatable !== true;
      command.setOptionValue(name, isFirst ? text : `${before},${text}`);
    });
}

/** `assay help settings`: the settings without flags of their own, of all commands. */
export function rareSettingsTopic(): Command {
  const topic = new Command("settings")
    .description(
      "Settings without flags of their own. Set one with --set NAME=VALUE (load, search, bundle, k8s), its variable, or its key in assay.yaml or a workload file.",
    )
    .usage("--set NAME=VALUE")
    .helpOption(false);
  for (const [group = "", members] of byGroup(SETTINGS)) {
    for (const [name, { rare, ...entry }] of Object.entries(members)) {
      if (rare) topic.addOption(flagOf(name, entry).helpGroup(`${group}:`));
    }
  }
  return topic;
}

/** What `--set` names. @throws UsageError for a name that is no setting of the command, and for one without its value */
function settingNamed(given: string, settings: Settings): { readonly name: string; readonly text: string } {
  const at = given.indexOf("=");
  const key = (at === -1 ? given : given.slice(0, at)).trim();
  const name = Object.keys(settings).find((each) => settingKey(each) === key);
  if (name === undefined) {
    const known = Object.keys(settings).map(settingKey);
    const advice = insteadOf(key) ?? didYouMean(key, known, "Settings", "assay help settings lists them.");
    throw new UsageError(`Cannot set "${key}": it is not a setting of this command. ${advice}`);
  }
  if (at !== -1) return { name, text: given.slice(at + 1) };
  if (settings[name]?.placeholder === undefined) return { name, text: "true" };
  throw new UsageError(`Cannot set ${key}: it has no value. Write --set ${key}=<${settings[name].placeholder}>.`);
}

/** `--json`, of which the console knows before a command is read: errors of the command line are JSON too. */
export const jsonFlag = (): Option =>
  new Option("--json", "print the result as JSON on standard output, also an error, and all texts on standard error");

/** Leaves settings that a command refuses out of its help; one that is given is still read, so that the command can say why. */
export function withoutHelp(command: Command, names: readonly string[]): Command {
  for (const option of command.options) if (names.includes(option.attributeName())) option.hideHelp();
  return command;
}

function flagOf(name: string, entry: Setting): Option {
  const shown = defaultOf(entry);
  const notes = [entry.repeatable ? " (repeatable)" : "", shown === undefined ? "" : ` (default: ${shown})`];
  const option = new Option(usageOf(name, entry), entry.help + notes.join(""));
  option.negate = false; // A setting such as --set no-default-slos is a switch of that name, not the opposite of another.
  if (entry.repeatable) {
    option.argParser((value: string, before?: string) => (before ? `${before},${value}` : value));
  }
  return option;
}

/** How a setting is given with its value, such as `--rate <rate>` or `--set stall=<time>`. */
export const usageOf = (name: string, entry: Setting): string =>
  `${settingFlag(name, entry)}${entry.placeholder === undefined ? "" : `${entry.rare ? "=" : " "}<${entry.placeholder}>`}`;

/** Settings of a command as they are typed: `--rate 4/s --set cancel-share=0.25`. */
export function flagsFor(command: SettingsCommand, values: Readonly<Record<string, string | true>>): string {
  const entries: Settings = settingsFor(command);
  const flags = Object.entries(values).map(([name, value]) => {
    const between = entries[name]?.rare ? "=" : " ";
    return `${settingFlag(name, entries[name])}${value === true ? "" : `${between}${shellWord(value)}`}`;
  });
  return flags.join(" ");
}

/** The default of a setting, for the user; undefined when there is none. */
export function defaultOf(entry: Setting): string | undefined {
  if (entry === SETTINGS.rate) return defaultRates();
  return entry.defaultNote ?? entry.default;
}

/** Default rates of the scenarios, the most frequent one first. */
function defaultRates(): string {
  const rates = Object.entries(SCENARIOS).map(([name, { rate }]) => ({ name, rate }));
  const usual = Math.max(...rates.map(({ rate }) => rate));
  const others = rates.filter(({ rate }) => rate !== usual).map(({ name, rate }) => `${name} ${rate}/s`);
  return [`${usual}/s`, ...others, `a scenario of your own ${OWN_RATE}/s`].join("; ");
}

/** What a command works with. */
export interface Resolved<C extends SettingsCommand> {
  readonly values: Values<SettingsFor<C>>;
  /** Names of the settings that were given, by flag, variable or file. */
  readonly given: ReadonlySet<string>;
  /** What the file that `workload` names describes; absent: none is named. */
  readonly workload?: Workloads;
}

/** Where settings may come from beside the flags. */
export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Read when no `--config` is given and it exists; absent: no file is. */
  readonly defaultConfig?: string;
  /** Is told what a file that was found decides. */
  readonly say?: (line: string) => void;
}

const userSources = (): Sources => ({ env: process.env, defaultConfig: DEFAULT_CONFIG, say: notifyOnce });

/**
 * Merges the sources and reads the settings of a command.
 * @param flags options as commander gives them: camelCase names, texts or true; null for `workload`: none, wherever one is named
 * @throws UsageError for an unknown key of the file, an unknown `ASSAY_*` variable, or a value that cannot be read; for a file that
 * was found, and names what only its user may name
 */
export function resolveSettings<C extends SettingsCommand>(
  command: C,
  flags: Readonly<Record<string, unknown>>,
  { env, defaultConfig, say }: Sources = userSources(),
): Resolved<C> {
  const path = typeof flags["config"] === "string" ? flags["config"] : undefined;
  const file = path ?? defaultConfig ?? "";
  const isFound = path === undefined;
  const config = readConfig(file, !isFound);
  if (isFound) requireFoundSettings(file, config);
  const settings = settingsFor(command);
  const entries: Settings = settings;
  const beforeFiles = (name: string): GivenText | undefined => {
    const flag = flagText(flags[name]);
    if (flag !== undefined) return { text: flag, source: settingFlag(name, entries[name]) };
    const variable = presence(env[settingVariable(name)]);
    return variable === undefined ? undefined : { text: variable, source: settingVariable(name) };
  };
  const inConfig = (name: string): GivenText | undefined => {
    const key = config[settingKey(name)];
    return key === undefined ? undefined : { text: key, source: `${settingKey(name)} in ${file}`, isFound };
  };
  const mayBeNamed = entries["workload"] !== undefined && flags["workload"] !== null;
  const named = mayBeNamed ? (beforeFiles("workload") ?? inConfig("workload")) : undefined;
  if (named?.isFound) requireFoundWorkloads(file, named.text);
  const layer = named ? workloadLayer(named.text, (name) => beforeFiles(name) !== undefined) : undefined;
  const textOf = (name: string): GivenText | undefined =>
    name === "workload" ? named : (beforeFiles(name) ?? layer?.settings[name] ?? inConfig(name));
  const notice = foundNotice(file, entries, textOf, named?.isFound ? (layer?.workloads ?? []) : []);
  if (notice !== undefined) say?.(notice);
  const shape = entries["shape"] && shapeNamed(textOf("shape")?.text ?? "");
  const byWord = wordsIn(entries, textOf);
  const values = readTexts(
    settings,
    (name) => byWord[name] ?? withShape(textOf(name), shape?.settings[name], entries[name]),
  );
  refuseLikeNames(entries, (name) => beforeFiles(name) ?? inConfig(name), textOf);
  refuseUnknownVariables(env, [
    textOf("apiKeyEnv")?.text ?? "",
    ...(textOf("header")?.text.split(",") ?? []).map((header) => header.split("=")[1]?.trim() ?? ""),
    ...variablesOf(layer?.workloads ?? []),
  ]);
  return {
    values,
    given: new Set(Object.keys(settings).filter((name) => textOf(name) !== undefined)),
    ...(layer && { workload: { title: layer.title, workloads: layer.workloads } }),
  };
}

/** The text of a setting where the shape of a load has one too: what may be given more than once is added, anything else replaced. */
function withShape(own: GivenText | undefined, byShape: string | undefined, entry?: Setting): GivenText | undefined {
  if (byShape === undefined) return own;
  if (own === undefined) return { text: byShape, source: "--shape" };
  return entry?.repeatable ? { ...own, text: `${byShape},${own.text}` } : own;
}

/** The texts for which words stand that are given in place of values; of another command, whose settings these are not, none. */
function wordsIn(
  entries: Settings,
  textOf: (name: string) => GivenText | undefined,
): Readonly<Record<string, GivenText>> {
  const texts = Object.entries(entries).flatMap(([name, { words = {} }]) => {
    const { text = "", source = "" } = textOf(name) ?? {};
    const meant = Object.hasOwn(words, text) ? Object.entries(words[text] ?? {}) : [];
    return meant.every(([other]) => entries[other] !== undefined)
      ? meant.map(([other, its]) => [other, { text: its, source }] as const)
      : [];
  });
  return Object.fromEntries(texts);
}

const flagText = (flag: unknown): string | undefined =>
  flag === true ? "true" : typeof flag === "string" ? flag : undefined;
const presence = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

/**
 * A setting of another command whose name is taken for one of this command would be ignored without a word.
 * @throws UsageError for one that a variable or a file sets, where the setting that was probably meant is not given
 */
function refuseLikeNames(
  entries: Settings,
  given: (name: string) => GivenText | undefined,
  textOf: (name: string) => GivenText | undefined,
): void {
  for (const [name, entry] of Object.entries(entries)) {
    const like = entry.takenFor;
    if (like === undefined || textOf(name) !== undefined) continue;
    const other = given(like);
    if (other === undefined || !canRead(entry, other.text)) continue;
    throw new UsageError(
      `Cannot tell what ${other.source} is meant for: ${settingKey(like)} is a setting of another command, and that of this one is ${settingKey(name)}. Set ${settingKey(name)} too, or take ${settingKey(like)} out.`,
    );
  }
}

function canRead({ read }: Setting, text: string): boolean {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws UsageError for a variable that looks like a setting and is not known. @param named by settings */
function refuseUnknownVariables(env: Sources["env"], named: readonly string[]): void {
  const known = [...Object.keys(SETTINGS).map(settingVariable), ...OTHER_VARIABLES];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("ASSAY_") || !text || known.includes(name) || named.includes(name)) continue;
    throw new UsageError(
      `Cannot use the environment variable ${name}: it is not a setting. ${didYouMean(name, known, "Known variables", "docs/configuration.md lists them.")}`,
    );
  }
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const list = z.array(scalar).transform((items) => items.join(","));
/** What holds members, such as `extra-body`, is written as JSON on the command line. */
const members = z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value));
const configFile = z.record(z.string(), z.unknown());
const configValue = z.union([scalar, list, members]);

/** The settings in a file, by key: also those of other commands, since one file serves them all. */
function readConfig(file: string, required: boolean): Readonly<Record<string, string>> {
  if (!required && !existsSync(file)) return {};
  const settings = parseConfig(file);
  const known = Object.keys(SETTINGS).map(settingKey);
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new UsageError(
      `Cannot use ${file}: it sets "${unknown}", which is not a setting. ${insteadOf(unknown) ?? didYouMean(unknown, known, "Known settings", "docs/configuration.md lists them.")}`,
    );
  }
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => {
      const read = configValue.safeParse(value);
      if (read.success) return [key, read.data];
      const what = value === null ? "has no value" : "has a value that no setting can have";
      throw new UsageError(`Cannot use ${file}: ${key} ${what}. Write it as in docs/configuration.md, or take it out.`);
    }),
  );
}

function parseConfig(file: string): Record<string, unknown> {
  try {
    return configFile.parse(parseYaml(readTextFile(file)) ?? {});
  } catch (error) {
    const reason = error instanceof z.ZodError ? shapeError(error) : reasonOf(error);
    throw new UsageError(
      `Cannot read settings from ${file}: ${reason}. It holds one "name: value" per line, such as: rate: 20/s`,
    );
  }
}

/** Names that users know from other tools, and what Assay has in their place. */
const INSTEAD: Readonly<Record<string, string>> = {
  "api-key": "Put the key into the environment variable ASSAY_API_KEY.",
  url: "Name the target with --target.",
};

/** What to do in place of a name of other tools, in a sentence; undefined for any other. */
export const insteadOf = (name: string): string | undefined =>
  Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
