/** Whether runs have one load: every setting that shapes the load or its results must be equal. Pure. */

import type { RecordedSettings } from "../../formats/records.ts";
import { fileName } from "../../lib/text.ts";
import { LOAD_SETTINGS } from "../../settings/load/load-table.ts";
import { WORKLOAD_SETTINGS } from "../../settings/load/workload-settings.ts";
import { type Concern, type Setting, type Settings, settingFlag } from "../../settings/setting.ts";
import { formatDuration } from "../../settings/units.ts";
import { DURATION } from "../../settings/values.ts";

/** What the settings that may differ concern: between the shards of one load, and between runs that are compared. */
export const BETWEEN_SHARDS: readonly Concern[] = ["machine", "label"];
export const BETWEEN_RUNS: readonly Concern[] = ["machine", "target", "objectives", "chance", "label"];

/** Settings of a run as a record holds them; of a damaged one, some. */
type SomeSettings = { readonly [K in keyof RecordedSettings]?: RecordedSettings[K] | undefined };

/** What a file is compared by. @param setting that names it, of a workload as `WORKLOAD.SETTING` */
type FileText = (setting: string, file: string) => string;

/**
 * A file is compared by what it holds where both runs say that, else by its name alone. Of one that differs, the text has both.
 * @param own digests of the run whose file it is
 * @param others digests of the other one
 */
const fileTextOf =
  ({ inputDigests: own = {} }: SomeSettings, { inputDigests: others = {} }: SomeSettings): FileText =>
  (setting, file) => {
    const [digest, other] = [own[setting], others[setting]];
    if (digest === undefined || other === undefined) return fileName(file);
    return digest === other ? digest : `${fileName(file)} (SHA-256 ${digest.slice(0, SHOWN_DIGITS)}…)`;
  };

const SHOWN_DIGITS = 12;

/** What is compared of settings whose value depends on the machine in part. */
const COMPARED: Readonly<Record<string, (settings: SomeSettings, textOf: FileText) => unknown>> = {
  prompts: ({ prompts }, textOf) => prompts && textOf("prompts", prompts),
  tokenizer: ({ tokenizer }, textOf) => tokenizer && textOf("tokenizer", tokenizer),
  inputTokens: ({ inputTokens }, textOf) => inputTokens && withoutFolder("inputTokens", inputTokens, textOf),
  maxTokens: ({ maxTokens }, textOf) =>
    typeof maxTokens === "string" ? withoutFolder("maxTokens", maxTokens, textOf) : maxTokens,
  arrival: ({ arrival }, textOf) =>
    arrival && { ...arrival, ...(arrival.file && { file: textOf("arrival", arrival.file) }) },
  header: ({ header }) => header?.map(({ name }) => name),
  workload: ({ workload }) => workload?.workloads.map(({ name }) => name).join(", "),
};

type RecordedWorkload = NonNullable<RecordedSettings["workload"]>["workloads"][number];

/** What is compared of a workload: each member by the name that it has in a file. */
const membersOf = (
  { name, operation, scenario, weight, settings }: RecordedWorkload,
  textOf: FileText,
): Readonly<Record<string, unknown>> => ({
  ...{ operation, scenario: scenario && fileName(scenario), weight },
  ...Object.fromEntries(
    Object.entries(settings)
      .filter(([setting]) => !NOT_COMPARED.includes(setting))
      .map(([setting, text]) => [
        nameOf(setting).replace("--", ""),
        setting === "prompts" ? textOf(`${name}.prompts`, text) : withoutFolder(`${name}.${setting}`, text, textOf),
      ]),
  ),
});

/** Each member in which workloads of the same names differ. */
function differencesOfWorkloads(one: SomeSettings, other: SomeSettings): readonly Difference[] {
  return (one.workload?.workloads ?? []).flatMap((workload, index) => {
    const counterpart = other.workload?.workloads[index];
    if (counterpart === undefined) return [];
    const [members, others] = [
      membersOf(workload, fileTextOf(one, other)),
      membersOf(counterpart, fileTextOf(other, one)),
    ];
    return [...new Set([...Object.keys(members), ...Object.keys(others)])].flatMap((member): Difference[] => {
      const [a = "", b = ""] = [members, others].map((each) => inWords(member, each[member]));
      return a === b ? [] : [{ setting: `${member} of the workload ${workload.name}`, values: [a, b] }];
    });
  });
}

/** A histogram by its file alone, wherever that is. */
const withoutFolder = (setting: string, lengths: string, textOf: FileText): string =>
  lengths.replace(/^histogram:(.*)$/, (_, file: string) => `histogram:${textOf(setting, file)}`);

/** Settings of a workload that say nothing of what it sends: objectives, models and headers may differ between runs. */
const NOT_COMPARED: readonly string[] = Object.entries<Setting>(WORKLOAD_SETTINGS).flatMap(([name, { concerns }]) =>
  concerns === undefined ? [] : [name],
);

/** A setting in which two runs differ: its name and both values, as a user writes them. */
export interface Difference {
  readonly setting: string;
  readonly values: readonly [string, string];
}

/**
 * The first setting in which two runs differ; undefined when their load is the same.
 * @param mayDiffer what the settings that are not looked at concern; every other one, known here or not, must be equal
 */
export const differenceOf = (
  one: SomeSettings,
  other: SomeSettings,
  mayDiffer: readonly Concern[],
): Difference | undefined => differencesOf(one, other, mayDiffer)[0];

/** All settings in which two runs differ, those of a workload after those of the load. */
export function differencesOf(
  one: SomeSettings,
  other: SomeSettings,
  mayDiffer: readonly Concern[],
): readonly Difference[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => {
    const concerns = LOAD[name]?.concerns;
    // They are compared with what names the files, or follow from it.
    if (name === "inputDigests" || name === "replayed" || name === "plannedCached") return false;
    return concerns === undefined || !mayDiffer.includes(concerns);
  });
  const own = names.flatMap((name): Difference[] => {
    const [a, b] = [
      inWords(name, COMPARED[name]?.(one, fileTextOf(one, other)) ?? one[name]),
      inWords(name, COMPARED[name]?.(other, fileTextOf(other, one)) ?? other[name]),
    ];
    return a === undefined || b === undefined || a === b ? [] : [{ setting: nameOf(name), values: [a, b] }];
  });
  return [...own, ...differencesOfWorkloads(one, other)];
}

const LOAD: Settings = LOAD_SETTINGS;

const nameOf = (name: string): string => (LOAD[name] === undefined ? name : settingFlag(name, LOAD[name]));

function inWords(name: string, value: unknown): string {
  if (value === undefined) return "not set";
  if (typeof value === "number" && LOAD[name]?.write === DURATION.write) return formatDuration(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
