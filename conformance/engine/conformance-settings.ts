/** Settings of a run, read from the `ASSAY_*` environment. */

import { headersFrom } from "../../settings/headers.ts";
import { formatRates, steadyRate } from "../../settings/rates.ts";
import { readSettings, type Values } from "../../settings/table.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { ClientOptions } from "./http-client.ts";

/** Every setting that a run of the suite reads, by name. */
export const CONFORMANCE_SETTINGS = [
  "target",
  "chatModel",
  "embeddingModel",
  "videoModel",
  "header",
  "caFile",
  "insecure",
  "only",
  "video",
  "maxVideoJobs",
  "pollInterval",
  "failingPrompt",
  "deadline",
  "profile",
  "concurrency",
  "rate",
  "baseline",
] as const;

type Given = Omit<Values<(typeof CONFORMANCE_SETTINGS)[number]>, "header" | "target" | "deadline" | "rate">;

export interface RunSettings extends Given, ClientOptions {
  /** Most requests a second. */
  readonly rate?: number;
  /** Milliseconds that the whole run may take. */
  readonly deadline: number;
  /** Longest time that all waits for 429 and 503 may take together. */
  readonly waitCapMs: number;
  /** Milliseconds after which a target that has answered nothing at all is given up. */
  readonly silenceMs: number;
}

const MINUTE_MS = 60_000;
const DEADLINE_MS = 10 * MINUTE_MS;
const VIDEO_DEADLINE_MS = 60 * MINUTE_MS;
const REQUEST_TIMEOUT_MS = MINUTE_MS;
const SILENCE_MS = 25_000;
const WAIT_CAP_MS = 2 * MINUTE_MS;

/**
 * Reads the settings of a run.
 * @throws SettingError or UsageError that names the variable at fault.
 */
export function runSettings(env: Readonly<Record<string, string | undefined>>): RunSettings {
  const { header, target, deadline, rate, ...given } = readSettings(CONFORMANCE_SETTINGS, env);
  if (target === undefined) {
    throw new UsageError(
      "No target was given. Set ASSAY_TARGET to the address of the service, such as http://127.0.0.1:8080.",
    );
  }
  const apiKey = env["ASSAY_API_KEY"] || env["ASSAY_API_KEYS"]?.split(",")[0]?.trim();
  const most = rate && steadyRate(rate);
  if (rate !== undefined && most === undefined) {
    throw new UsageError(
      `Cannot judge at the rate ${formatRates(rate)}: it changes. Give the most requests a second as one number.`,
    );
  }
  const wholeRun = deadline ?? (given.video ? VIDEO_DEADLINE_MS : DEADLINE_MS);
  return {
    ...given,
    ...(most !== undefined && { rate: most }),
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
