/** Which settings of the inputs of requests exclude or need each other. Pure: runs in Node and inside k6. */

import { LOAD_SETTINGS } from "../../settings/load-table.ts";
import { writeTexts } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { WorkloadEntry } from "../../settings/workload.ts";
import type { WorkloadSettings } from "../../settings/workload-settings.ts";

const { prompts, inputTokens, sharedPrefixTokens, turns, thinkTime, contextLimit } = LOAD_SETTINGS;
const SETTINGS = { prompts, inputTokens, sharedPrefixTokens, turns, thinkTime, contextLimit };

type Name = keyof typeof SETTINGS;
type Inputs = Pick<WorkloadSettings, Name>;

/** A workload with all its settings. */
interface Checked extends Inputs, Pick<WorkloadSettings, "arrival"> {
  readonly name?: string;
}

/** Settings that say nothing without another one, and what is wrong then. */
const NEEDS: readonly { readonly name: Name; readonly needed: Name; readonly reason: string }[] = [
  {
    name: "sharedPrefixTokens",
    needed: "inputTokens",
    reason:
      "shared-prefix-tokens is set without input-tokens. Set input-tokens too, the length of what follows the prefix",
  },
  {
    name: "thinkTime",
    needed: "turns",
    reason: "think-time is set without turns, between which it is spent. Set turns too, such as 2..6",
  },
  {
    name: "contextLimit",
    needed: "turns",
    reason: "context-limit is set without turns, which it limits. Set turns too, such as 2..6",
  },
];

/** Whether a setting has another value than its default. */
function isSet(of: Inputs, name: Name): boolean {
  const text = writeTexts(SETTINGS, of)[name];
  const { default: usual }: { readonly default?: string } = SETTINGS[name];
  return text !== undefined && text !== usual;
}

const wrong = (reason: string, workload?: string): UsageError =>
  new UsageError(
    `Cannot make the inputs of requests${workload === undefined ? "" : ` of the workload ${workload}`}: ${reason}.`,
  );

/** @throws UsageError when both a file of prompts and lengths are set */
export function checkOneSource(of: Partial<Pick<Inputs, "prompts" | "inputTokens">>, workload?: string): void {
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
    for (const { name, needed, reason } of NEEDS) {
      if (!isSet(of, name) || isSet(of, needed)) continue;
      if (own !== undefined && Object.hasOwn(own, name)) throw wrong(reason, of.name);
      if (!workloads.some((other) => isSet(other, name) && isSet(other, needed))) throw wrong(reason);
    }
    if (of.turns !== undefined && of.arrival.process === "trace") {
      throw wrong(
        "both turns and a trace are set, and the arrivals of a trace are single requests. Leave one of the two out",
        of.name,
      );
    }
  }
}
