/**
 * `load.json`: the whole description of a load for k6, without keys and values of headers, which the environment holds. Its settings
 * are also those of the header of records. Pure: runs in Node, which writes it, and inside k6, which reads it once.
 */

import { isWorkloadKind } from "../../contract/operations.ts";
import { describe, isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { defaultsOf, readJson, type Setting, type Values, writeJson, writeTexts } from "../setting.ts";
import { UsageError } from "../usage-error.ts";
import { LOAD_SETTINGS } from "./load-table.ts";
import type { WorkloadEntry, Workloads } from "./workload.ts";
import { WORKLOAD_SETTINGS } from "./workload-settings.ts";

export const LOAD_SCHEMA = "assay.load-settings/1";

/** Its name in a result folder, in a bundle and in a ConfigMap. */
export const LOAD_FILE = "load.json";

/** The settings of a load, with its workloads in place of the file that describes them. */
export type GivenSettings = Omit<Values<typeof LOAD_SETTINGS>, "workload"> & {
  readonly workload?: Workloads;
  readonly inputDigests?: InputDigests;
  /** What the trace says that is replayed; nothing follows from it. */
  readonly replayed?: UnknownObject;
  /** Of all input tokens, the share in prefixes that are to be sent before; nothing follows from it. */
  readonly plannedCached?: number;
  /** Files of prompts that k6 reads in place of those that the settings name, whose layouts it does not know. */
  readonly promptFiles?: Readonly<Record<string, string>> | undefined;
};

/** SHA-256 of each file of inputs, by the setting that names it, of a workload as `WORKLOAD.SETTING`. */
export type InputDigests = Readonly<Record<string, string>>;

/** A load as `load.json` holds it: a setting that says nothing without another one is left out where none is given. */
export function settingsJson({
  workload,
  inputDigests,
  replayed,
  plannedCached,
  promptFiles,
  ...values
}: GivenSettings): Record<string, unknown> {
  const given = new Set([values, ...(workload?.workloads.map(({ settings }) => settings) ?? [])].flatMap(namesIn));
  const written = Object.entries(writeJson(LOAD_SETTINGS, values)).filter(([name]) => {
    const needed = TABLE[name]?.needs?.setting;
    return needed === undefined || given.has(needed);
  });
  return {
    ...Object.fromEntries(written),
    ...(workload && { workload: workloadsJson(workload) }),
    ...(inputDigests && { inputDigests }),
    ...(replayed && { replayed }),
    ...(plannedCached !== undefined && { plannedCached }),
    ...(promptFiles && { promptFiles }),
  };
}

const namesIn = (settings: object): string[] =>
  Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));

const TABLE: Readonly<Record<string, Setting>> = LOAD_SETTINGS;

/** Workloads as JSON: each has its own settings as a user writes them. */
export const workloadsJson = ({ title, workloads }: Workloads) => ({
  title,
  workloads: workloads.map((entry) => ({ ...entry, settings: writeTexts(WORKLOAD_SETTINGS, entry.settings) })),
});

/**
 * Reads the text of `load.json`.
 * @throws UsageError that says which member is wrong, and how
 */
export function readLoad(text: string): GivenSettings {
  const file = parseJson(text);
  if (!isObject(file) || file["schema"] !== LOAD_SCHEMA || !isObject(file["settings"])) {
    throw new UsageError(
      `Cannot use ${LOAD_FILE}: it is not a JSON object with the schema "${LOAD_SCHEMA}" and settings. Write the load again with assay bundle, and change its settings only.`,
    );
  }
  const { workload, inputDigests, replayed, plannedCached, promptFiles, ...members } = file["settings"];
  const { workload: _, ...values } = { ...defaultsOf(LOAD_SETTINGS), ...readJson(LOAD_SETTINGS, members, LOAD_FILE) };
  return {
    ...values,
    ...(workload !== undefined && { workload: readWorkloads(workload) }),
    ...(isObject(inputDigests) && { inputDigests: textsIn(inputDigests) }),
    ...(isObject(replayed) && { replayed }),
    ...(typeof plannedCached === "number" && { plannedCached }),
    ...(isObject(promptFiles) && { promptFiles: textsIn(promptFiles) }),
  };
}

const textsIn = (object: UnknownObject): InputDigests =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

function readWorkloads(json: unknown): Workloads {
  const { title, workloads } = isObject(json) ? json : {};
  if (typeof title !== "string" || !Array.isArray(workloads) || workloads.length === 0) {
    throw wrong(`it is ${describe(json)}, where an object with a title and workloads was expected`);
  }
  return { title, workloads: workloads.map(readWorkload) };
}

const wrong = (reason: string): UsageError => new UsageError(`Cannot read workload in ${LOAD_FILE}: ${reason}.`);

function readWorkload(json: unknown): WorkloadEntry {
  const { name, operation, scenario, weight, tenant, apiKeyEnv, settings } = isObject(json) ? json : {};
  if (typeof name !== "string" || (!isWorkloadKind(operation) && typeof scenario !== "string") || !isObject(settings)) {
    throw wrong(`${describe(json)} is not a workload, which has a name, an operation or a scenario, and settings`);
  }
  const source = `settings of the workload ${name} in ${LOAD_FILE}`;
  return {
    name,
    ...(isWorkloadKind(operation) && { operation }),
    ...(typeof scenario === "string" && { scenario }),
    ...(typeof weight === "number" && { weight }),
    ...(typeof tenant === "string" && { tenant }),
    ...(typeof apiKeyEnv === "string" && { apiKeyEnv }),
    settings: readJson(WORKLOAD_SETTINGS, settings, source),
  };
}
