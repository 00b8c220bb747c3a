/** The first line of a result file, which names the format of the others. */

import { join } from "node:path";
import type { z } from "zod";
import { isObject, parseJson } from "../lib/json.ts";
import { shapeError } from "../lib/shape-error.ts";
import { UsageError } from "../settings/usage-error.ts";
import { linesOf } from "./file-lines.ts";

/** The format of a header, whose member `schema` has one value. */
type HeaderFormat<Header> = z.ZodType<Header> & { readonly shape: { readonly schema: z.ZodLiteral<string> } };

/**
 * Reads the header of a file in a result folder; undefined when the file does not exist or is empty.
 * @throws UsageError that says what is in its place, or that a later version of Assay wrote the file
 */
export async function headerOf<Header>(
  folder: string,
  name: string,
  format: HeaderFormat<Header>,
): Promise<Header | undefined> {
  for await (const line of linesOf(join(folder, name))) {
    if (typeof line !== "string") throw notHeader(folder, name, `it is ${line.unreadable}`);
    const value = parseJson(line);
    const read = format.safeParse(value);
    if (read.success) return read.data;
    const { value: known } = format.shape.schema;
    const schema = isObject(value) ? value["schema"] : undefined;
    if (typeof schema === "string" && schema !== known && schema.split("/")[0] === known.split("/")[0]) {
      throw new UsageError(
        `Cannot read the run in ${folder}: ${name} is in the format ${schema.slice(0, 40)}, and this version of Assay reads ${known}. Use the version that wrote it, or a later one.`,
      );
    }
    throw notHeader(folder, name, value === undefined ? "it is not JSON" : shapeError(read.error));
  }
  return undefined;
}

const notHeader = (folder: string, name: string, reason: string): UsageError =>
  new UsageError(
    `Cannot read the run in ${folder}: the first line of ${name} is not its header (${reason}). Name the result folder of a run.`,
  );
