/** A `conformance.json` that somebody made, read without trusting it. */

import { join } from "node:path";
import { type ConformanceResult, conformanceResult } from "../../formats/conformance.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { beyondLimits, DEEPEST } from "../../lib/json-limits.ts";
import { shapeError } from "../../lib/shape-error.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** The file that a result is published as. */
export const PUBLISHED = "conformance.json";

/**
 * The result in a folder, as it is written there.
 * @throws UsageError that names the file and what is wrong with it
 */
export function publishedResultIn(folder: string): ConformanceResult {
  const path = join(folder, PUBLISHED);
  return parsePublished(textIn(path), path);
}

/**
 * The result that a text holds.
 * @param path where it stands, for messages
 * @throws UsageError that names the file and what is wrong with it
 */
export function parsePublished(text: string, path: string): ConformanceResult {
  if (beyondLimits(text, { depth: DEEPEST }) !== undefined) throw notRead(path, "it is nested too deeply");
  const value = parseJson(text);
  if (value === undefined) throw notRead(path, "it is not JSON, or was cut off");
  const read = conformanceResult.safeParse(value);
  if (read.success) return read.data;
  const { value: known } = conformanceResult.shape.schema;
  const schema = isObject(value) ? value["schema"] : undefined;
  if (typeof schema === "string" && schema !== known) {
    throw notRead(path, `it is in the format ${schema.slice(0, 40)}, and this version of Assay reads ${known}`);
  }
  throw notRead(path, shapeError(read.error));
}

function textIn(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw notRead(path, reasonOf(error));
  }
}

const notRead = (path: string, reason: string): UsageError =>
  new UsageError(
    `Cannot read the conformance result in ${path}: ${reason}. Name the result folder of a conformance run.`,
  );
