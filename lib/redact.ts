/**
 * Keeps secrets out of records and logs: header values by their name, and the secrets themselves wherever a target repeats
 * them, in whatever encoding. Runs in Node only. The extension follows the same rule (`extension/redact`): both
 * pass the cases of `lib/testdata/redaction.json`.
 */

import { inflateRawSync, constants as zlib } from "node:zlib";
import { ESCAPES, type Located, unescaped } from "./escapes.ts";
import { formsOf, LAYERS, SHORTEST_SECRET } from "./secret-forms.ts";

export const REDACTED = "<redacted>";

/** A text that was cut may end, or go on, within a secret; from this length on, that part of it is replaced too. */
const SHORTEST_PART = 4;
/** Bytes that may be left of escapes which were cut off. */
const LONGEST_BROKEN = 24;
/** Where texts were cut. */
const CUT = Buffer.from("…");
/** What gzip begins with, also in base64. */
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const GZIP_BASE64 = Buffer.from("H4sI");
/** Compressed parts of one text that are looked into; what follows them is replaced unread. */
const MOST_PACKED = 16;
const MOST_UNPACKED = 1024 * 1024;
/** In a longer text, escapes of several kinds are undone together only. */
const LONGEST_MIXED = 64 * 1024;
/** Compressed parts within compressed parts that are looked into. */
const DEEPEST_PACKED = 2;

export interface Redactor {
  /**
   * Replaces every secret of at least 8 bytes within a text, and the part of one that is left beside an ellipsis. Several
   * encodings of a secret count as the secret: `lib/testdata/redaction.json` shows them.
   */
  readonly text: (text: string) => string;
  /** The same for a text that was cut, which may end within a secret. */
  readonly cutText: (text: string) => string;
  /** The same for bytes that are no text, also where they are compressed with gzip. */
  readonly bytes: (bytes: Buffer) => Buffer;
  /** Headers: the values of Authorization and of the headers that were asked for, and secrets within the others. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>;
  /** Replaces these secrets too from now on. */
  readonly add: (secrets: readonly string[]) => void;
}

/**
 * Makes a redactor.
 * @param secrets values that must never be recorded; white space around them is none of theirs
 * @param secretHeaders names of headers whose values are secret whatever they are, in addition to Authorization
 */
export function redactor(secrets: readonly string[], secretHeaders: readonly string[]): Redactor {
  const search = new Search();
  search.add(secrets);
  const hidden = new Set(["authorization", "proxy-authorization", ...secretHeaders.map((name) => name.toLowerCase())]);
  const inText =
    (isCut: boolean) =>
    (given: string): string => {
      if (search.findsNothing(given)) return given;
      const bytes = Buffer.from(given);
      const clean = search.redact(bytes, isCut);
      return clean === bytes ? given : clean.toString("utf8");
    };
  const text = inText(false);
  return {
    text,
    cutText: inText(true),
    bytes: (given) => search.redact(given, true),
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, hidden.has(name.toLowerCase()) ? REDACTED : text(value)]),
      ),
    add: (more) => search.add(more),
  };
}

/**
 * The forms of all secrets. They are found by the pairs of bytes with which they begin and end, so that hundreds of secrets
 * are looked for almost as fast as one.
 */
class Search {
  readonly #known = new Set<string>();
  readonly #begins = new Pairs();
  readonly #ends = new Pairs();
  readonly #parts = new Parts();
  #longest = 0;
  /** 1 for the bytes with which anything begins that is looked for. */
  readonly #of = new Uint8Array(256);

  constructor() {
    for (const begin of [CUT, GZIP, GZIP_BASE64]) this.#of[begin[0] ?? 0] = 1;
  }

