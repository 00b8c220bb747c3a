/** Which requests a target may take for an attack, from their content: those that it need not serve, and those with other keys. */

import { violationOf } from "../../contract/check.ts";
import { REQUEST_FIELDS, type RequestName } from "../../contract/fields.ts";
import { PATHS, REFERENCE_ROLES } from "../../contract/service.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Probe, TaskProbe } from "../model/probe.ts";
import { ORDER } from "../probes/video.ts";

/**
 * In the order in which they go: `valid` must be served, `invalid` need not be, `key` carries no key or another one. What is only
 * observed of video tasks (`open`) comes after all that, since it costs jobs of the budget.
 */
export const RISKS = ["valid", "invalid", "key", "open"] as const;
export type Risk = (typeof RISKS)[number];

const NAMES: Readonly<Record<string, RequestName>> = { [PATHS.chat]: "chat", [PATHS.embeddings]: "embeddings" };

/** What a target may make of the request of a probe. */
export function riskOf(probe: Probe): Risk {
  if (probe.kind === "task" && probe.order >= ORDER.observed) return "open";
  if (probe.kind === "task" && probe.steps.some((step) => step.endsWith("-unkeyed"))) return "key";
  if (probe.key !== undefined || probe.keyName !== undefined) return "key";
  if (probe.raw !== undefined || probe.contentType !== undefined) return "invalid";
  // The budget of video jobs is for what is required first.
  if (probe.kind === "task" && probe.order >= ORDER.refusal) return "invalid";
  const name = probe.kind === "task" ? "videos" : NAMES[probe.path];
  return name !== undefined && probe.body !== undefined && mustBeServed(name, probe.body) ? "valid" : "invalid";
}

/** Whether a submission is one that a target need not accept. */
export const isInvalid = ({ body }: TaskProbe): boolean => !mustBeServed("videos", body);

/** Whether the specification leaves a target no choice but to serve a request. */
function mustBeServed(name: RequestName, body: JsonObject): boolean {
  const fields = REQUEST_FIELDS[name];
  const known: readonly string[] = fields.map(({ path }) => path);
  const isKept = fields.every((field) =>
    valuesAt(body, field.path).every(({ value }) =>
      value === undefined ? !field.required : violationOf(field, value) === undefined,
    ),
  );
  return isKept && Object.keys(body).every((member) => known.includes(member)) && !hasOpenValue(body);
}

/** Empty texts and lists, other roles and limits below 1, which the specification leaves open. */
function hasOpenValue(value: Json): boolean {
  if (value === "") return true;
  if (Array.isArray(value)) return value.length === 0 || value.some((item: Json) => hasOpenValue(item));
  if (!isObject(value)) return false;
  const { role, max_tokens: most } = value;
  if (role !== undefined && !REFERENCE_ROLES.some((one) => one === role)) return true;
  if (typeof most === "number" && most < 1) return true;
  return Object.values(value).some((member) => member !== undefined && hasOpenValue(member));
}
