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

/**
 * What is special about a valid request: `temperature 0`, `messages of the roles system, user`, `content "it's"`; or
 * `model and messages alone`. Empty without a body.
 */
export function requestedFields(exchange: Exchange | undefined): string {
  const required = fieldsOf(exchange).flatMap((field) => (field.required ? [field.path] : []));
  const body = requestBody(exchange);
  const members = Object.entries(body);
  const optional = members.filter(([name]) => !required.includes(name));
  const special = [...optional.map(([name, value]) => valued(name, value)), ...specialTexts(body)];
  if (special.length > 0) return ` with ${special.join(", ")}`;
  return members.length === 0 ? "" : ` with ${members.map(([name]) => name).join(" and ")} alone`;
}

const PLAIN_TEXT = /^[\w .,:;!?-]*$/;
const MOST_PLAIN = 500;

/** What is special about the required fields of a request: roles, several messages or inputs, texts of other characters. */
function specialTexts({ messages, input, prompt }: UnknownObject): string[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const roles = list.map((message) => (isObject(message) ? String(message["role"]) : ""));
  const contents = list.map((message) => (isObject(message) ? message["content"] : undefined));
  const texts: [string, unknown][] = [
    ...contents.map((content): [string, unknown] => ["content", content]),
    ["input", input],
    ["prompt", prompt],
  ];
  return [
    ...(roles.some((role) => role !== "user") ? [`messages of the roles ${[...new Set(roles)].join(", ")}`] : []),
    ...(list.length > 2 ? [`${list.length} messages`] : []),
    ...(Array.isArray(input) ? [`input as a list of ${input.length}`] : []),
    ...texts.flatMap(([name, text]) =>
      typeof text === "string" && (!PLAIN_TEXT.test(text) || text.length > MOST_PLAIN) ? [valued(name, text)] : [],
    ),
  ];
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
