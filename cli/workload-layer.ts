/** What a file of workloads adds to the settings of a command: it comes after flags and variables, and before assay.yaml. */

import { basename, extname } from "node:path";
import { settingsFor } from "../settings/all-settings.ts";
import { namedTrace } from "../settings/load/arrival-process.ts";
import type { WorkloadEntry, Workloads } from "../settings/load/workload.ts";
import { type GivenText, settingKey } from "../settings/setting.ts";
import { readWorkloadFile } from "./workload-file.ts";

export interface WorkloadLayer extends Workloads {
  /** Settings of the whole load, by name. */
  readonly settings: Readonly<Record<string, GivenText>>;
}

/** Settings that a workload has in addition to those of its load. */
const ADDED = ["slo", "header"];

/** Settings of which a workload has one at most. */
const ALTERNATIVES: Readonly<Record<string, string>> = { prompts: "inputTokens", inputTokens: "prompts" };

/** With one of these a workload has arrivals of its own; a load that has one too is refused. */
const DECIDES_ARRIVALS = ["rate", "vus"];

/**
 * Reads a file of workloads.
 * @param isGiven whether a setting is given by a flag or a variable, which take the place of what a file says
 * @throws UsageError as `readWorkloadFile` does
 */
export function workloadLayer(file: string, isGiven: (name: string) => boolean): WorkloadLayer {
  const { settings, workloads } = readWorkloadFile(file);
  const path = namedTrace(file)?.file ?? file;
  const isReplaced = (name: string): boolean => isGiven(name) || isGiven(ALTERNATIVES[name] ?? name);
  const isKept = ([name]: [string, unknown]): boolean =>
    ADDED.includes(name) || DECIDES_ARRIVALS.includes(name) || !isReplaced(name);
  const byName = Object.keys(settingsFor("load")).flatMap((name) => {
    const member = settingKey(name);
    const value = settings[member];
    return value === undefined || isReplaced(name)
      ? []
      : [[name, { text: value, source: `${member} in ${file}` }] as const];
  });
  return {
    title: basename(path, extname(path)),
    workloads: workloads.map((entry) => ({
      ...entry,
      settings: Object.fromEntries(Object.entries(entry.settings).filter(isKept)),
    })),
    settings: Object.fromEntries(byName),
  };
}

/** Environment variables that workloads name. */
export const variablesOf = (workloads: readonly WorkloadEntry[]): readonly string[] =>
  workloads.flatMap(({ apiKeyEnv, settings: { header = [] } }) => [
    ...(apiKeyEnv === undefined ? [] : [apiKeyEnv]),
    ...header.map(({ variable }) => variable),
  ]);
