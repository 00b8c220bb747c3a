/** The address of the service and the headers of requests. Pure; the API key is a value here and never written anywhere. */

import { bearer, JSON_MEDIA_TYPE } from "../../contract/service.ts";
import { type HeaderSource, headersFrom } from "../../settings/headers.ts";

/** The settings of how to reach the service. */
interface Access {
  readonly target: string;
  readonly header?: readonly HeaderSource[];
  /** Environment variable of the API key; absent: those that Assay's own variables hold. */
  readonly apiKeyEnv?: string | undefined;
}

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

/**
 * The service once per API key; without a key once, without an Authorization header.
 * @throws UsageError when a header's environment variable is not set.
 */
export function servicesOf({ target, header, apiKeyEnv }: Access, env: Environment): readonly Service[] {
  const further = headersFrom(header, env);
  const all = apiKeyEnv === undefined ? apiKeysOf(env) : apiKeysOf({ ASSAY_API_KEY: env[apiKeyEnv] });
  const keys = all.map((key) => ({ authorization: bearer(key) }));
  return (keys.length === 0 ? [{}] : keys).map((key) => ({ baseUrl: target, headers: { ...key, ...further } }));
}

/** The service of a virtual user (numbered from 1; 0 is k6's own for set-up and teardown): keys are assigned in turn. */
export function serviceFor(services: readonly Service[], vu: number): Service {
  const service = services[Math.max(vu - 1, 0) % services.length];
  if (service === undefined) throw new RangeError("Cannot choose a service: there is none.");
  return service;
}
