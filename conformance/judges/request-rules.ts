/** The rules of the contract that a request satisfies or violates, in words, for the messages about its response. */

import { violationOf } from "../../contract/check.ts";
import { REQUEST_FIELDS, type RequestField, type RequestName } from "../../contract/fields.ts";
import { API_PREFIX, PATHS } from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject, parseJson, show, type UnknownObject } from "../../lib/json.ts";

/** The rule that an invalid request violates, and with what: the one field in which it differs from its control. */
export interface ViolatedRule {
  /** `the specification requires temperature to be from 0 to 2` */
  readonly statement: string;
  /** `temperature 2.1`, `a request without model` */
  readonly sent: string;
}

/** Compares an invalid request with its valid control. */
export function violatedRule(exchange: Exchange | undefined, control: Exchange | undefined): ViolatedRule {
  const field = differing(requestBody(exchange), requestBody(control));
  const rule = fieldsOf(exchange).find(({ path }) => path === field?.path);
  if (field === undefined || rule === undefined) {
    return { statement: "the specification does not allow this request", sent: "it" };
  }
  const { name, value } = field;
  if (value === undefined) {
    return { statement: `the specification requires ${name}`, sent: `a request without ${name}` };
  }
  const violation = violationOf(rule, value);
  return violation === undefined
    ? { statement: "the specification does not allow this request", sent: valued(name, value) }
    : { statement: `the specification requires ${name} to be ${violation.expected}`, sent: valued(name, value) };
}

/** What a valid request holds: `temperature 0`, or `model and messages alone`; empty without a body. */
export function requestedFields(exchange: Exchange | undefined): string {
  const required = fieldsOf(exchange).flatMap((field) => (field.required ? [field.path] : []));
  const members = Object.entries(requestBody(exchange));
  const optional = members.filter(([name]) => !required.includes(name));
  if (optional.length > 0) return ` with ${optional.map(([name, value]) => valued(name, value)).join(", ")}`;
  return members.length === 0 ? "" : ` with ${members.map(([name]) => name).join(" and ")} alone`;
}

const NAMES: readonly RequestName[] = ["chat", "embeddings", "videos"];

/** The request that is sent to this address, whether the path has its prefix or not; undefined for one without a body. */
export const requestName = (exchange: Exchange | undefined): RequestName | undefined =>
  NAMES.find((one) => exchange?.request.url.split("?", 1)[0]?.endsWith(PATHS[one].slice(API_PREFIX.length)));

function fieldsOf(exchange: Exchange | undefined): readonly RequestField[] {
  const name = requestName(exchange);
  return name === undefined ? [] : REQUEST_FIELDS[name];
}

/** The members of a request; none when it has no JSON object as its body. */
export const requestBody = (exchange: Exchange | undefined): UnknownObject => {
  const body = parseJson(exchange?.request.body ?? "");
  return isObject(body) ? body : {};
};

interface FieldValue {
  /** `messages[].role` */
  readonly path: string;
  /** `role` */
  readonly name: string;
  /** Undefined when it was left out. */
  readonly value: unknown;
}

/** The first member in which two objects differ; within a list, the member of its first item. */
function differing(ours: UnknownObject, theirs: UnknownObject, prefix = ""): FieldValue | undefined {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const name = names.find((one) => JSON.stringify(ours[one]) !== JSON.stringify(theirs[one]));
  if (name === undefined) return undefined;
  const path = `${prefix}${name}`;
  const [mine, other] = [firstOf(ours[name]), firstOf(theirs[name])];
  return (mine && other && differing(mine, other, `${path}[].`)) ?? { path, name, value: ours[name] };
}

const firstOf = (value: unknown): UnknownObject | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return isObject(first) ? first : undefined;
};

const LONG_TEXT = 60;
const valued = (name: string, value: unknown): string =>
  typeof value === "string" && value.length > LONG_TEXT
    ? `a ${name} of ${value.length} characters`
    : `${name} ${show(value)}`;
