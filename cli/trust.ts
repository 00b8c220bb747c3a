/**
 * What a folder of results and a file that was found may not decide: where a secret goes, which code runs, which file is read or
 * written. `docs/security.md` says it to users.
 */

import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { REDACTED } from "../lib/redact.ts";
import { plainLine, shorten } from "../lib/text.ts";
import { SETTINGS } from "../settings/all-settings.ts";
import type { HeaderSource } from "../settings/headers.ts";
import type { WorkloadEntry } from "../settings/load/workload.ts";
import { WORKLOAD_SETTINGS } from "../settings/load/workload-settings.ts";
import { type GivenText, type Setting, type Settings, settingKey, writeTexts } from "../settings/setting.ts";
import { UsageError } from "../settings/usage-error.ts";
import { HEADERS } from "../settings/values.ts";
import { InconclusiveError } from "./exit-codes.ts";
import { readWorkloadFile } from "./workload-file.ts";

/** What a folder says, as a part of a sentence. */
export const told = (text: string): string => shorten(plainLine(text), 200);

/** A target that the user names, and one that a folder names. */
interface Targets {
  /** By flag, variable or settings file. */
  readonly given: string | undefined;
  /** By the folder, where secrets were taken out of it; absent: it names none. */
  readonly named: string | undefined;
  /** What is attempted, as in `Cannot … `. */
  readonly attempt: string;
  readonly redact: (text: string) => string;
}

/**
 * The target that the user gave: that of a folder only says whether the folder is one of it.
 * @throws UsageError when neither names one
 * @throws InconclusiveError when the user gave none, or another one than that of the folder
 */
export function confirmedTarget({ given, named, attempt, redact }: Targets): string {
  if (named === undefined) {
    if (given !== undefined) return given;
    throw new UsageError(
      `Cannot ${attempt}: no target is given, and the folder does not name that of its run. Name it with --target.`,
    );
  }
  if (given !== undefined && (given === named || redact(given) === named)) return given;
  const other = given === undefined ? "none is given" : `${given} is given`;
  throw new InconclusiveError(
    `Cannot ${attempt}: the folder names the target ${told(named)}, and ${other}. Nothing was sent: a folder does not decide where the API key goes. If you know that target as yours, name it with --target (or ASSAY_TARGET, or target in assay.yaml) and try again.`,
  );
}

/** Longest id of a task that is sent: more fits into no address. */
const LONGEST_ID = 1_024;

/**
 * Whether the id of a task may be a part of an address. One that holds a secret, or did, would send it where addresses are
 * logged; `..` would be another address.
 */
export const mayBeSent = (id: string, redact: (text: string) => string): boolean =>
  id.length <= LONGEST_ID && !/^\.{0,2}$|[\p{Cc}\p{Cs}]/u.test(id) && !id.includes(REDACTED) && redact(id) === id;

/** The folders within one, by name: real ones, no links. */
export const foldersIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/**
 * A folder within a folder of results.
 * @throws UsageError when it is a link, which may lead anywhere, or no folder
 */
