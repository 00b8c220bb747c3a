/** Where requests go and which headers they carry. Pure; the API key is a value here and never written anywhere. */

import { bearer, JSON_MEDIA_TYPE } from "../contract/service.ts";
import { headersFrom } from "../settings/headers.ts";
import type { LoadSettings } from "./load-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Service {
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sent with requests that carry a body. */
export const BODY_HEADERS = { "content-type": JSON_MEDIA_TYPE } as const;

/** The API keys: those of `ASSAY_API_KEYS` (comma-separated), else that of `ASSAY_API_KEY`, else none. */
export function apiKeysOf(env: Environment): readonly string[] {
  const split = (text = ""): readonly string[] =>
    text
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== "");
  const several = split(env["ASSAY_API_KEYS"]);
  if (several.length > 0) return several;
  const one = env["ASSAY_API_KEY"]?.trim();
  return one === undefined || one === "" ? [] : [one];
}

/** The key of a virtual user (numbered from 1; 0 is k6's own for set-up and teardown): keys are given out in turn. */
export const keyFor = (keys: readonly string[], vu: number): string | undefined =>
  keys[Math.max(vu - 1, 0) % Math.max(keys.length, 1)];

/**
 * The service as one holder of a key sees it; without a key no Authorization header is sent.
 * @throws UsageError when a header's environment variable is not set.
 */
export function serviceOf(settings: LoadSettings, env: Environment, apiKey: string | undefined): Service {
  const key: Record<string, string> = apiKey === undefined ? {} : { authorization: bearer(apiKey) };
  return { baseUrl: settings.target, headers: { ...key, ...headersFrom(settings.header, env) } };
}
