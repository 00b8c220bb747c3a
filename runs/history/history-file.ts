/** Writes history files: a new one whole, or lines at the end of one that exists. */

import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type HistoryLine, historyLineJson } from "../../formats/history.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/**
 * Appends lines to a history file, which is created where there is none. After a line that was cut off they begin on a line of
 * their own.
 * @throws UsageError when it cannot be written
 */
export function appendLines(path: string, lines: readonly HistoryLine[]): void {
  try {
    const file = openSync(path, "a+");
    try {
      const text = lines.map(historyLineJson).join("");
      if (text !== "") appendFileSync(file, endsLine(file) ? text : `\n${text}`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(
      `Cannot append to the history ${path}: ${reasonOf(error)}. Name a file that this user may write to.`,
    );
  }
}

const LINE_FEED = 0x0a;

/** Whether a file is empty or ends with a line end. */
function endsLine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === LINE_FEED);
}
