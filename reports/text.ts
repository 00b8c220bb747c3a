/** Text that came from a target is data: what could steer a terminal or a parser is taken out of it or made visible. */

// Controls of C0 and C1, line separators, marks that turn the direction of writing around, halves of characters.
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** The same, except for tab and line feed. */
export const TEXT_CONTROLS = /(?![\t\n])[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** One line of text for a terminal: tabs and line ends become spaces, other controls the replacement character. */
export const plainLine = (text: string): string => text.replace(/[\t\r\n]+/g, " ").replace(UNSAFE, "\ufffd");

/** Cuts a text to at most `most` characters. */
export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** Lays rows out in columns, two spaces apart; columns named in `right` are set flush right. */
export function columns(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (right.has(index) ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
