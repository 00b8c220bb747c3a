/** Reads a prompts file before a load, a piece at a time: it may be larger than the memory. */

import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { TextDecoder } from "node:util";
import { COMPRESSED, isCompressed, whyNoFile } from "../../lib/text-file.ts";
import { messagesOf, promptsIn } from "../../load/inputs/prompts.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** What is known of a file whose prompts can all be read. */
export interface CheckedPrompts {
  readonly count: number;
  /** Mean length of a prompt: of all messages of a conversation. */
  readonly meanCharacters: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
}

const PIECE_BYTES = 1 << 20;

/** Files that were checked, by path, size and time of change: the runs of a search use the same. */
const checked = new Map<string, CheckedPrompts>();

/**
 * Checks that every prompt of a file can be read.
 * @throws UsageError that names the first bad line, or says why the file cannot be read
 */
export function checkPrompts(file: string): CheckedPrompts {
  const descriptor = opened(file);
  try {
    const stats = fstatSync(descriptor);
    const none = whyNoFile(stats);
    if (none !== undefined) throw unreadable(file, none);
    const key = `${file} ${stats.size} ${stats.mtimeMs}`;
    const known = checked.get(key) ?? { ...measured(descriptor, file), bytes: stats.size };
    checked.set(key, known);
    return known;
  } finally {
    closeSync(descriptor);
  }
}

function measured(descriptor: number, file: string): Omit<CheckedPrompts, "bytes"> {
  const hash = createHash("sha256");
  let count = 0;
  let characters = 0;
  for (const prompt of promptsIn(piecesOf(descriptor, file, hash), file)) {
    count += 1;
    for (const { content } of messagesOf(prompt)) characters += content.length;
  }
  return { count, meanCharacters: characters / count, sha256: hash.digest("hex") };
}

function opened(file: string): number {
  try {
    // A pipe would be waited for without O_NONBLOCK, and no signal would end that.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
}

/** @param hash is told of all bytes */
function* piecesOf(descriptor: number, file: string, hash: Hash): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let first = true;
  for (;;) {
    const length = readSync(descriptor, buffer, 0, PIECE_BYTES, null);
    const piece = buffer.subarray(0, length);
    if (first && isCompressed(piece)) throw unreadable(file, COMPRESSED);
    first = false;
    hash.update(piece);
    yield decoded(decoder, piece, length > 0, file);
    if (length === 0) return;
  }
}

function decoded(decoder: TextDecoder, piece: Buffer, stream: boolean, file: string): string {
  try {
    return decoder.decode(piece, { stream });
  } catch {
    throw unreadable(file, "it is not text in UTF-8");
  }
}

const unreadable = (file: string, reason: string): UsageError =>
  new UsageError(
    `Cannot read prompts from ${file}: ${reason}. Name a file of prompts with --prompts (see docs/inputs.md).`,
  );
