/** A fault planted in the product's code: which text of which file becomes which other text. Pure. */

import { z } from "zod";

export const KINDS = ["comparison", "dropped line", "constant", "early return"] as const;
export type Kind = (typeof KINDS)[number];

/** A change of a text, by positions in it. */
export interface Edit {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Known by its file, the text of its lines and its kind, so that it can be planted in another commit too. */
export const faultSchema = z.object({
  file: z.string(),
  /** Where it was when it was drawn. */
  line: z.int().positive(),
  kind: z.enum(KINDS),
  /** The whole lines, and how many equal ones come before them in the file. */
  before: z.string(),
  nth: z.int().nonnegative(),
  after: z.string(),
  /** What changes in these lines, for people. */
  was: z.string(),
  becomes: z.string(),
});
export type Fault = z.infer<typeof faultSchema>;

export const faultId = ({ file, kind, nth, before, after }: Fault): string =>
  JSON.stringify([file, kind, nth, before, after]);

/** Where whole lines begin in a text, each time they occur. */
function placesOf(lines: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(lines); at !== -1; at = text.indexOf(lines, at + 1)) {
    const end = at + lines.length;
    if ((at === 0 || text[at - 1] === "\n") && (end === text.length || text[end] === "\n")) places.push(at);
  }
  return places;
}

/** The fault that an edit of a file is. */
export function faultOf(file: string, text: string, { kind, start, end, text: becomes }: Edit): Fault {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const to = lineEnd === -1 ? text.length : lineEnd;
  const before = text.slice(from, to);
  return {
    file,
    line: text.slice(0, start).split("\n").length,
    kind,
    before,
    nth: placesOf(before, text).indexOf(from),
    after: text.slice(from, start) + becomes + text.slice(end, to),
    was: text.slice(start, end),
    becomes,
  };
}

/**
 * The text with the fault in it, once.
 * @throws Error when its lines are gone
 */
export function plant({ file, line, before, nth, after }: Fault, text: string): string {
  const at = placesOf(before, text)[nth];
  if (at === undefined) {
    throw new Error(
      `Cannot plant a fault in ${file}: its line ${line} is no longer there: "${before.trim()}". Draw the faults from these sources.`,
    );
  }
  return text.slice(0, at) + after + text.slice(at + before.length);
}
