/** Reads a prompts file before a load, a piece at a time: it may be larger than the memory. */

import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { TextDecoder } from "node:util";
import { isParquet, whyNoFile, whyNoText } from "../../lib/text-file.ts";
import { isTooLong, LONGEST_ENTRY } from "../../load/inputs/prompt-entries.ts";
import { messagesOf, promptEntries, type WrittenPrompt } from "../../load/inputs/prompts.ts";
import { formatShare } from "../../reports/numbers.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { type PromptTable, type TableRows, tableIn, writeRows } from "./prompt-tables.ts";

/** What is known of a file of prompts. */
export interface PromptsOfFile {
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
  /** How many entries cannot be used, and why the first of them cannot. */
  readonly unusable: number;
  readonly reasons: readonly string[];
}

/** The same of a file that is used. */
export interface CheckedPrompts extends PromptsOfFile {
  /** The file that k6 reads: the same where the extension reads its layout, else one that it was converted to. */
  readonly path: string;
}

/** How a file is used. */
export interface PromptsUse {
  /** The part of it that is used: the texts of a trace that are replayed; absent: all. */
  readonly part?: { readonly skipped: number; readonly count: number } | undefined;
  /** The share of its entries that may be unusable. */
  readonly mostUnusable?: number | undefined;
}

interface Read extends PromptsOfFile {
  /** The file whose entries were read: that of the rows of a table. */
  readonly entries: string;
  readonly isOwn: boolean;
  /** Of a table. */
  readonly columns?: readonly string[];
}

const PIECE_BYTES = 1 << 20;

/** Files that were read, by path, size and time of change: the runs of a search use the same. */
const known = new Map<string, Read>();
/** The files that they were converted to, by that and by what is used. */
const convertedTo = new Map<string, string>();

/** Of the entries of a file, so many may be unusable unless more are allowed. */
const MOST_UNUSABLE = 0.01;
/** Further reasons are counted, and not kept. */
const MOST_REASONS = 10;

/**
 * Reads a file of prompts, once.
 * @throws UsageError that says why it cannot be read
 */
export const readPrompts = (file: string): PromptsOfFile => readOnce(file).read;

