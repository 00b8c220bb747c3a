/** Reads files of lines without holding them in memory whole. */

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";

const READ_BYTES = 1 << 20;

/**
 * The lines of a file, one after another; none when the file does not exist. Only a line feed ends one: Node's readline
 * also splits at U+2028, which JSON texts may hold, and takes longer.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) return;
  // Parts of a line that is longer than what is read at once, joined once.
  let parts: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: READ_BYTES })) {
    const [first = "", ...others] = String(chunk).split("\n");
    parts.push(first);
    const rest = others.pop();
    if (rest === undefined) continue;
    yield parts.join("");
    yield* others;
    parts = [rest];
  }
  const rest = parts.join("");
  if (rest !== "") yield rest;
}

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

/** Follows a file that another process appends to; each call of `next` returns the whole lines that came since. */
export class Tail {
  private offset = 0;
  /** Bytes, because what came last may end within a character. */
  private rest = Buffer.alloc(0);
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async next(): Promise<string[]> {
    if (!existsSync(this.path)) return [];
    const file = await open(this.path);
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(size - this.offset),
        0,
        size - this.offset,
        this.offset,
      );
      this.offset += bytesRead;
      const bytes = Buffer.concat([this.rest, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf("\n") + 1;
      this.rest = bytes.subarray(end);
      return end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
    } finally {
      await file.close();
    }
  }
}
