/** Writing Markdown in which text from elsewhere stays text. */

import { plainLine } from "../lib/text.ts";

/**
 * Text for a line or a table cell: nothing in it is markup, an address in it is not a link, and nobody is mentioned: GitHub and
 * GitLab look for names after `@` and numbers after `#` in what was rendered, where a character reference is that character.
 */
export const md = (text: string): string =>
  plainLine(text)
    .replace(/[\\`*[\]#|<>~&@]|(?<![a-z0-9])_|_(?![a-z0-9])/gi, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/&#(?:64;(?=[a-z0-9])|35;(?=\d))/gi, "$&&#8203;")
    .replace(/:\/\/|\bwww\./gi, (text) => text.replace(/[:.]/, (character) => `&#${character.charCodeAt(0)};`));

/** A table; cells are Markdown already. Columns after the first are set flush right when `numbers` is true. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], numbers = false): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (numbers && index > 0 ? "---:" : "---"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** A part that is folded away; `body` is Markdown. */
export const folded = (summary: string, body: string): string =>
  `<details><summary>${md(summary)}</summary>\n\n${body}\n\n</details>`;
