/** Reads a file that somebody else made: what it cannot be is said in words, and nothing waits for it or fills the memory. */

import { isUtf8 } from "node:buffer";
import { readFileSync, type Stats, statSync } from "node:fs";
import { withoutMark } from "./text.ts";

const MIB = 1 << 20;
/** Longest file that is read whole. */
const MOST_BYTES = 256 * MIB;

const GZIP = Buffer.from([0x1f, 0x8b]);
export const COMPRESSED = "it is compressed with gzip; decompress it first, such as with gunzip";

/** Whether the first bytes of a file are those of gzip. */
export const isCompressed = (start: Uint8Array): boolean => GZIP.equals(start.subarray(0, GZIP.length));

/**
 * Why something is no file that can be read to its end: a folder, a pipe or a device; undefined when it is one. Reading a
 * pipe may wait for ever, and a device may have no end.
 */
export function whyNoFile(stats: Pick<Stats, "isFile" | "isDirectory">): string | undefined {
  if (stats.isFile()) return undefined;
  return stats.isDirectory() ? "it is a folder, not a file" : "it is a pipe or a device, not a file";
}

/**
 * The text of a file, without a byte order mark.
 * @throws Error whose message is a reason, such as `it is larger than 256 MiB`
 */
export function readTextFile(path: string): string {
  const stats = statSync(path);
  const none = whyNoFile(stats);
  if (none !== undefined) throw new Error(none);
  if (stats.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / MIB} MiB`);
  const bytes = readFileSync(path);
  if (isCompressed(bytes)) throw new Error(COMPRESSED);
  if (!isUtf8(bytes)) throw new Error("it is not text in UTF-8");
  return withoutMark(bytes.toString("utf8"));
}
