/**
 * What a setting is, its three names, and how settings are read from texts and written as texts. Runs in Node and
 * inside k6.
 *
 * A setting `maxInFlight` is the flag `--max-in-flight`, the variable `ASSAY_MAX_IN_FLIGHT` and the key
 * `max-in-flight` of assay.yaml.
 */

import { reasonOf, UsageError } from "./usage-error.ts";

/** The commands that take settings. */
export type SettingsCommand = "load" | "conformance" | "mock" | "calibrate" | "clean-up" | "proxy";

/** How values of one type are read from what a user writes, and written the same way. */
export interface Codec<T> {
  /** @throws UsageError with a sentence, without its end, that says what is wrong with the text */
  read(text: string): T;
  /** Absent: `String` writes what `read` reads. */
  write?(value: T): string;
  /** Stands for the value in the help; absent: the setting is a switch. */
  readonly placeholder?: string;
}

interface Options {
  /** Written the way a user writes it; absent: the setting has no value unless one is given. */
  readonly default?: string;
  /** What applies where nothing is given and `default` cannot say it; for the help. */
  readonly defaultNote?: string;
  /** May be given more than once; the texts are joined by commas. */
  readonly repeatable?: boolean;
  /** Another name that users may try, which these commands do not have. */
  readonly insteadOf?: string;
}

export interface Setting<T = unknown> extends Codec<T>, Options {
  /** The commands that take it. */
  readonly for: readonly SettingsCommand[];
  readonly help: string;
}

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting>>;

/** Makes settings, with their exact types, that these commands take. */
export const settingFor =
  <const C extends readonly SettingsCommand[]>(...commands: C) =>
  <T, const O extends Options = Record<never, never>>(codec: Codec<T>, help: string, options?: O) => {
    const setting = { ...codec, for: commands, help, ...options };
    return setting as typeof setting & O;
  };

type Value<S> = S extends { read(text: string): infer T } ? T : never;
type Defaulted<T> = { [K in keyof T]: T[K] extends { readonly default: string } ? K : never }[keyof T];

/** Values of settings; one without a default may be absent. */
export type Values<T> = { readonly [K in Defaulted<T>]: Value<T[K]> } & {
  readonly [K in Exclude<keyof T, Defaulted<T>>]?: Value<T[K]>;
};

/** `maxInFlight` → `max-in-flight`. */
export const settingKey = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `maxInFlight` → `ASSAY_MAX_IN_FLIGHT`. */
export const settingVariable = (name: string): string => `ASSAY_${settingKey(name).replaceAll("-", "_").toUpperCase()}`;

/** The text of a setting, and where it was given, such as `--rate`. */
export interface GivenText {
  readonly text: string;
  readonly source: string;
}

/**
 * Reads settings from texts; a setting that is not given has its default.
 * @throws UsageError that names the source of a text that cannot be read
 */
export function readTexts<T extends Settings>(
  settings: T,
  textOf: (name: string & keyof T) => GivenText | undefined,
): Values<T> {
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(settings)) {
    const given = textOf(name);
    const text = given?.text ?? entry.default;
    if (text === undefined) continue;
    try {
      values[name] = entry.read(text);
    } catch (error) {
      throw new UsageError(`Cannot read ${given?.source ?? settingKey(name)}: ${reasonOf(error)}.`);
    }
  }
  return values as Values<T>;
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

/** Writes values as the `ASSAY_*` variables from which `readVariables` reads them. */
export function writeVariables<T extends Settings>(settings: T, values: Partial<Values<T>>): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { write = String }]) =>
      given[name] === undefined ? [] : [[settingVariable(name), write(given[name])]],
    ),
  );
}
