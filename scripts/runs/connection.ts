/** How to reach a target, from settings and the environment: what every HTTP client of ours needs to know. */

import type { ClientOptions } from "../../conformance/exchange.ts";
import type { Values } from "../../settings/table.ts";
import { UsageError } from "../../settings/usage-error.ts";

type ConnectionSettings = Pick<Values<"header" | "caFile" | "insecure">, "header" | "caFile" | "insecure">;

/**
 * The options of an HTTP client for the target.
 * @throws UsageError when a header's environment variable is not set
 */
export function connectionOf(
  settings: ConnectionSettings & { readonly target: string },
  keys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Omit<ClientOptions, "timeoutMs"> {
  const headers: Record<string, string> = {};
  for (const { name, variable } of settings.header ?? []) {
    const value = env[variable];
    if (value === undefined) {
      throw new UsageError(
        `Cannot send the header ${name}: the environment variable ${variable} is not set. Set it or leave the header out.`,
      );
    }
    headers[name] = value;
  }
  const apiKey = keys["ASSAY_API_KEY"];
  return {
    target: settings.target,
    headers,
    ...(apiKey !== undefined && { apiKey }),
    ...(settings.caFile !== undefined && { caFile: settings.caFile }),
    ...(settings.insecure !== undefined && { insecure: settings.insecure }),
  };
}
