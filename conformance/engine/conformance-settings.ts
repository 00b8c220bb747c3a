/** The settings of a run, with the bounds that follow from them. */

import type { RecordedCheckSettings } from "../../formats/exchanges.ts";
import { noTarget } from "../../settings/address.ts";
import { type SettingsFor, settingsFor } from "../../settings/all-settings.ts";
import { DEFAULT_DEADLINE } from "../../settings/conformance-table.ts";
import { headersFrom } from "../../settings/headers.ts";
import { readVariables, type Values } from "../../settings/setting.ts";
import { parseDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { ClientOptions } from "./http-client.ts";

type ConformanceValues = Values<SettingsFor<"conformance">>;
type Given = Omit<ConformanceValues, "header" | "target" | "deadline" | "apiKeyEnv">;
type Environment = Readonly<Record<string, string | undefined>>;

export interface RunSettings extends Given, ClientOptions {
  /** Milliseconds that the whole run may take. */
  readonly deadline: number;
  /** Longest time that all waits for 429 and 503 may take together. */
  readonly waitCapMs: number;
  /** Milliseconds after which a run is ended when the target has returned nothing at all. */
  readonly silenceMs: number;
  /** Longest wait, once the run is ended, for the response to a submission: without it, its task could not be cancelled. */
  readonly graceMs: number;
}

const MINUTE_MS = 60_000;
const REQUEST_TIMEOUT_MS = MINUTE_MS;
const SILENCE_MS = 25_000;
const GRACE_MS = 5_000;
const WAIT_CAP_MS = 2 * MINUTE_MS;

/** Reads the settings of a run from the `ASSAY_*` environment. @throws UsageError that names the variable at fault */
export const settingsFrom = (env: Environment): RunSettings =>
  runSettings(readVariables(settingsFor("conformance"), env), env);

/**
 * Completes the settings of a run.
 * @param env holds the API key and the values of headers
 * @throws UsageError without a target, or when the variable of a header is not set
 */
export function runSettings(values: ConformanceValues, env: Environment): RunSettings {
  const { header, target, deadline, apiKeyEnv, ...given } = values;
  if (target === undefined) throw noTarget();
  if (deadline === 0) throw new UsageError("Cannot run: the deadline is 0. Give the run some time, such as 10m.");
  const apiKey = env["ASSAY_API_KEY"]?.trim() || env["ASSAY_API_KEYS"]?.split(",")[0]?.trim();
  const wholeRun = deadline ?? parseDuration(given.video ? DEFAULT_DEADLINE.withVideo : DEFAULT_DEADLINE.withoutVideo);
  // A default for video is no wish to wait long for one response.
  const slowest = Math.ceil((deadline ?? parseDuration(DEFAULT_DEADLINE.withoutVideo)) / 4);
  return {
    ...given,
    target,
    ...(apiKey && { apiKey }),
    headers: headersFrom(header, env),
    deadline: wholeRun,
    timeoutMs: Math.min(REQUEST_TIMEOUT_MS, Math.ceil(wholeRun / 4)),
    slowMs: slowest,
    patienceMs: wholeRun / 2,
    waitCapMs: Math.min(WAIT_CAP_MS, wholeRun / 2),
    silenceMs: Math.max(SILENCE_MS, slowest),
    graceMs: GRACE_MS,
  };
}

/** The settings as they are written into results: no secret, neither key nor header values. */
export function publicSettings(settings: RunSettings): RecordedCheckSettings {
  const { apiKey, headers, failingPrompt, patienceMs: _, slowMs: __, ...rest } = settings;
  return {
    ...rest,
    keyGiven: apiKey !== undefined,
    headers: Object.keys(headers ?? {}),
    ...(failingPrompt !== undefined && { failingPrompt }),
  };
}
