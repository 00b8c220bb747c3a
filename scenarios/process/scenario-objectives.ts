/** Objectives that a scenario declares, in addition to those of the settings. Pure. */

import { checkObjectives, parseSlo } from "../../load/objectives/slo.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";

/**
 * The settings of a load with the objectives that its scenario declares, all of them checked.
 * @throws UsageError for one that cannot be read or decided, or when there is none at all
 */
export function withObjectives(settings: LoadSettings, declared: readonly string[]): LoadSettings {
  const all = declared.length === 0 ? settings : { ...settings, slo: [...(settings.slo ?? []), ...declared] };
  checkObjectives(objectivesOf(all).map(parseSlo), all.workload?.workloads);
  return all;
}
