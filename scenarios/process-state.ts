/**
 * What a run needs once per process: the functions that read its settings, prompts, trace and shape. Only
 * `shared-values.ts` requires it, and no code that a virtual user runs imports it: each function of an imported module
 * takes about a kilobyte in every virtual user.
 */

import type { RunOptions } from "k6/x/assay";
import type { WorkloadKind } from "../contract/operations.ts";
import { checkObjectives, parseSlo } from "../load/objectives/slo.ts";
import type { LoadSettings } from "../load/rules/checked-settings.ts";
import { objectivesOf } from "../settings/load/load-table.ts";
import { openLoad } from "./process/open-load.ts";
import { type LoadOptions, optionsOf, runOptionsOf } from "./process/run-options.ts";

export { servicesOf } from "../load/read/service-access.ts";
export * from "./process/endpoints.ts";
export { lengthsOf, vocabularyOf } from "./process/made-prompts.ts";
export { traceOpener } from "./process/open-trace.ts";
export { openLoad };

/**
 * The options of a run, for the extension and for k6.
 * @param slo objectives that its scenario declares
 * @param sends what arrivals of a scenario that comes with Assay send
 * @throws UsageError for an objective that cannot be read or decided
 */
export function shapeOf(
  scenario: string,
  slo: readonly string[],
  sends?: WorkloadKind,
): { readonly run: RunOptions; readonly k6: LoadOptions } {
  const settings = withObjectives(openLoad(), slo);
  return {
    run: runOptionsOf(scenario, settings, sends),
    k6: optionsOf(scenario, settings),
  };
}

/**
 * The settings of a load with the objectives that its scenario declares, all of them checked.
 * @throws UsageError for one that cannot be read or decided, or when there is none at all
 */
function withObjectives(settings: LoadSettings, declared: readonly string[]): LoadSettings {
  const all = declared.length === 0 ? settings : { ...settings, slo: [...(settings.slo ?? []), ...declared] };
  checkObjectives(objectivesOf(all).map(parseSlo), all.workload?.workloads);
  return all;
}
