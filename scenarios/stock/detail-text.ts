/** How values of an answer appear in sentences about it, as the extension words them. Pure. */

import { shorten } from "../../lib/text.ts";

const DETAIL_MAX = 300;
const EXCERPT_MAX = 160;
const VALUE_MAX = 60;

/** A sentence about an answer, no longer than the extension makes it. */
export const shortDetail = (text: string): string => shorten(text, DETAIL_MAX);

/** What the target sent, made to fit into a sentence. */
export const excerpt = (text: string): string =>
  shorten(text.slice(0, 400).split(/\s+/).filter(Boolean).join(" "), EXCERPT_MAX);

export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** What a JSON value is: `the string "x"`, `null`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "boolean") return String(value);
  return `the ${typeof value} ${raw(value)}`;
}

/** A value as it stands in JSON, shortened. */
export const raw = (value: unknown): string => shorten(JSON.stringify(value) ?? "nothing", VALUE_MAX);
