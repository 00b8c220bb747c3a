/** The options of HTTP clients for a target, from settings and the environment. */

import type { UsedEndpoint } from "../../cli/preflight.ts";
import type { UsedTarget } from "../../cli/target.ts";
import type { Connection } from "../../conformance/engine/target-connection.ts";
import { isWorkloadKind } from "../../contract/operations.ts";
import { apiKeysOf } from "../../load/read/service-access.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { type Reach, reachOf } from "../../route/route.ts";
import type { CONNECTION_SETTINGS } from "../../settings/connection-table.ts";
import { headersFrom } from "../../settings/headers.ts";
import { parseModels } from "../../settings/load/models.ts";
import type { Values } from "../../settings/setting.ts";
import type { LoadPlan } from "./plan-load.ts";

type ConnectionSettings = Pick<Values<typeof CONNECTION_SETTINGS>, "header" | "withoutHeader"> & Reach;

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
    withoutHeader: settings.withoutHeader,
    ...reachOf(settings),
  };
  return apiKeysOf(keys).map((apiKey) => ({ ...common, apiKey }));
}

/**
 * The same for a load: of each of its workloads, whose keys and headers may differ.
 * @throws UsageError when a header's environment variable is not set
 */
export function connectionsOfLoad(
  settings: LoadSettings,
  keys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly Connection[] {
  const all = settings.workloads.flatMap(({ apiKeyEnv, header }) => {
    const own = apiKeyEnv === undefined ? keys : { ASSAY_API_KEY: keys[apiKeyEnv] ?? "" };
    return connectionsOf({ ...settings, ...(header && { header }) }, own, env);
  });
  const known = new Map(all.map((connection) => [JSON.stringify(connection), connection]));
  return [...known.values()];
}

/** The endpoint that the requests of each operation go to. */
const ENDPOINTS = { "chat-stream": "chat", chat: "chat", embeddings: "embeddings", video: "video" } as const;

/** The target of a load, with the endpoints of its operations; what scenarios of the user's own send is not known. */
export function targetOf({ scenario, settings, keys }: Pick<LoadPlan, "scenario" | "settings" | "keys">): UsedTarget {
  const used = new Map<string, UsedEndpoint>();
  for (const workload of settings.workloads) {
    const operation = settings.workload === undefined && isWorkloadKind(scenario) ? scenario : workload.operation;
    const [connection] = connectionsOfLoad({ ...settings, workloads: [workload] }, keys);
    if (operation === undefined || connection === undefined) continue;
    const part = ENDPOINTS[operation];
    const models = { chat: workload.chatModel, embeddings: workload.embeddingModel, video: workload.videoModel };
    const [first] = parseModels(models[part]);
    if (!used.has(part)) used.set(part, { part, connection, model: first?.model });
  }
  return { target: settings.target, endpoints: [...used.values()] };
}
