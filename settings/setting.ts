/**
 * What a setting is, its three names, and how settings are read from texts and written as texts. Runs in Node and
 * inside k6.
 *
 * A setting `maxInFlight` is the flag `--max-in-flight`, the variable `ASSAY_MAX_IN_FLIGHT` and the key
 * `max-in-flight` of assay.yaml and of a workload file; a rare one is given as `--set NAME=VALUE` in place of a flag.
 */

import type { WorkloadKind } from "../contract/operations.ts";
import { describe, type UnknownObject } from "../lib/json.ts";
import { endSentence } from "../lib/text.ts";
import { didYouMean } from "./nearest.ts";
import { reasonOf, UsageError } from "./usage-error.ts";

/** The commands that take settings. */
export type SettingsCommand =
  | "init"
  | "load"
  | "search"
  | "conformance"
  | "mock"
  | "calibrate"
  | "clean-up"
  | "doctor"
  | "proxy"
  | "compare"
  | "k8s"
  | "k8s run"
  | "k8s collect";

/**
 * The forms that values have as JSON, in `load.json` and in the header of records. `formats/load.ts` has the schema of each.
 */
export type JsonForm =
  | "switch"
  | "number"
  | "milliseconds"
  | "instant"
  | "bytes"
  | "text"
  | "texts"
  | "number or text"
  | "numbers or text"
  | "arrival"
  | "members"
  | "headers"
  | "tags"
  | "workloads";

/** How values of one type are read from what a user writes, and written the same way. */
export interface Codec<T, F extends JsonForm | undefined = JsonForm | undefined> {
  /** @throws UsageError with a sentence, without its end, that says what is wrong with the text */
  read(text: string): T;
  /** Absent: `String` writes what `read` reads. */
  write?(value: T): string;
  /** The form of a value as JSON; absent: no load has such a setting. */
  readonly form?: F;
  /** Writes a value in its form; absent: the value has it. */
  toJson?(value: T): unknown;
  /** Reads what `toJson` writes; absent: `read` does, of a number as a text, or of a list joined by commas. */
  fromJson?(json: unknown): T;
  /** Stands for the value in the help; absent: the setting is a switch. */
  readonly placeholder?: string;
  /** Files that a value names; absent: no value names one. */
  files?(value: T): readonly string[];
  /** All texts that it reads, where these are few. */
  readonly choices?: readonly string[];
}

/**
 * What a setting of a load is about, where that is not the load itself: the machine of the load generator, the target, the
 * objectives, chance, or what it is called.
 */
export type Concern = "machine" | "target" | "objectives" | "chance" | "label";

/** Headings under which the help and the documentation list settings, in their order; settings without one come last. */
export const SETTING_GROUPS = [
  "Connection",
  "Server",
  "Timing",
  "Capacity",
  "Variants and faults",
  "Load",
  "Search",
  "Requests",
  "Inputs",
  "Clauses",
  "Video tasks",
  "Objectives",
  "Limits",
  "Outputs",
  "Load generator",
  "Kubernetes",
] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

interface Options {
  /** Absent: the load. Runs with different loads are neither merged nor compared. */
  readonly concerns?: Concern;
  /** Written the way a user writes it; absent: the setting has no value unless one is given. */
  readonly default?: string;
  /** What applies where nothing is given and `default` cannot say it; for the help. */
  readonly defaultNote?: string;
  /** May be given more than once; the texts are joined by commas. */
  readonly repeatable?: boolean;
  /** Another setting without which it says nothing, and what is wrong then, as a sentence without its end. */
  readonly needs?: { readonly setting: string; readonly reason: string };
  /** Of a setting that Assay follows beside a k6 that it starts: why a load that runs elsewhere cannot have it, in a sentence. */
  readonly besideK6?: string;
  /** Words that a user may write in place of a value: the texts of settings for which each stands. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** It has no flag of its own: it is set by `--set NAME=VALUE`, and by variables and files as any other. */
  readonly rare?: true;
  /** Another name that users may try, which these commands do not have. */
  readonly insteadOf?: string;
  /** A setting that only other commands have, whose name is easily taken for that of this one. */
  readonly takenFor?: string;
  /**
   * Each workload of a load may have its own: it is a member of a workload in a file, too. `arrivals`: of one that has
   * arrivals of its own; a list: of one that sends one of these.
   */
  readonly perWorkload?: true | "arrivals" | readonly WorkloadKind[];
}

export interface Setting<T = unknown> extends Codec<T>, Options {
  /** The commands that take it. */
  readonly for: readonly SettingsCommand[];
  readonly help: string;
  readonly group?: SettingGroup;
}

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting>>;

/** Makes settings, with their exact types, that these commands take. */
export const settingFor =
  <const C extends readonly SettingsCommand[]>(...commands: C) =>
  <const K extends Codec<unknown>, const O extends Options = Record<never, never>>(
    codec: K,
    help: string,
    options?: O,
  ) => {
    const setting = { ...codec, for: commands, help, ...options };
    return setting as typeof setting & O;
  };

/** The same for settings that are rarely given: they have no flag of their own. */
export const rareSettingFor = <const C extends readonly SettingsCommand[]>(...commands: C) => {
  const setting = settingFor(...commands);
  return <const K extends Codec<unknown>, const O extends Options = Record<never, never>>(
    codec: K,
    help: string,
    options?: O,
  ) => ({
    ...setting(codec, help, options),
    rare: true as const,
  });
};

/** Lists settings under a heading. */
export const inGroup = <S extends Readonly<Record<string, object>>>(group: SettingGroup, settings: S): S =>
  Object.fromEntries(Object.entries(settings).map(([name, entry]) => [name, { ...entry, group }])) as S;

