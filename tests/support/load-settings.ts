/** Settings of a load for tests, from variables as a user sets them. */

import { checkedSettings, type LoadSettings } from "../../load/rules/checked-settings.ts";
import { LOAD_SETTINGS } from "../../settings/load/load-table.ts";
import type { Workloads } from "../../settings/load/workload.ts";
import { readVariables } from "../../settings/setting.ts";

/** The settings of a load, checked as a whole. */
export function readLoadSettings(env: Readonly<Record<string, string>>, workload?: Workloads): LoadSettings {
  const { workload: _, ...values } = readVariables(LOAD_SETTINGS, env);
  return checkedSettings({ ...values, ...(workload && { workload }) });
}
