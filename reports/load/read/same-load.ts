/** Whether shards are of one load: every setting that shapes the load or its results must be equal. Pure. */

import type { RecordedSettings } from "../../../formats/records.ts";
import { fileName } from "../../../lib/text.ts";
import { LOAD_SETTINGS } from "../../../settings/load-table.ts";
import { type Settings, settingKey } from "../../../settings/setting.ts";
import { formatDuration } from "../../../settings/units.ts";
import { DURATION } from "../../../settings/values.ts";

/** Settings that may differ from machine to machine; every other one, known here or not, may not. */
const MAY_DIFFER: readonly string[] = [
  "startAt", // a steady load needs no common start, and shards that started apart are reported
  "memoryLimit", // of the machine
  "records", // gaps that are listed and gaps of a histogram merge
  "caFile", // where the machine keeps it
  "insecure", // which certificates the machine trusts
];

/** What is compared of settings whose value depends on the machine in part. */
const COMPARED: Readonly<Record<string, (settings: RecordedSettings) => unknown>> = {
  prompts: ({ prompts }) => prompts && fileName(prompts),
  arrival: ({ arrival }) => arrival && { ...arrival, ...(arrival.file && { file: fileName(arrival.file) }) },
  header: ({ header }) => header?.map(({ name }) => name),
};

/** A setting in which two shards differ: its name and both values, as a user writes them. */
export interface Difference {
  readonly setting: string;
  readonly values: readonly [string, string];
}

/** The first setting in which two shards differ; undefined when they are of one load. */
export function differenceOf(one: RecordedSettings, other: RecordedSettings): Difference | undefined {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (MAY_DIFFER.includes(name)) continue;
    const [a, b] = [one, other].map((settings) => inWords(name, COMPARED[name]?.(settings) ?? settings[name]));
    if (a !== undefined && b !== undefined && a !== b) return { setting: nameOf(name), values: [a, b] };
  }
  return undefined;
}

const LOAD: Settings = LOAD_SETTINGS;

const nameOf = (name: string): string => (name in LOAD ? `--${settingKey(name)}` : name);

function inWords(name: string, value: unknown): string {
  if (value === undefined) return "not set";
  if (typeof value === "number" && LOAD[name]?.write === DURATION.write) return formatDuration(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
