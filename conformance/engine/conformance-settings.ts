/** Settings of a run, read from the `ASSAY_*` environment. */

import { type SettingsFor, settingsFor } from "../../settings/all-settings.ts";
import { DEFAULT_DEADLINE } from "../../settings/conformance-table.ts";
import { headersFrom } from "../../settings/headers.ts";
import { readVariables, type Values } from "../../settings/setting.ts";
import { parseDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { ClientOptions } from "./http-client.ts";

type Given = Omit<Values<SettingsFor<"conformance">>, "header" | "target" | "deadline" | "apiKeyEnv">;

export interface RunSettings extends Given, ClientOptions {
  /** Milliseconds that the whole run may take. */
  readonly deadline: number;
  /** Longest time that all waits for 429 and 503 may take together. */
  readonly waitCapMs: number;
  /** Milliseconds after which a target that has answered nothing at all is given up. */
  readonly silenceMs: number;
}

const MINUTE_MS = 60_000;
const REQUEST_TIMEOUT_MS = MINUTE_MS;
const SILENCE_MS = 25_000;
const WAIT_CAP_MS = 2 * MINUTE_MS;

/**
 * Reads the settings of a run.
 * @throws UsageError that names the variable at fault.
 */
export function runSettings(env: Readonly<Record<string, string | undefined>>): RunSettings {
  const { header, target, deadline, apiKeyEnv, ...given } = readVariables(settingsFor("conformance"), env);
  if (target === undefined) {
    throw new UsageError(
      "No target was given. Set ASSAY_TARGET to the address of the service, such as http://127.0.0.1:8080.",
    );
  }
  const apiKey = env["ASSAY_API_KEY"] || env["ASSAY_API_KEYS"]?.split(",")[0]?.trim();
  const wholeRun = deadline ?? parseDuration(given.video ? DEFAULT_DEADLINE.withVideo : DEFAULT_DEADLINE.withoutVideo);
  return {
    ...given,
    target,
    ...(apiKey && { apiKey }),
    headers: headersFrom(header, env),
    deadline: wholeRun,
    timeoutMs: Math.min(REQUEST_TIMEOUT_MS, wholeRun),
    waitCapMs: Math.min(WAIT_CAP_MS, wholeRun / 2),
    silenceMs: SILENCE_MS,
  };
}

/** The settings as they are written into results: no secret, neither key nor header values. */
export function publicSettings(settings: RunSettings): Record<string, unknown> {
  const { apiKey, headers, failingPrompt, ...rest } = settings;
  return {
    ...rest,
    keyGiven: apiKey !== undefined,
    headers: Object.keys(headers ?? {}),
    ...(failingPrompt !== undefined && { failingPrompt }),
  };
}
