/** Text for a terminal: colours, columns, sections. */

import type pc from "picocolors";
import type { Tone } from "./verdict-words.ts";

export interface TerminalOptions {
  /** False: no escape sequence at all. */
  readonly colour: boolean;
}

/** What lines that are rewritten in place are to fit. */
export interface FrameSize extends TerminalOptions {
  readonly columns: number;
  readonly rows: number;
}

export type Colours = ReturnType<typeof pc.createColors>;

/** Paints text in the colour of its tone. */
export const paint = (tone: Tone, c: Colours): ((text: string) => string) =>
  ({ good: c.green, bad: c.red, unsure: c.yellow, none: (text: string) => text })[tone];

const BARS = "▁▂▃▄▅▆▇█";

/** A bar as high as a share from 0 to 1. */
export const barOf = (share: number): string =>
  BARS[Math.max(0, Math.min(BARS.length - 1, Math.floor(share * BARS.length)))] ?? "";

/** Eighths of a character. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar as long as a share, from 0 to 1, of a number of characters. */
export function lyingBar(share: number, width: number): string {
  const eighths = Math.round(share * width * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

/** Sections of lines, an empty line between them; empty sections are left out. */
export const joinSections = (sections: readonly (readonly string[])[]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;

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
