/** What a file of workloads adds to the settings of a command: it comes after flags and variables, and before assay.yaml. */

import { basename, extname } from "node:path";
import { settingsFor } from "../../settings/all-settings.ts";
import { parseHeaders } from "../../settings/headers.ts";
import { type GivenText, settingKey } from "../../settings/setting.ts";
import { formatWorkloads, readWorkloads, type WorkloadEntry } from "../../settings/workload.ts";
import { readWorkloadFile } from "./workload-file.ts";

export interface WorkloadLayer {
  /** The workloads themselves. */
  readonly given: GivenText;
  /** Settings of the whole load, by name. */
  readonly settings: Readonly<Record<string, GivenText>>;
  /** The workloads as they are read. */
  readonly entries: readonly WorkloadEntry[];
}

/** Settings that a workload has in addition to those of its load. */
const ADDED = ["slo", "header"];

/** Settings of which a workload has one at most. */
const ALTERNATIVES: Readonly<Record<string, string>> = { prompts: "inputTokens", inputTokens: "prompts" };

/** With one of these a workload has arrivals of its own; a load that has one too is refused. */
const DECIDES_ARRIVALS = ["rate", "vus"];

/**
 * Reads what names workloads.
 * @param isGiven whether a setting is given by a flag or a variable, which take the place of what a file says
 * @throws UsageError as `readWorkloadFile` does
 */
export function workloadLayer({ text, source: from }: GivenText, isGiven: (name: string) => boolean): WorkloadLayer {
  const source = readWorkloads(text);
  if (typeof source !== "string") {
    return { given: { text, source: from }, settings: {}, entries: source.workloads };
  }
  const { settings, workloads } = readWorkloadFile(source);
  const isReplaced = (name: string): boolean => isGiven(name) || isGiven(ALTERNATIVES[name] ?? name);
  const kept = ([name]: [string, string]): boolean =>
    ADDED.includes(name) || DECIDES_ARRIVALS.includes(name) || !isReplaced(name);
  const own = workloads.map((entry) => ({
    ...entry,
    settings: Object.fromEntries(Object.entries(entry.settings).filter(kept)),
  }));
  const byName = Object.keys(settingsFor("load")).flatMap((name) => {
    const member = settingKey(name);
    const value = settings[member];
    return value === undefined || isReplaced(name)
      ? []
      : [[name, { text: value, source: `${member} in ${source}` }] as const];
  });
  const title = basename(source, extname(source));
  return {
    given: { text: formatWorkloads({ title, workloads: own }), source: from },
    settings: Object.fromEntries(byName),
    entries: own,
  };
}

/** Environment variables that workloads name. */
export const variablesOf = (workloads: readonly WorkloadEntry[]): readonly string[] =>
  workloads.flatMap(({ apiKeyEnv, settings: { header } }) => [
    ...(apiKeyEnv === undefined ? [] : [apiKeyEnv]),
    ...(header === undefined ? [] : parseHeaders(header).map(({ variable }) => variable)),
  ]);
