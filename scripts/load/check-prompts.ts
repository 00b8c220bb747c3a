/** Reads a prompts file before a load, a piece at a time: it may be larger than the memory. */

import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { TextDecoder } from "node:util";
import { COMPRESSED, isCompressed, whyNoFile } from "../../lib/text-file.ts";
import { messagesOf, promptEntries, type WrittenPrompt } from "../../load/inputs/prompts.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** What is known of a file whose prompts can all be read. */
export interface CheckedPrompts {
  readonly count: number;
  /** Mean length of a prompt: of all messages of a conversation. */
  readonly meanCharacters: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** Name of the layout of the first prompt, what it says, and the members of its entry that are not used. */
  readonly layout: string;
  readonly first: WrittenPrompt;
  readonly unused: readonly string[];
  /** Why each entry that cannot be used cannot: at most 1 % of them. */
  readonly unusable: readonly string[];
  /** The file that k6 reads: the same where the extension reads its layout, else one that it was converted to. */
  readonly path: string;
}

/** A part of a file: the texts of a trace that are replayed. */
export interface PromptsPart {
  readonly skipped: number;
  readonly count: number;
}

const PIECE_BYTES = 1 << 20;

/** Files that were checked, by path, size and time of change: the runs of a search use the same. */
const checked = new Map<string, CheckedPrompts>();

/**
 * Checks that the prompts of a file can be read, and converts a file that the extension does not read as it is.
 * @param part the part of the file that is used; absent: all
 * @throws UsageError that names the first bad line where more than 1 % are bad, or says why the file cannot be read
 */
export function checkPrompts(file: string, part?: PromptsPart): CheckedPrompts {
  const descriptor = opened(file);
  try {
    const stats = fstatSync(descriptor);
    const none = whyNoFile(stats);
    if (none !== undefined) throw unreadable(file, none);
    const key = `${file} ${stats.size} ${stats.mtimeMs} ${part?.skipped} ${part?.count}`;
    const known = checked.get(key) ?? { ...measured(descriptor, file, part), bytes: stats.size };
    checked.set(key, known);
    return known;
  } finally {
    closeSync(descriptor);
  }
}

/** Of the entries of a file, so many may be unusable. */
const MOST_UNUSABLE = 0.01;

function measured(descriptor: number, file: string, part?: PromptsPart): Omit<CheckedPrompts, "bytes"> {
  const hash = createHash("sha256");
  const unusable: string[] = [];
  let [count, characters, isOwn] = [0, 0, part === undefined];
  let first: Pick<CheckedPrompts, "first" | "layout" | "unused"> | undefined;
  for (const read of promptEntries(piecesOf(descriptor, file, hash), file, (reason) => unusable.push(reason))) {
    const { prompt, layout, unused } = read;
    first ??= { first: prompt, layout, unused };
    isOwn &&= read.isOwn;
    count += 1;
    for (const { content } of messagesOf(prompt)) characters += content.length;
  }
  const [reason] = unusable;
  if (reason !== undefined && (part !== undefined || unusable.length > MOST_UNUSABLE * (count + unusable.length))) {
    throw tooManyUnusable(file, unusable.length, count, reason);
  }
  if (first === undefined) throw unreadable(file, "it contains no prompt");
  const path = isOwn && reason === undefined ? file : converted(descriptor, file, part);
  return { ...first, count, meanCharacters: characters / count, sha256: hash.digest("hex"), unusable, path };
}

function tooManyUnusable(file: string, unusable: number, count: number, reason: string): UsageError {
  const others = unusable === 1 ? "" : `, and ${unusable - 1} more of ${count + unusable} entries cannot be used`;
  return new UsageError(
    `Cannot read prompts from ${file}: ${reason}${others}. Each line holds one object such as {"prompt": "…"}, or is a prompt itself; see docs/inputs.md. Up to 1 % of the entries may be unusable.`,
  );
}

/** Where converted files are until the process ends. */
let folder: string | undefined;

function folderOfConverted(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "assay-prompts-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

/** Writes the usable prompts of a file as JSON lines that the extension reads. */
function converted(descriptor: number, file: string, part?: PromptsPart): string {
  const { skipped = 0, count = Number.POSITIVE_INFINITY } = part ?? {};
  const path = join(folderOfConverted(), `${checked.size}-${basename(file)}`);
  const out = openSync(path, "wx", 0o600);
  try {
    let nth = 0;
    for (const { prompt } of promptEntries(piecesOf(descriptor, file, undefined, 0), file, () => undefined)) {
      if (nth >= skipped && nth < skipped + count) writeSync(out, `${JSON.stringify(prompt)}\n`);
      nth += 1;
    }
  } finally {
    closeSync(out);
  }
  return path;
}

function opened(file: string): number {
  try {
    // A pipe would be waited for without O_NONBLOCK, and no signal would end that.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
}

/**
 * @param hash is told of all bytes
 * @param from where in the file it begins; absent: where it was read to
 */
function* piecesOf(descriptor: number, file: string, hash?: Hash, from?: number): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let first = true;
  let at = from ?? 0;
  for (;;) {
    const length = readSync(descriptor, buffer, 0, PIECE_BYTES, from === undefined ? null : at);
    at += length;
    const piece = buffer.subarray(0, length);
    if (first && isCompressed(piece)) throw unreadable(file, COMPRESSED);
    first = false;
    hash?.update(piece);
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
