/** How parts of a response appear in the `detail` of a record, as in the extension. Pure. */

import { describe } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";

const DETAIL_MAX = 300;
const READ_MAX = 400;
const EXCERPT_MAX = 160;

/** The detail, as long as in the extension. */
export const shortDetail = (text: string): string => shorten(text, DETAIL_MAX);

/** What the target sent, shortened to what fits into a sentence; an ellipsis marks each cut. */
export function excerpt(text: string): string {
  const start = text.slice(0, READ_MAX).split(/\s+/).filter(Boolean).join(" ");
  return shorten(text.length > READ_MAX ? `${start}…` : start, EXCERPT_MAX);
}

export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** What a JSON value is: `the string "x"`, `null`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? String(value) : describe(value);
}
