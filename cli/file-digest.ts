/** Hashes of files, by which somebody else can tell whether a file is still the same. */

import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceFile } from "../formats/conformance.ts";
import { whyNoFile } from "../lib/text-file.ts";
import { UsageError } from "../settings/usage-error.ts";

/**
 * Size and SHA-256 of a file in a folder, read in parts.
 * @throws UsageError when it is no file, such as a pipe
 */
export async function digestOf(folder: string, file: string): Promise<EvidenceFile> {
  const path = join(folder, file);
  const none = whyNoFile(statSync(path));
  if (none !== undefined) throw new UsageError(`Cannot read ${path}: ${none}.`);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { file, bytes, sha256: hash.digest("hex") };
}