  add(secrets: readonly string[]): void {
    const added = [...new Set(secrets.map((secret) => secret.trim()))]
      .filter((secret) => Buffer.byteLength(secret) >= SHORTEST_SECRET && !this.#known.has(secret))
      .sort((a, b) => a.length - b.length);
    for (const secret of added) {
      const holdsAnother = [...this.#known].some((other) => secret.includes(other));
      this.#known.add(secret);
      for (const form of formsOf(secret, !holdsAnother)) this.#addForm(form);
    }
  }

  #addForm(form: Uint8Array): void {
    // What is left of a secret that is all escapes may be one letter.
    if (form.length < SHORTEST_PART) return;
    this.#begins.put(form, 0, form);
    this.#ends.put(form, form.length - 2, form);
    for (let at = 0; at <= form.length - SHORTEST_PART; at++) this.#parts.put(form, at);
    this.#longest = Math.max(this.#longest, form.length);
    for (let byte = 0; byte < 256; byte++) if (lower(byte) === form[0]) this.#of[byte] = 1;
  }

  /** Whether a text is too short for anything to be found in it, or there is nothing to find. */
  findsNothing(text: string): boolean {
    return text.length < SHORTEST_PART || this.#known.size === 0;
  }

  /** Replaces what is found; returns the same bytes when that is nothing. */
  redact(bytes: Buffer, isCut: boolean): Buffer {
    const found = this.#find(bytes, isCut).sort(([a], [b]) => a - b);
    if (found.length === 0) return bytes;
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (const [from, to] of found) {
      if (from >= copied) parts.push(bytes.subarray(copied, from), Buffer.from(REDACTED));
      copied = Math.max(copied, to);
    }
    return Buffer.concat([...parts, bytes.subarray(copied)]);
  }

  /** Places of secrets, in bytes of the text, in any order. */
  #find(bytes: Buffer, isCut: boolean, depth = 0): Range[] {
    const ranges: Range[] = [];
    const findIn = ({ bytes, starts }: Located): void => {
      const decoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#findIn(decoded, isCut, depth, (from, to) => {
        ranges.push([starts?.[from] ?? from, starts?.[to] ?? to]);
      });
    };
    findIn({ bytes });
    const layers = layersOf({ bytes }, ESCAPES);
    layers.forEach(findIn);
    const isMixed = [{ bytes }, ...layers].some((layer) => kindsIn(layer, ESCAPES).length > 1);
    if (isMixed && bytes.length <= LONGEST_MIXED) eachOrder({ bytes }, ESCAPES, findIn);
    return ranges;
  }

  #findIn(bytes: Buffer, isCut: boolean, depth: number, found: (from: number, to: number) => void): void {
    let packed = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (this.#of[bytes[at] ?? 0] === 0) continue;
      const end = this.#formAt(bytes, at);
      if (end > 0) found(at, end);
      if (begins(bytes, at, CUT)) {
        this.#before(bytes, at, found);
        this.#after(bytes, at + CUT.length, found);
      } else if (begins(bytes, at, GZIP) || begins(bytes, at, GZIP_BASE64)) {
        packed += 1;
        const packedEnd = packed > MOST_PACKED ? bytes.length : this.#packedAt(bytes, at, depth);
        if (packedEnd > 0) found(at, packedEnd);
        if (packedEnd === bytes.length) break;
      }
    }
    if (isCut) this.#before(bytes, bytes.length, found);
  }

  /** Where the longest form that begins at a place ends; 0 when there is none. */
  #formAt(bytes: Uint8Array, at: number): number {
    let last = 0;
    for (const form of this.#begins.at(bytes, at)) last = Math.max(last, endOf(bytes, at, form));
    return last;
  }

  /** Finds the beginning of a form before a cut; an escape after it may be left in part, or read as another character. */
  #before(bytes: Uint8Array, cut: number, found: (from: number, to: number) => void): void {
    for (const end of new Set([cut, characterBefore(bytes, cut), ...brokenEscapes(bytes, cut)])) {
      const from = this.#beginBefore(bytes, end);
      if (from >= 0) found(from, cut);
    }
  }

  /** Where the longest beginning of a form begins that ends at a place; -1 when there is none. */
  #beginBefore(bytes: Uint8Array, end: number): number {
    if (!this.#parts.mayHave(bytes, end - SHORTEST_PART)) return -1;
    for (let from = Math.max(0, end - this.#longest + 1); from <= end - SHORTEST_PART; from++) {
      const length = end - from;
      for (const form of this.#begins.at(bytes, from)) {
        if (length < form.length && same(bytes, from, form, 0, length)) return from;
      }
    }
    return -1;
  }

  /** Finds the end of a form after a cut. */
  #after(bytes: Uint8Array, cut: number, found: (from: number, to: number) => void): void {
    if (!this.#parts.mayHave(bytes, cut)) return;
    for (let end = Math.min(bytes.length, cut + this.#longest - 1); end >= cut + SHORTEST_PART; end--) {
      const length = end - cut;
      for (const form of this.#ends.at(bytes, end - 2)) {
        if (length >= form.length || !same(bytes, cut, form, form.length - length, length)) continue;
        found(cut, end);
        return;
      }
    }
  }

  /** Where compressed bytes that hold a secret end; 0 when they hold none. */
  #packedAt(bytes: Buffer, at: number, depth: number): number {
    const isBase64 = bytes[at] === GZIP_BASE64[0];
    const rest = bytes.subarray(at);
    const written = isBase64 ? /^[\w+/-]*/.exec(rest.toString("latin1"))?.[0] : undefined;
    const unpacked = depth < DEEPEST_PACKED && unpack(written === undefined ? rest : Buffer.from(written, "base64"));
    if (unpacked && this.#find(unpacked, true, depth + 1).length === 0) return 0;
    return written === undefined ? bytes.length : at + written.length;
  }
}

/** What is left after one layer of escapes, two, and so on. */
function layersOf(text: Located, kinds: readonly number[]): readonly Located[] {
  const layers: Located[] = [];
  let next = unescaped(text, kinds);
  while (next !== undefined && layers.length < LAYERS) {
    layers.push(next);
    next = unescaped(next, kinds);
  }
  return layers;
}

const kindsIn = ({ bytes }: Located, kinds: readonly number[]): readonly number[] =>
  kinds.filter((kind) => bytes.includes(kind));

/**
 * Undoes one kind of escapes after the other, in each order: what escapes characters in one way leaves those with which
 * the other ways begin as they are.
 */
function eachOrder(text: Located, kinds: readonly number[], visit: (layer: Located) => void): void {
  for (const kind of kindsIn(text, kinds)) {
    const layers = layersOf(text, [kind]);
    layers.forEach(visit);
    const rest = kinds.filter((other) => other !== kind);
    eachOrder(layers.at(-1) ?? text, rest, visit);
  }
}

type Range = readonly [from: number, to: number];

/** Forms by two bytes of theirs, letters in lower case. */
class Pairs {
  readonly #forms = new Map<number, Uint8Array[]>();
  readonly #used = new Uint8Array(1 << 16);

  put(bytes: Uint8Array, at: number, form: Uint8Array): void {
    const pair = pairAt(bytes, at);
    const forms = this.#forms.get(pair);
    if (forms === undefined) this.#forms.set(pair, [form]);
    else forms.push(form);
    this.#used[pair] = 1;
  }

  /** The forms with the two bytes at a place of a text. */
  at(bytes: Uint8Array, at: number): readonly Uint8Array[] {
    const pair = pairAt(bytes, at);
    return this.#used[pair] === 1 ? (this.#forms.get(pair) ?? NONE) : NONE;
  }
}

const NONE: readonly Uint8Array[] = [];

/**
 * The parts of forms of the shortest length that is replaced beside a cut: most texts there are known not to be one at once.
 * A bit for each of many hashes, so that few other texts may be taken for one.
 */
class Parts {
  readonly #bits = new Uint8Array(1 << 20);

  put(bytes: Uint8Array, at: number): void {
    const hash = partHash(bytes, at);
    this.#bits[hash >>> 3] = (this.#bits[hash >>> 3] ?? 0) | (1 << (hash & 7));
  }

  /** Whether the bytes at a place of a text may be a part. */
  mayHave(bytes: Uint8Array, at: number): boolean {
    if (at < 0 || at + SHORTEST_PART > bytes.length) return false;
    const hash = partHash(bytes, at);
    return ((this.#bits[hash >>> 3] ?? 0) & (1 << (hash & 7))) !== 0;
  }
}

/** A number of 23 bits. */
function partHash(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let index = 0; index < SHORTEST_PART; index++) value = (value << 8) | lower(bytes[at + index]);
  return Math.imul(value, 0x9e3779b1) >>> 9;
}

const pairAt = (bytes: Uint8Array, at: number): number => (lower(bytes[at]) << 8) | lower(bytes[at + 1]);

/** A byte, a letter of ASCII in lower case; what stands for a space as one. */
function lower(byte = 0): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  return isSpace(byte) ? 0x20 : byte;
}

/** White space, and a plus, which stands for a space in addresses. */
const isSpace = (byte = 0): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x2b;

/** Where a form that begins at a place ends; 0 when it is another text. */
function endOf(bytes: Uint8Array, at: number, form: Uint8Array): number {
  let end = at;
  for (const byte of form) {
    if (end >= bytes.length || lower(bytes[end]) !== byte) return 0;
    end += 1;
    while (byte === 0x20 && end < bytes.length && isSpace(bytes[end])) end += 1;
  }
  return end;
}

function same(bytes: Uint8Array, at: number, form: Uint8Array, from: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (lower(bytes[at + index]) !== form[from + index]) return false;
  return true;
}

function begins(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}

/** Where an escape may begin that was cut off, one within the other. */
function brokenEscapes(bytes: Uint8Array, cut: number): number[] {
  const found: number[] = [];
  for (let at = cut - 1; at >= Math.max(0, cut - LONGEST_BROKEN); at--) {
    const byte = bytes[at] ?? 0;
    if (ESCAPES.includes(byte)) found.push(at);
    else if (!/[\w#;]/.test(String.fromCharCode(byte))) break;
  }
  return found;
}

/** Where the character before a place begins. */
function characterBefore(bytes: Uint8Array, at: number): number {
  let start = Math.max(0, at - 1);
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

/**
 * What gzip makes of bytes, as much of it as they hold, whatever follows; nothing when they are not compressed. Undefined
 * when that is too much to look at, or damaged: a part of it may be readable.
 */
function unpack(bytes: Uint8Array): Buffer | undefined {
  const from = gzipHeader(bytes);
  if (from === undefined) return Buffer.alloc(0);
  try {
    const options = { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: MOST_UNPACKED };
    return inflateRawSync(bytes.subarray(from), options);
  } catch {
    return undefined;
  }
}

/** Size of the header of gzip (RFC 1952, section 2.3); undefined when it is none or not whole. */
function gzipHeader(bytes: Uint8Array): number | undefined {
  const flags = bytes[3] ?? 0xff;
  if ((flags & 0xe0) !== 0) return undefined;
  let end = 10;
  if (flags & 4) end += 2 + (bytes[end] ?? 0) + 256 * (bytes[end + 1] ?? 0);
  for (const text of [8, 16]) if (flags & text) end = bytes.indexOf(0, end) + 1 || bytes.length;
  if (flags & 2) end += 2;
  return end < bytes.length ? end : undefined;
}