function readOnce(file: string): { readonly key: string; readonly read: Read } {
  const descriptor = opened(file);
  try {
    const stats = fstatSync(descriptor);
    const none = whyNoFile(stats);
    if (none !== undefined) throw unreadable(file, none);
    const key = `${file} ${stats.size} ${stats.mtimeMs}`;
    const read = known.get(key) ?? { ...readWhole(descriptor, file), bytes: stats.size };
    known.set(key, read);
    return { key, read };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Checks that the prompts of a file can be used, and converts a file that the extension does not read as it is.
 * @throws UsageError as `readPrompts` does, and one that names the first bad line where too many are bad
 */
export function checkPrompts(file: string, { part, mostUnusable = MOST_UNUSABLE }: PromptsUse = {}): CheckedPrompts {
  const { key, read } = readOnce(file);
  const { count, unusable, entries, isOwn } = read;
  // An arrival of a trace without its text would take that of the next one.
  const most = part === undefined ? mostUnusable : 0;
  if (count === 0 || unusable > most * (count + unusable)) throw notUsable(file, read, most);
  if (isOwn && unusable === 0 && part === undefined) return { ...read, path: entries };
  const use = `${key} ${part?.skipped} ${part?.count}`;
  const path = convertedTo.get(use) ?? converted(entries, file, part);
  convertedTo.set(use, path);
  return { ...read, path };
}

function readWhole(descriptor: number, file: string): Omit<Read, "bytes"> {
  const start = Buffer.alloc(PIECE_BYTES);
  const begin = start.subarray(0, readSync(descriptor, start, 0, PIECE_BYTES, 0));
  const other = isParquet(begin) ? undefined : whyNoText(begin);
  if (other !== undefined) throw unreadable(file, other);
  const table = tableIn(begin, file);
  return table === undefined ? readEntries(descriptor, file, file) : readTable(descriptor, file, table);
}

/** Reads the rows of a table, as another process writes them. */
function readTable(descriptor: number, file: string, table: PromptTable): Omit<Read, "bytes"> {
  const entries = newPath("rows.jsonl");
  const hash = createHash("sha256");
  for (const piece of bytesOf(descriptor)) hash.update(piece);
  const { columns, rejected } = rowsOf(table, file, entries);
  const rows = openSync(entries, "r");
  try {
    const { layout, unusable, reasons, ...read } = readEntries(rows, file, entries);
    const all = [...rejected, ...reasons.map((reason) => reason.replace(/^line /, "row "))].slice(0, MOST_REASONS);
    return {
      ...read,
      ...{ sha256: hash.digest("hex"), columns, layout: `${table.kind}, ${layout}` },
      ...{ unusable: rejected.length + unusable, reasons: all },
    };
  } finally {
    closeSync(rows);
  }
}

function rowsOf(table: PromptTable, file: string, entries: string): TableRows {
  try {
    return writeRows(table, file, entries);
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
}

function readEntries(descriptor: number, file: string, entries: string): Omit<Read, "bytes"> {
  const hash = createHash("sha256");
  const reasons: string[] = [];
  let [count, characters, isOwn, unusable] = [0, 0, true, 0];
  let first: Pick<Read, "first" | "layout" | "unused"> = { first: { prompt: "" }, layout: "", unused: [] };
  const onUnusable = (reason: string): void => {
    unusable += 1;
    if (reasons.length < MOST_REASONS) reasons.push(reason);
  };
  for (const read of promptEntries(textsOf(descriptor, file, hash), file, onUnusable)) {
    const { prompt, layout, unused } = read;
    if (count === 0) first = { first: prompt, layout, unused };
    isOwn &&= read.isOwn;
    count += 1;
    for (const { content } of messagesOf(prompt)) characters += content.length;
  }
  const meanCharacters = characters / count;
  return { ...first, count, meanCharacters, sha256: hash.digest("hex"), unusable, reasons, entries, isOwn };
}

function notUsable(file: string, { count, unusable, reasons: [reason], columns }: Read, most: number): UsageError {
  if (reason === undefined) return unreadable(file, "it contains no prompt");
  const others = unusable === 1 ? "" : `, and ${unusable - 1} more of ${count + unusable} entries cannot be used`;
  const advice =
    columns === undefined || !reason.includes(" has none of ")
      ? 'Each line holds one object such as {"prompt": "…"}, or is a prompt itself; see docs/inputs.md.'
      : `Its columns are ${columns.join(", ")}; name the one with the prompts "prompt", or see docs/inputs.md.`;
  const more = most === 0 ? "" : ` Up to ${formatShare(most)} of the entries may be unusable (--set unusable-prompts).`;
  return new UsageError(`Cannot read prompts from ${file}: ${reason}${others}. ${advice}${more}`);
}

/** Where converted files are until the process ends. */
let folder: string | undefined;
let written = 0;

/** A path of a new file. */
function newPath(name: string): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "assay-prompts-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  written += 1;
  return join(folder, `${written}-${name}`);
}

/** Writes the usable prompts of a file as JSON lines that the extension reads. */
function converted(entries: string, file: string, part?: PromptsUse["part"]): string {
  const { skipped = 0, count = Number.POSITIVE_INFINITY } = part ?? {};
  const path = newPath(basename(file));
  const [source, out] = [openSync(entries, "r"), openSync(path, "wx", 0o600)];
  try {
    let nth = 0;
    for (const { prompt } of promptEntries(textsOf(source, file), file, () => undefined)) {
      nth += 1;
      if (nth <= skipped || nth > skipped + count) continue;
      const line = JSON.stringify(prompt);
      if (isTooLong(line)) {
        throw unreadable(file, `prompt ${nth} is longer than ${LONGEST_ENTRY / 2 ** 20} MiB as JSON`);
      }
      writeSync(out, `${line}\n`);
    }
  } finally {
    closeSync(source);
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

/** The bytes of a file from its start on; the last piece is empty. */
function* bytesOf(descriptor: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let [at, length] = [0, 1]; length > 0; at += length) {
    length = readSync(descriptor, buffer, 0, PIECE_BYTES, at);
    yield buffer.subarray(0, length);
  }
}

/** Its text. @param hash is told of all bytes */
function* textsOf(descriptor: number, file: string, hash?: Hash): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const piece of bytesOf(descriptor)) {
    hash?.update(piece);
    yield decoded(decoder, piece, piece.length > 0, file);
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
