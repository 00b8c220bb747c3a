/** Where a run goes: the context and namespace of kubectl, read once and named in every call after that. */

import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { type Kubectl, type Place, printedBy } from "./kubectl.ts";

/** `kubectl config view --output json`, as far as it is needed; without a configuration its lists are null. */
const configuration = z.object({
  "current-context": z.string().default(""),
  contexts: z
    .array(z.object({ name: z.string(), context: z.object({ namespace: z.string().optional() }) }))
    .nullable()
    .default([]),
});

/** The namespace that Kubernetes takes where a context names none. */
const DEFAULT_NAMESPACE = "default";

/**
 * The place that the user named, filled up by the configuration of kubectl.
 * @param kubectl of no place
 * @throws UsageError when there is no such context, or kubectl cannot read its configuration
 */
export async function currentPlace(kubectl: Kubectl, named: Place): Promise<Place> {
  const advice = "Check the file that KUBECONFIG names.";
  const text = await printedBy(kubectl(["config", "view", "--output", "json"]), "read the contexts of kubectl", advice);
  const read = configuration.safeParse(parseJson(text));
  if (!read.success) {
    throw new UsageError(`Cannot read the contexts of kubectl: kubectl config view printed something else. ${advice}`);
  }
  const context = named.context ?? read.data["current-context"];
  if (context === "") return named;
  const contexts = read.data.contexts ?? [];
  const found = contexts.find(({ name }) => name === context);
  if (found === undefined) {
    const known = contexts.map(({ name }) => name).join(", ") || "none";
    throw new UsageError(
      `Cannot use the context "${context}": the configuration of kubectl does not have it (it has: ${known}). Name one with --context.`,
    );
  }
  return { context, namespace: named.namespace ?? found.context.namespace ?? DEFAULT_NAMESPACE };
}

/** The place as a sentence without its end. */
export const placeInWords = ({ context, namespace }: Place): string =>
  `Cluster: ${context === undefined ? "that of the service account" : `context ${context}`}, namespace ${namespace ?? "of the service account"}`;
