/** The options of HTTP clients for a target, from settings and the environment. */

import type { Connection } from "../../conformance/engine/target-connection.ts";
import { apiKeysOf } from "../../scenarios/service-access.ts";
import type { CONNECTION_SETTINGS } from "../../settings/connection-table.ts";
import { headersFrom } from "../../settings/headers.ts";
import type { Values } from "../../settings/setting.ts";

type ConnectionSettings = Pick<Values<typeof CONNECTION_SETTINGS>, "header" | "caFile" | "insecure">;

/**
 * The options of HTTP clients for the target, one per API key.
 * @throws UsageError when a header's environment variable is not set
 */
export function connectionsOf(
  settings: ConnectionSettings & { readonly target: string },
  keys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly Connection[] {
  const common = {
    target: settings.target,
    headers: headersFrom(settings.header, env),
    ...(settings.caFile !== undefined && { caFile: settings.caFile }),
    ...(settings.insecure !== undefined && { insecure: settings.insecure }),
  };
  return apiKeysOf(keys).map((apiKey) => ({ ...common, apiKey }));
}
