/** Writes new files into a folder, which may hold other ones. */

import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/**
 * Writes all files, or none: what is left of a try would stand in the way of the next.
 * @param files texts by their path in the folder
 * @throws UsageError when one is there already or cannot be written
 */
export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  const made: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(path, "wx");
      made.push(path);
      try {
        writeFileSync(file, text);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      for (const each of made) rmSync(each, { force: true });
      throw new UsageError(
        `Cannot write ${path}: ${reasonOf(error)}. Free space on its disk, or name a folder that this user may write to with --out.`,
      );
    }
  }
}
