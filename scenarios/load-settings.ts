/**
 * The settings that shape a load run. The command line offers these and hands them to k6 as `ASSAY_*` variables.
 * Pure: runs in Node and inside k6.
 */

import { formatArrival } from "../settings/parse.ts";
import { formatRates } from "../settings/rates.ts";
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
  "timeScale",
  "startAt",
  "duration",
  "warmup",
  "drain",
  "stall",
  "timeout",
  "maxInFlight",
  "memoryLimit",
  "maxRequests",
  "records",
  "maxTokens",
  "prompts",
  "batchSizes",
  "cancelShare",
  "mix",
  "pollInterval",
  "traceparent",
  "slo",
] as const satisfies readonly SettingName[];

export type LoadSettings = Values<(typeof LOAD_SETTINGS)[number]> & { readonly target: string };

/**
 * Reads the settings of a load run from `ASSAY_*` variables. Durations are milliseconds, rates arrivals a second.
 * @throws UsageError when a value cannot be read, no target is given, or two of them contradict each other.
 */
export function readLoadSettings(env: Readonly<Record<string, string | undefined>>): LoadSettings {
  const { target, ...rest } = readSettings(LOAD_SETTINGS, env);
  if (target === undefined) {
    throw new UsageError(
      "Cannot load a service: no target is given. Set ASSAY_TARGET to its base address, such as http://127.0.0.1:8080.",
    );
  }
  const wrong = contradiction(rest);
  if (wrong !== undefined) throw new UsageError(`Cannot shape the load: ${wrong}.`);
  return { target, ...rest };
}

/** What cannot be asked for at once, in a sentence without its end; undefined when there is nothing. */
function contradiction({ rate, vus, arrival, timeScale }: Omit<LoadSettings, "target">): string | undefined {
  if (rate !== undefined && vus !== undefined) {
    return (
      `both rate (${formatRates(rate)}/s) and vus (${vus}) are set. ` +
      "Keep rate for arrivals that do not wait for the target, or vus for users that each wait for their answer"
    );
  }
  if (vus !== undefined && arrival.process !== "constant") {
    return (
      `both vus (${vus}) and the arrivals ${formatArrival(arrival)} are set. ` +
      "Users that wait for their answers have no arrivals: leave one of the two out"
    );
  }
  if (arrival.process !== "trace") {
    return timeScale === 1 ? undefined : "a time scale is set, and arrivals that are no trace. Set the rate instead";
  }
  return rate === undefined
    ? undefined
    : "both a rate and a trace are set, and the trace says when arrivals are due. Replay it faster or slower with time-scale, such as 2 for twice as fast";
}
