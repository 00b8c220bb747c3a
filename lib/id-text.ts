/**
 * The id in a JSON object as text, when it is a number too: JSON.parse gives another number for one beyond 2^53, so that its
 * digits come from the JSON itself. Pure: runs in Node and inside k6.
 */

/**
 * The text of a member that is an id; undefined when it is neither a string nor a number, or empty.
 * @param value the member, as JSON.parse has it
 * @param json what was parsed: an object
 * @param name of the member
 */
export function idText(value: unknown, json: string, name: string): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" ? numberText(json, name) : undefined;
}

/** What follows the name of a member: a number, or anything else. */
const AFTER_NAME = /\s*:\s*(-?\d[\d.eE+-]*)?/y;

/**
 * A number as the text of a JSON object has it; undefined when the object has no such member, or it is no number. Of members
 * with the same name the last counts, as in JSON.parse.
 */
export function numberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (character !== '"') continue;
    const start = at;
    at = endOfString(json, at);
    AFTER_NAME.lastIndex = at + 1;
    const after = depth === 1 ? AFTER_NAME.exec(json) : null;
    if (after !== null && JSON.parse(json.slice(start, at + 1)) === name) found = after[1];
  }
  return found;
}

/** Where the quote is that closes a string. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
