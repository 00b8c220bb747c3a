/** Reads a file that somebody else made: what it cannot be is said in words, and nothing waits for it or fills the memory. */

import { isUtf8 } from "node:buffer";
import { readFileSync, type Stats, statSync } from "node:fs";
import { withoutMark } from "./text.ts";

const MIB = 1 << 20;
/** Longest file that is read whole. */
const MOST_BYTES = 256 * MIB;

const PARQUET = Buffer.from("PAR1");

/** Whether the first bytes of a file are those of a table in Parquet. */
export const isParquet = (start: Uint8Array): boolean => PARQUET.equals(start.subarray(0, PARQUET.length));

/** What files begin with that are no text, or not the text that is meant, and what is said of them. */
const NOT_TEXT: readonly (readonly [start: Buffer, reason: string])[] = [
  [Buffer.from([0x1f, 0x8b]), "it is compressed with gzip; decompress it first, such as with gunzip"],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "it is compressed with zstd; decompress it first, such as with unzstd"],
  [Buffer.from("PK\u0003\u0004"), "it is a zip archive, or a workbook of Excel; write its table as CSV"],
  [PARQUET, "it is a Parquet file, and only prompts are read from one; write it as JSON lines or CSV"],
  [Buffer.from("ARROW1"), "it is an Arrow file; write it as Parquet or JSON lines"],
  [Buffer.from("SQLite format 3\0"), "it is a database of SQLite; write its table as CSV"],
  [
    Buffer.from("version https://git-lfs.github.com/spec/"),
    "it is a pointer of Git LFS, not the file itself; fetch that with git lfs pull",
  ],
  [Buffer.from("<!DOCTYPE html"), "it is a page of HTML, as a download gives that needs a login"],
];

/** Why a file that begins with these bytes is not the text that is meant; undefined where it may be. */
export const whyNoText = (start: Uint8Array): string | undefined =>
  NOT_TEXT.find(([known]) => known.equals(start.subarray(0, known.length)))?.[1];

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
 * @param onBytes is told of all bytes
 * @throws Error whose message is a reason, such as `it is larger than 256 MiB`
 */
export function readTextFile(path: string, onBytes?: (bytes: Uint8Array) => void): string {
  const stats = statSync(path);
  const none = whyNoFile(stats);
  if (none !== undefined) throw new Error(none);
  if (stats.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / MIB} MiB`);
  const bytes = readFileSync(path);
  const other = whyNoText(bytes);
  if (other !== undefined) throw new Error(other);
  if (!isUtf8(bytes)) throw new Error("it is not text in UTF-8");
  onBytes?.(bytes);
  return withoutMark(bytes.toString("utf8"));
}
