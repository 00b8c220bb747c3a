/** JSON values: types, guards, parsing, and how a value is shown in a message. Pure: runs in Node and inside k6. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

/** An object of which nothing else is known. */
export type UnknownObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is UnknownObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value that a text holds; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object with each text in it changed, names of members among them. */
export const mapTexts = (object: UnknownObject, change: (text: string) => string): UnknownObject =>
  Object.fromEntries(Object.entries(object).map(([name, member]) => [change(name), mapTextsIn(member, change)]));

function mapTextsIn(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTextsIn(item, change));
  return isObject(value) ? mapTexts(value, change) : value;
}

/** JSON text with sorted members, so that equal values have equal texts. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

const SHOWN = 60;

/** A value as it is shown in a message: short, on one line, made in a time that does not depend on its size. */
export function show(value: unknown): string {
  const text = beginningOf(value, SHOWN) ?? "nothing";
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, "")}…${typeof value === "string" ? '"' : ""}`;
}

/** The JSON text of a value; of one longer than `most`, a text that is longer too and begins as it does. */
function beginningOf(value: unknown, most: number): string | undefined {
  if (most < 0) return " ";
  if (typeof value === "string") return JSON.stringify(value.slice(0, most + 1));
  if (Array.isArray(value)) return listOf("[]", value, most, (item, room) => beginningOf(item, room) ?? "null");
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return listOf("{}", names, most, (name, room) => {
    const begun = `${beginningOf(name, room)}:`;
    return begun + beginningOf(value[name], room - begun.length);
  });
}

function listOf<T>(
  [open = "", close = ""]: string,
  items: readonly T[],
  most: number,
  write: (item: T, room: number) => string,
): string {
  let text = open;
  for (const [index, item] of items.entries()) {
    if (text.length > most) return text;
    if (index > 0) text += ",";
    text += write(item, most - text.length);
  }
  return text + close;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** `, with null at [2]`: the first item of the rarest kind; nothing where all are of one kind. */
function oddItem(items: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  const [rarest] = [...counts].sort(([, a], [, b]) => a - b);
  const at = items.findIndex((item) => kindOf(item) === rarest?.[0]);
  return counts.size < 2 ? "" : `, with ${describe(items[at])} at [${at}]`;
}

/** `an array of 3`, `an array of 3, with null at [2]`, `an array of 20 arrays of 64 numbers`. */
function describeArray(items: readonly unknown[]): string {
  const [first] = items;
  const isNested = Array.isArray(first) && items.every((item) => Array.isArray(item) && item.length === first.length);
  if (!isNested) return `an array of ${items.length}${oddItem(items)}`;
  const numbers = first.length > 0 && first.every((item: unknown) => typeof item === "number") ? " numbers" : "";
  return `an array of ${items.length} arrays of ${first.length}${numbers}`;
}

/** `an object`, `the number 3`, `the string "x"`: what a value is, for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return describeArray(value);
  if (typeof value === "object") return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number that is not finite";
  // The last digits of the number that was sent are lost.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return `a number near ${value}`;
  return `the ${typeof value} ${show(value)}`;
}

/** Whether an object is an error: it has a member `error` that is not null, or says so by its kind, as older vLLM does. */
export const isErrorObject = ({ error, object, type }: UnknownObject): boolean =>
  (error !== undefined && error !== null) || object === "error" || type === "error";
