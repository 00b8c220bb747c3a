/** Reads files of lines without holding them in memory whole. */

import { isUtf8 } from "node:buffer";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { whyNoFile, whyNoText } from "../lib/text-file.ts";
import type { UnreadableLine } from "../reports/json-lines.ts";
import { UsageError } from "../settings/usage-error.ts";

const READ_BYTES = 1 << 18;
const MIB = 1 << 20;
/** Longest line that is read; the longest that Assay writes holds a response of 8 MiB, as text and as Base64. */
const LONGEST_LINE = 64 * MIB;
/** A line that goes on for longer ends the file: to find its end in a sparse file may take hours. */
const ENDLESS_LINE = 512 * MIB;
const TOO_LONG: UnreadableLine = { unreadable: `longer than ${LONGEST_LINE / MIB} MiB` };
const NOT_UTF8: UnreadableLine = { unreadable: "not text in UTF-8" };
const LINE_FEED = 0x0a;
const MARK = Buffer.from("\uFEFF");

/**
 * The lines of a file, one after another; none when the file does not exist. Only a line feed ends one: Node's readline
 * also splits at U+2028, which JSON texts may hold, and takes longer. A byte order mark is left out. What follows a line of more
 * than 512 MiB is not read.
 * @throws UsageError when it is no file of text, such as a folder or a pipe
 */
export async function* linesOf(path: string): AsyncGenerator<string | UnreadableLine> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const none = whyNoFile(stats);
  if (none !== undefined) throw unreadable(path, none);
  let parts: Buffer[] = [];
  let length = 0;
  let first = true;
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    let rest: Buffer = chunk;
    const other = first ? whyNoText(rest) : undefined;
    if (other !== undefined) throw unreadable(path, other);
    if (first && rest.subarray(0, MARK.length).equals(MARK)) rest = rest.subarray(MARK.length);
    first = false;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      // A line that is too long was named when it became so.
      if (length <= LONGEST_LINE) yield textOf(joined(parts, rest.subarray(0, end)));
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    const wasTooLong = length > LONGEST_LINE;
    length += rest.length;
    if (length > ENDLESS_LINE) return;
    if (wasTooLong) continue;
    parts.push(rest);
    if (length <= LONGEST_LINE) continue;
    parts = [];
    yield TOO_LONG;
  }
  // The last line may have been cut off within a character.
  const last = joined(parts);
  if (last.length > 0) yield last.toString("utf8");
}

const joined = (parts: readonly Buffer[], last: Buffer = Buffer.alloc(0)): Buffer =>
  parts.length === 0 ? last : Buffer.concat([...parts, last]);

/** The lines of a file that can be read. */
export async function* readableLinesOf(path: string): AsyncGenerator<string> {
  for await (const line of linesOf(path)) if (typeof line === "string") yield line;
}

const REPLACEMENT = "\uFFFD";

function textOf(bytes: Buffer): string | UnreadableLine {
  const text = bytes.toString("utf8");
  return text.includes(REPLACEMENT) && !isUtf8(bytes) ? NOT_UTF8 : text;
}

const unreadable = (path: string, reason: string): UsageError => new UsageError(`Cannot read ${path}: ${reason}.`);

/** Whether a file has nothing in it, or does not exist. */
export const isEmpty = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** All whole lines of a small file; a last line without its end was cut off and is left out. */
export function wholeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "");
}

/** Most bytes that have come since the last look: more were there before the first. */
const MOST_TAIL = 64 * MIB;

/**
 * Follows a file that another process appends to; each call of `next` returns the whole lines that came since, of more than 64 MiB
 * the last.
 */
export class Tail {
  private offset = 0;
  /** Bytes, because what came last may end within a character. */
  private rest = Buffer.alloc(0);
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async next(): Promise<string[]> {
    // Most looks find nothing new: to open the file is what costs.
    const { size } = statSync(this.path, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size <= this.offset) return [];
    const file = await open(this.path);
    try {
      const from = Math.max(this.offset, size - MOST_TAIL);
      if (from > this.offset) this.rest = Buffer.alloc(0);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      this.offset = from + bytesRead;
      const bytes = Buffer.concat([this.rest, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf("\n") + 1;
      this.rest = bytes.subarray(end);
      return end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
    } finally {
      await file.close();
    }
  }
}
