/** Hashes of files, by which somebody else can tell whether a file is still the same. */

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { EvidenceFile } from "../formats/conformance.ts";
import { whyNoFile } from "../lib/text-file.ts";
import { UsageError } from "../settings/usage-error.ts";

const PART_BYTES = 1 << 18;

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
  await using opened = await open(path);
  const part = Buffer.alloc(PART_BYTES);
  for (;;) {
    const { bytesRead } = await opened.read(part);
    if (bytesRead === 0) break;
    hash.update(part.subarray(0, bytesRead));
    bytes += bytesRead;
  }
  return { file, bytes, sha256: hash.digest("hex") };
}
