/** Parses JSON that a target sent. Pure. */

import { parseJson } from "../../lib/json.ts";

/** k6's parser calls itself for each level: a megabyte of brackets would exhaust the stack of the process. */
const DEEPEST = 1_000;

/** The value that a text holds; undefined when it is not JSON, or nested too deep. */
export const parseResponse = (text: string): unknown => (isTooDeep(text) ? undefined : parseJson(text));

/** Why a text could not be parsed, after "it is". */
export const jsonFault = (text: string): string =>
  isTooDeep(text) ? `nested deeper than ${DEEPEST} levels` : "not JSON";

/** Whether brackets, outside of strings, are nested too deep. Few texts have so many that each character is looked at. */
function isTooDeep(text: string): boolean {
  if (!hasMoreThan(DEEPEST / 2, "[", text) && !hasMoreThan(DEEPEST / 2, "{", text)) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") at += 1;
    else if (inString) continue;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

function hasMoreThan(most: number, character: string, text: string): boolean {
  let at = -1;
  for (let found = 0; found <= most; found += 1) {
    at = text.indexOf(character, at + 1);
    if (at < 0) return false;
  }
  return true;
}
