/**
 * Finds the entries of a prompts file, which is read in pieces: it may be larger than the memory. Pure. The extension does the
 * same (extension/prompts/scan.go); the cases of testdata/prompt-files.json hold both to each other.
 */

import { bytesInUtf8 } from "../../lib/text.ts";

/** What is wrong with a file, as a sentence without its end. */
export class BadEntry extends Error {}

interface Entry {
  /** `line 3` or `item 3`. */
  readonly place: string;
  readonly source: string;
  /** Whether the text itself is the prompt. */
  readonly plain: boolean;
  /** Whether the file is an object that lists it: the extension does not read it there. */
  readonly listed?: true;
}

/** Longest entry, in bytes: a line without its line feed, or an item of an array. */
export const LONGEST_ENTRY = 16 * 2 ** 20;

/** Whether an entry is longer than one may be. */
export const isTooLong = (source: string): boolean =>
  source.length > LONGEST_ENTRY ||
  (source.length > LONGEST_ENTRY / BYTES_PER_UNIT && bytesInUtf8(source) > LONGEST_ENTRY);

/** Most bytes of UTF-8 that a unit of UTF-16 stands for; one is the least. */
const BYTES_PER_UNIT = 3;

const tooLong = (place: string): BadEntry => new BadEntry(`${place} is longer than ${LONGEST_ENTRY / 2 ** 20} MiB`);

const NOT_SPACE = /[^ \t\r\n\f\v]/;
/** How a text begins that is no array: a word in capitals in brackets, as in `[INST]`. */
const TEMPLATE = /\[\/?[A-Z]/y;
/** How a file begins that is one object which lists its entries, as AIPerf's inputs.json is. */
const LISTED = /\{\s*"data"\s*:\s*(?=\[)/y;
/** What follows its list; more members could hold what is to be sent. */
const CLOSED = /\s*\}/y;
const SPACE = /\s*/y;
/** Characters that tell how a file begins. */
const BEGIN = 256;

const BLANK = /^[ \t\r\f\v]*$/;

/**
 * The entries of a file, one after another; blank lines are none.
 * @throws BadEntry when its array cannot be read, or an entry is too long
 */
export function* entriesIn(chunks: Iterable<string>): Generator<Entry> {
  const text = new Pieces(chunks);
  text.skip(/\uFEFF/y);
  const lines = text.lineOf(NOT_SPACE);
  if (lines === undefined) return;
  if (text.character === "[" && !text.begins(TEMPLATE)) yield* items(text);
  else if (text.begins(LISTED)) {
    text.skip(LISTED);
    for (const item of items(text, CLOSED)) yield { ...item, listed: true };
  } else yield* linesFrom(text, lines, text.character !== "{");
}

/** A text that comes in pieces, read from a place in it on. */
class Pieces {
  readonly #chunks: Iterator<string>;
  #text = "";
  #at = 0;

  constructor(chunks: Iterable<string>) {
    this.#chunks = chunks[Symbol.iterator]();
    this.#more();
  }

  /** Takes the next piece; false at the end. What was read is dropped. */
  #more(): boolean {
    const { value, done } = this.#chunks.next();
    if (done === true) return false;
    this.#text = this.#text.slice(this.#at) + value;
    this.#at = 0;
    return true;
  }

  /** The character at this place; empty at the end. */
  get character(): string {
    while (this.#at >= this.#text.length) if (!this.#more()) return "";
    return this.#text.charAt(this.#at);
  }

  /** Whether this pattern is at this place. */
  begins(pattern: RegExp): boolean {
    while (this.#text.length < this.#at + BEGIN && this.#more());
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Passes over what matches at this place. */
  skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (this.character !== "" && pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }

  /** Goes on to the first character of this kind; returns the number of lines up to it, undefined at the end. */
  lineOf(kind: RegExp): number | undefined {
    for (let line = 1; this.character !== ""; this.#at += 1) {
      if (kind.test(this.character)) return line;
      if (this.character === "\n") line += 1;
    }
    return undefined;
  }

  /** Takes this character. */
  take(): string {
    const taken = this.character;
    this.#at += 1;
    return taken;
  }

  /** Takes all up to the next character of a kind, or to the end. @param place for the error where that is too long */
  until(kind: RegExp, place: string): string {
    let from = this.#at;
    for (;;) {
      const rest = this.#text.slice(from);
      const found = rest.search(kind);
      const end = found < 0 ? this.#text.length : from + found;
      if (end - this.#at > LONGEST_ENTRY) throw tooLong(place);
      const read = end - this.#at;
      if (found >= 0 || !this.#more()) {
        const taken = this.#text.slice(this.#at, this.#at + read);
        this.#at += read;
        if (isTooLong(taken)) throw tooLong(place);
        return taken;
      }
      from = this.#at + read;
    }
  }
}

function* linesFrom(text: Pieces, first: number, plain: boolean): Generator<Entry> {
  for (let line = first; text.character !== ""; line += 1) {
    const place = `line ${line}`;
    const source = text.until(/\n/, place).replace(/\r+$/, "");
    text.take();
    if (!BLANK.test(source)) yield { place, source, plain };
  }
}

/** The items of an array; the text is at its bracket. @param end what may stand after it */
function* items(text: Pieces, end = SPACE): Generator<Entry> {
  text.take();
  text.lineOf(NOT_SPACE);
  for (let item = 1; !(item === 1 && text.character === "]"); item += 1) {
    const place = `item ${item}`;
    yield { place, source: itemAt(text, place), plain: false };
    text.lineOf(NOT_SPACE);
    const after = text.character;
    if (after === "]") break;
    if (after === "") throw new BadEntry(`the array ends after ${place}`);
    if (after !== ",") {
      throw new BadEntry(`${place} is followed by "${after}", where a comma or the end of the array was expected`);
    }
    text.take();
    text.lineOf(NOT_SPACE);
    if (text.character === "") throw new BadEntry(`the array ends within item ${item + 1}`);
  }
  text.take();
  text.begins(end);
  text.skip(end);
  text.lineOf(NOT_SPACE);
  if (text.character === "") return;
  throw new BadEntry(`the array is followed by "${text.character}", where the end of the file was expected`);
}

/** What a value of JSON goes on to: within braces, within a text, and outside of both. */
const NESTED = /["[\]{}]/;
const QUOTED = /["\\]/;
const SCALAR = /[,\]\s]/;

/** Takes one item, without looking at what it holds. */
function itemAt(text: Pieces, place: string): string {
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
    if (length > LONGEST_ENTRY) throw tooLong(place);
  };
  if (!/["[{]/.test(text.character)) return text.until(SCALAR, place);
  let depth = 0;
  do {
    if (text.character === "") throw new BadEntry(`the array ends within ${place}`);
    const opened = text.take();
    add(opened);
    if (opened === "{" || opened === "[") depth += 1;
    else if (opened === '"') quoted(text, place, add);
    else depth -= 1;
    if (depth > 0) add(text.until(NESTED, place));
  } while (depth > 0);
  const item = parts.join("");
  if (isTooLong(item)) throw tooLong(place);
  return item;
}

/** Takes the rest of a text, up to its quotation mark. */
function quoted(text: Pieces, place: string, add: (part: string) => void): void {
  for (;;) {
    add(text.until(QUOTED, place));
    if (text.character === "") throw new BadEntry(`the array ends within ${place}`);
    const mark = text.take();
    add(mark);
    if (mark === '"') return;
    if (text.character === "") throw new BadEntry(`the array ends within ${place}`);
    add(text.take());
  }
}
