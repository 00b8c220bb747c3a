/** Further members of chat requests, given as JSON or as a file that holds it. Pure: runs in Node and inside k6. */

import { describe, isObject, type JsonObject, parseJson } from "../../lib/json.ts";
import { UsageError } from "../usage-error.ts";

/** The members, or the file that holds them. */
export type ExtraBody = JsonObject | string;

/** What Assay writes into every chat request itself, and how to change it. */
const OWN_MEMBERS: Readonly<Record<string, string>> = {
  model: "--chat-model",
  messages: "--prompts",
  stream: "the scenario: chat-stream or chat",
  max_tokens: "--max-tokens",
};

/**
 * Reads the setting: a text that begins like a JSON value is one, any other is the name of a file.
 * @throws UsageError as `parseExtraBody` does
 */
export const readExtraBody = (text: string): ExtraBody =>
  /^\s*[[{"]/.test(text) || parseJson(text) !== undefined ? parseExtraBody(text) : text;

export const formatExtraBody = (given: ExtraBody): string =>
  typeof given === "string" ? given : JSON.stringify(given);

/**
 * Reads the members from JSON.
 * @throws UsageError when the text is not a JSON object, or has a member that Assay sets itself
 */
export function parseExtraBody(text: string): JsonObject {
  const value = parseJson(text);
  if (value === undefined) throw new UsageError(`it is not valid JSON; ${EXAMPLE}`);
  if (!isJsonObject(value)) throw new UsageError(`it is ${describe(value)}, where an object was expected; ${EXAMPLE}`);
  const own = Object.keys(OWN_MEMBERS).find((name) => Object.hasOwn(value, name));
  if (own === undefined) return value;
  throw new UsageError(`it has the member ${own}, which Assay sets itself; leave it out and use ${OWN_MEMBERS[own]}`);
}

const EXAMPLE = 'write an object such as {"ignore_eos": true}';

/** What JSON.parse returned has JSON values only. */
const isJsonObject = (value: unknown): value is JsonObject => isObject(value);
