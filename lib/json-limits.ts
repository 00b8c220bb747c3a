/** Bounds of JSON that a target sent, checked before it is parsed. Pure: runs in Node and inside k6. */

export interface JsonLimits {
  /** How deep arrays and objects may be nested: parsers and printers call themselves for each level. */
  readonly depth: number;
  /**
   * How many values there may be, in addition to the numbers that follow the first item of an array; absent: any number. A value
   * takes many times the memory of its text, a number in an array does not: vectors are millions of them.
   */
  readonly values?: number;
}

/** How deep JSON of a response may be nested, wherever it is read. */
export const DEEPEST = 1_000;

/** Why a text is not parsed, after "it is"; undefined when it may be. */
export function beyondLimits(text: string, { depth: deepest, values: most }: JsonLimits): string | undefined {
  const mayBeMany = most !== undefined && text.length > most;
  if (!mayBeMany && !hasMoreThan(deepest / 2, "[", text) && !hasMoreThan(deepest / 2, "{", text)) return undefined;
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") at += 1;
    else if (inString) continue;
    else if (character === "[" || character === "{") {
      depth += 1;
      values += 1;
    } else if (character === "]" || character === "}") depth -= 1;
    else if (character === "," && !beginsNumber(text, at + 1)) values += 1;
    if (depth > deepest) return `nested deeper than ${deepest} levels`;
    if (most !== undefined && values > most) return `of more than ${most} values`;
  }
  return undefined;
}

/** Whether a number begins at a place, or after white space there. Members of an object begin with their names. */
function beginsNumber(text: string, start: number): boolean {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  const character = text[at] ?? "";
  return character === "-" || (character >= "0" && character <= "9");
}

/** Whether a character occurs more often; few texts have so many brackets that each character is looked at. */
function hasMoreThan(most: number, character: string, text: string): boolean {
  let at = -1;
  for (let found = 0; found <= most; found += 1) {
    at = text.indexOf(character, at + 1);
    if (at < 0) return false;
  }
  return true;
}