export function folderWithin(folder: string, name: string): string {
  const path = join(folder, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return path;
  const what = stats === undefined ? "does not exist" : stats.isSymbolicLink() ? "is a link" : "is no folder";
  throw new UsageError(
    `Cannot use ${path}: it ${what}, and a result folder names folders within it only. Restore it, or name another result folder.`,
  );
}

/**
 * Whether a folder has this file, whose text is sent to somebody: a link could lead to any file of this machine.
 * @throws UsageError when it is a link, or no file
 */
export function holdsToSend(folder: string, name: string): boolean {
  const path = join(folder, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return stats !== undefined;
  const what = stats.isSymbolicLink() ? "it is a link, which may lead to any file" : "it is not a file";
  throw new UsageError(`Cannot use ${path}: ${what}. Name another result folder.`);
}

/** What the variables begin with whose values a settings file that was found may have sent. */
const OWN_VARIABLE = "ASSAY_";

/** What a found file must not do, and how its user can have it all the same. */
const notOfFound = (file: string, key: string, reason: string): UsageError =>
  new UsageError(
    `Cannot use ${file}, which was found in this folder: ${key} ${reason}. Change it, or name the file with --config if you trust it.`,
  );

/**
 * Checks a settings file that was found, and not named: whoever made the folder may have made it.
 * @param config its settings, as texts by key
 * @throws UsageError when it names a variable without the prefix, or a file outside its folder
 */
export const requireFoundSettings = (file: string, config: Readonly<Record<string, string>>): void =>
  requireOwn(file, (name) => config[settingKey(name)]);

function requireOwn(file: string, textOf: (name: string, setting: Setting) => string | undefined): void {
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    const text = textOf(name, setting);
    if (text === undefined) continue;
    const key = settingKey(name);
    requireOwnVariables(file, key, setting === SETTINGS.apiKeyEnv ? [text] : variablesIn(setting, text));
    requireFilesWithin(file, key, setting, text);
  }
}

/**
 * Checks the file of workloads that a settings file names which was found.
 * @throws UsageError as `requireFoundSettings` does
 */
export function requireFoundWorkloads(file: string, source: string): void {
  const { settings, workloads } = readWorkloadFile(source);
  requireOwn(file, (name) => settings[settingKey(name)]);
  for (const { name, scenario, apiKeyEnv, settings: own } of workloads) {
    const key = `the workload ${told(name)}`;
    if (scenario !== undefined) requireFilesWithin(file, key, FILE_SETTING, scenario);
    if (apiKeyEnv !== undefined) requireOwnVariables(file, key, [apiKeyEnv]);
    const texts = writeTexts(WORKLOAD_SETTINGS, own);
    requireOwn(file, (setting) => texts[setting]);
  }
}

const FILE_SETTING = SETTINGS.baseline;

/** The files that a setting names with this text; undefined for a text that cannot be read, which is said with the setting. */
export const filesNamedBy = ({ read, files }: Pick<Setting, "read" | "files">, text: string) =>
  readOr<readonly string[] | undefined>(() => files?.(read(text)) ?? [], undefined);

function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const variablesIn = (setting: Setting, text: string): readonly string[] =>
  setting.read === HEADERS.read ? readOr(() => HEADERS.read(text), []).map(({ variable }) => variable) : [];

function requireOwnVariables(file: string, key: string, variables: readonly string[]): void {
  const other = variables.find((name) => !name.startsWith(OWN_VARIABLE));
  if (other === undefined) return;
  // What is no name may be the value itself.
  const name = /^\w+$/.test(other) ? ` ${other}` : "";
  throw notOfFound(
    file,
    key,
    `names the environment variable${name}, and only those that begin with ${OWN_VARIABLE} are sent`,
  );
}

function requireFilesWithin(file: string, key: string, setting: Pick<Setting, "read" | "files">, text: string): void {
  // Its folder may be yet to be made, by `assay init`.
  const folder = realPathOf(dirname(file));
  const outside = filesNamedBy(setting, text)?.find((name) => folder === undefined || !isWithin(folder, resolve(name)));
  if (outside !== undefined) throw notOfFound(file, key, `names ${told(outside)}, which is outside its folder`);
}

/** Whether a path stays in a folder when all links on it are followed; a file may be yet to be written. */
function isWithin(folder: string, path: string): boolean {
  const real = realPathOf(path);
  return real?.startsWith(folder.endsWith(sep) ? folder : folder + sep) === true;
}

/** Undefined for a link that leads to nothing yet. */
function realPathOf(path: string): string | undefined {
  if (existsSync(path)) return realpathSync(path);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return undefined;
  const above = realPathOf(dirname(path));
  return above === undefined ? undefined : join(above, basename(path));
}

/** Settings that decide where something is sent, with what, or what runs elsewhere: a found file that sets one is said to. */
const SAID = [
  "target",
  "header",
  "apiKeyEnv",
  "insecure",
  "caFile",
  "clientCert",
  "resolve",
  "output",
  "scrape",
  "image",
  "keySecret",
  "clientCertSecret",
] as const;

/**
 * What a found file decides, for its user, without values of headers.
 * @param textOf the text of a setting, and where it was given
 * @param workloads those that the file names
 */
export function foundNotice(
  file: string,
  settings: Settings,
  textOf: (name: string) => GivenText | undefined,
  workloads: readonly WorkloadEntry[],
): string | undefined {
  const own = SAID.flatMap((name) => {
    const given = name in settings ? textOf(name) : undefined;
    return given?.isFound ? [`${settingKey(name)} ${shownText(name, given.text)}`] : [];
  });
  const ofWorkloads = workloads.flatMap(({ name, settings: { header } }) =>
    header === undefined ? [] : [`header ${namesOf(header)} of the workload ${told(name)}`],
  );
  const all = [...own, ...ofWorkloads];
  return all.length === 0 ? undefined : `From ${file}, found in this folder: ${all.join("; ")}.`;
}

/** Of a header, its name. */
const shownText = (name: string, text: string): string =>
  name === "header" ? namesOf(readOr(() => HEADERS.read(text), [])) : told(text);

const namesOf = (headers: readonly HeaderSource[]): string => headers.map(({ name }) => name).join(", ");
