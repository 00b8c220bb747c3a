/** Which settings of the inputs of requests exclude or need each other. Pure: runs in Node and inside k6. */

import type { WorkloadEntry } from "../../settings/load/workload.ts";
import { WORKLOAD_SETTINGS, type WorkloadSettings } from "../../settings/load/workload-settings.ts";
import { type Setting, writeTexts } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** A workload with all its settings. */
interface Checked extends Partial<WorkloadSettings> {
  readonly name?: string;
}

/** Settings that say nothing without another one, and what is wrong then. */
const NEEDS = Object.entries<Setting>(WORKLOAD_SETTINGS).flatMap(([name, { needs }]) =>
  needs === undefined ? [] : [{ name, ...needs }],
);

/** Whether a setting has another value than its default. */
function isSet(of: Partial<WorkloadSettings>, name: string): boolean {
  const text = writeTexts(WORKLOAD_SETTINGS, of)[name];
  const settings: Readonly<Record<string, Setting>> = WORKLOAD_SETTINGS;
  return text !== undefined && text !== settings[name]?.default;
}

const wrong = (reason: string, workload?: string): UsageError =>
  new UsageError(
    `Cannot make the inputs of requests${workload === undefined ? "" : ` of the workload ${workload}`}: ${reason}.`,
  );

/** @throws UsageError when the header of sessions is one that the user gives a value */
export function checkSessionHeader(name: string | undefined, workloads: readonly Pick<Checked, "header">[]): void {
  const given = workloads
    .flatMap(({ header = [] }) => header)
    .find((each) => each.name.toLowerCase() === name?.toLowerCase());
  if (given === undefined) return;
  throw new UsageError(
    `Cannot send the session as ${name}: a header of that name is given a value (${given.variable}). Leave one of the two out.`,
  );
}

/** @throws UsageError when both a file of prompts and lengths are set */
export function checkOneSource(of: Pick<Checked, "prompts" | "inputTokens">, workload?: string): void {
  if (of.prompts === undefined || of.inputTokens === undefined) return;
  throw wrong(
    "both prompts and input-tokens are set. Keep prompts to take them from the file, or input-tokens to make prompts of these lengths",
    workload,
  );
}

/**
 * Checks the workloads of a load. What a workload does not use of the settings of its load must be used by another one.
 * @param entries of the file that describes them; absent: flags describe the only one
 * @throws UsageError where settings contradict each other
 */
export function checkInputs(workloads: readonly Checked[], entries: readonly WorkloadEntry[] | undefined): void {
  for (const [position, of] of workloads.entries()) {
    const own = entries?.[position]?.settings;
    for (const { name, setting: needed, reason } of NEEDS) {
      if (!isSet(of, name) || isSet(of, needed)) continue;
      if (own !== undefined && Object.hasOwn(own, name)) throw wrong(reason, of.name);
      if (!workloads.some((other) => isSet(other, name) && isSet(other, needed))) throw wrong(reason);
    }
    if (of.turns !== undefined && of.arrival?.process === "trace") {
      throw wrong(
        "both turns and a trace are set, and the arrivals of a trace are single requests. Leave one of the two out",
        of.name,
      );
    }
  }
}