/** Settings by their headings, in the order of these; those without one come last. */
export function byGroup(settings: Settings): readonly (readonly [SettingGroup | undefined, Settings])[] {
  return [...SETTING_GROUPS, undefined].flatMap((group) => {
    const members = Object.entries(settings).filter(([, entry]) => entry.group === group);
    return members.length === 0 ? [] : [[group, Object.fromEntries(members)] as const];
  });
}

type Value<S> = S extends { read(text: string): infer T } ? T : never;
type Defaulted<T> = { [K in keyof T]: T[K] extends { readonly default: string } ? K : never }[keyof T];

/** Values of settings; one without a default may be absent. */
export type Values<T> = { readonly [K in Defaulted<T>]: Value<T[K]> } & {
  readonly [K in Exclude<keyof T, Defaulted<T>>]?: Value<T[K]>;
};

/** `maxInFlight` → `max-in-flight`. */
export const settingKey = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** How a setting is given on the command line: `maxInFlight` → `--max-in-flight`, of a rare one `--set poll-schedule`. */
export const settingFlag = (name: string, setting: Pick<Setting, "rare"> | undefined): string =>
  `--${setting?.rare ? "set " : ""}${settingKey(name)}`;

/** `maxInFlight` → `ASSAY_MAX_IN_FLIGHT`. */
export const settingVariable = (name: string): string => `ASSAY_${settingKey(name).replaceAll("-", "_").toUpperCase()}`;

/** The text of a setting, and where it was given, such as `--rate`. */
export interface GivenText {
  readonly text: string;
  readonly source: string;
  /** By a settings file that was found, and not named. */
  readonly isFound?: boolean;
}

/**
 * Reads settings from texts; a setting that is not given has its default.
 * @throws UsageError that names the source of a text that cannot be read
 */
export const readTexts = <T extends Settings>(
  settings: T,
  textOf: (name: string & keyof T) => GivenText | undefined,
): Values<T> =>
  readGiven(settings, (name) => {
    const text = settings[name]?.default;
    return textOf(name) ?? (text === undefined ? undefined : { text, source: settingKey(name) });
  }) as Values<T>;

/** The values of settings that are not given. */
export const defaultsOf = <T extends Settings>(settings: T): Values<T> => readTexts(settings, () => undefined);

/**
 * Reads those settings that are given as texts.
 * @throws UsageError that names the source of a text that cannot be read
 */
export function readGiven<T extends Settings>(
  settings: T,
  textOf: (name: string & keyof T) => GivenText | undefined,
): Partial<Values<T>> {
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(settings)) {
    const given = textOf(name);
    if (given !== undefined) values[name] = readFrom(given.source, () => entry.read(given.text));
  }
  return values as Partial<Values<T>>;
}

/** @throws UsageError that names the source of what cannot be read */
function readFrom<T>(source: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`Cannot read ${source}: ${endSentence(reasonOf(error))}`);
  }
}

/**
 * Reads those settings that are given as JSON: each in its form, or as the text that a user writes.
 * @param source names where they are given, in errors
 * @throws UsageError for a member that is no setting, or whose value cannot be read
 */
export function readJson<T extends Settings>(settings: T, json: UnknownObject, source: string): Partial<Values<T>> {
  const unknown = Object.keys(json).find((name) => settings[name] === undefined);
  if (unknown !== undefined) {
    throw new UsageError(
      `Cannot use ${source}: "${unknown}" is not one of its settings. ${didYouMean(unknown, Object.keys(settings), "Settings")}`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(settings)) {
    const given = json[name];
    if (given !== undefined) values[name] = readFrom(`${name} in ${source}`, () => fromJson(entry, given));
  }
  return values as Partial<Values<T>>;
}

function fromJson(setting: Setting, json: unknown): unknown {
  if (typeof json === "string") return setting.read(json);
  if (setting.fromJson !== undefined) return setting.fromJson(json);
  const scalars: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (scalars.every(isScalar)) return setting.read(scalars.join(","));
  throw new UsageError(`it is ${describe(json)}, and no value of this setting is one`);
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

/** Writes values by the names of their settings, each in its form as JSON. */
export function writeJson<T extends Settings>(settings: T, values: Partial<Values<T>>): Record<string, unknown> {
  const given: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { toJson = (value: unknown) => value }]) =>
      given[name] === undefined ? [] : [[name, toJson(given[name])]],
    ),
  );
}

/**
 * Reads settings from `ASSAY_*` variables; an empty variable counts as absent.
 * @throws UsageError that names the variable when a value cannot be read
 */
export const readVariables = <T extends Settings>(
  settings: T,
  env: Readonly<Record<string, string | undefined>>,
): Values<T> =>
  readTexts(settings, (name) => {
    const source = settingVariable(name);
    const text = env[source];
    return text === undefined || text === "" ? undefined : { text, source };
  });

/** Those of some values, by the keys of settings, that are of these settings, which have read them. */
export const valuesByKey = <T extends Settings>(settings: T, values: UnknownObject): Partial<Values<T>> =>
  Object.fromEntries(
    Object.keys(settings).flatMap((name) => {
      const value = values[settingKey(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Values<T>>;

/** Writes values by the names of their settings, as texts that `readTexts` reads. */
export function writeTexts<T extends Settings>(settings: T, values: Partial<Values<T>>): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { write = String }]) =>
      given[name] === undefined ? [] : [[name, write(given[name])]],
    ),
  );
}

/** Writes values as the `ASSAY_*` variables from which `readVariables` reads them. */
export const writeVariables = <T extends Settings>(settings: T, values: Partial<Values<T>>): Record<string, string> =>
  Object.fromEntries(Object.entries(writeTexts(settings, values)).map(([name, text]) => [settingVariable(name), text]));
