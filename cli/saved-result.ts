/** Results that a command saved as one JSON document, and goes on from. */

import { join } from "node:path";
import type { z } from "zod";
import { parseJson } from "../lib/json.ts";
import { shapeError } from "../lib/shape-error.ts";
import { readTextFile } from "../lib/text-file.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";

/**
 * Reads a result file of a folder.
 * @param what wrote it, such as "search"
 * @throws UsageError that says why it cannot be read
 */
export function readSavedResult<T>(folder: string, file: string, schema: z.ZodType<T>, what: string): T {
  const advice = `Name the result folder of a ${what}.`;
  let text: string;
  try {
    text = readTextFile(join(folder, file));
  } catch (error) {
    throw new UsageError(`Cannot read the ${what} in ${folder}: ${reasonOf(error)}. ${advice}`);
  }
  const read = schema.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new UsageError(
    `Cannot read the ${what} in ${folder}: ${file} is not one (${shapeError(read.error)}). ${advice}`,
  );
}
