/**
 * The settings that shape a load run. The command line offers these and hands them to k6 as `ASSAY_*` variables.
 * Pure: runs in Node and inside k6.
 */

import { readSettings, type SettingName, type Values } from "../settings/table.ts";
import { UsageError } from "../settings/usage-error.ts";

/** Every setting that a scenario reads, by name. */
export const LOAD_SETTINGS = [
  "target",
  "chatModel",
  "embeddingModel",
  "videoModel",
  "header",
  "caFile",
  "insecure",
  "seed",
  "rate",
  "vus",
  "arrival",
  "duration",
  "warmup",
  "drain",
  "stall",
  "timeout",
  "maxInFlight",
  "maxRequests",
  "maxTokens",
  "prompts",
  "batchSizes",
  "cancelShare",
  "mix",
  "pollInterval",
  "slo",
] as const satisfies readonly SettingName[];

export type LoadSettings = Values<(typeof LOAD_SETTINGS)[number]> & { readonly target: string };

/**
 * Reads the settings of a load run from `ASSAY_*` variables. Durations are milliseconds, rates arrivals a second.
 * @throws UsageError when a value cannot be read, no target is given, or both `rate` and `vus` are.
 */
export function readLoadSettings(env: Readonly<Record<string, string | undefined>>): LoadSettings {
  const { target, ...rest } = readSettings(LOAD_SETTINGS, env);
  if (target === undefined) {
    throw new UsageError(
      "Cannot load a service: no target is given. Set ASSAY_TARGET to its base address, such as http://127.0.0.1:8080.",
    );
  }
  if (rest.rate !== undefined && rest.vus !== undefined) {
    throw new UsageError(
      `Cannot shape the load: both rate (${rest.rate}/s) and vus (${rest.vus}) are set. ` +
        "Keep rate for arrivals that do not wait for the target, or vus for users that each wait for their answer.",
    );
  }
  return { target, ...rest };
}
