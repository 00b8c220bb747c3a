/** What a terminal shows of what was written to it. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const WRITTEN = /\u001b\[([?\d;]*)([A-Za-z])|\r|\n|[^\r\n\u001b]+/g;

export interface Screen {
  /** The lines that can be read in the end. */
  readonly rows: readonly string[];
  /** The lines that were drawn at once, from the cursor on, for each time. */
  readonly frames: readonly (readonly string[])[];
}

/** A terminal that is never too low, and never breaks a line. */
export function screenOf(written: string): Screen {
  let rows = [""];
  const frames: string[][] = [];
  let [row, column] = [0, 0];
  for (const [text, count, command] of written.matchAll(WRITTEN)) {
    const line = rows[row] ?? "";
    if (text === "\r") column = 0;
    else if (text === "\n") {
      row += 1;
      rows[row] ??= "";
      column = 0;
    } else if (command === "A") row -= Number(count || 1);
    else if (command === "K") rows[row] = line.slice(0, column);
    else if (command === "J") rows = [...rows.slice(0, row), line.slice(0, column)];
    else if (command === "l") frames.push(rows.slice(row));
    else if (command === undefined) {
      rows[row] = line.slice(0, column).padEnd(column) + text + line.slice(column + text.length);
      column += text.length;
    }
  }
  return { rows, frames };
}
