/**
 * Undoes the escapes in which services repeat a text: of addresses, of JSON and of source code, of HTML. Byte by byte, and
 * with the place that each byte came from. The extension has the same rule (`extension/redact/escapes.go`).
 */

/** Bytes, and where each begins in the text that they were read from, with one more entry for its end; absent: the same. */
export interface Located {
  readonly bytes: Uint8Array;
  readonly starts?: Uint32Array;
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;

/** The bytes with which escapes begin, by kind of escape. */
export const ESCAPES: readonly number[] = [PERCENT, AMPERSAND, BACKSLASH];

/**
 * Undoes one layer of escapes; undefined when the text contains none.
 * @param kinds the kinds of escapes that are undone, from `ESCAPES`; the others count as text
 */
export function unescaped({ bytes, starts }: Located, kinds: readonly number[] = ESCAPES): Located | undefined {
  let at = 0;
  while (at < bytes.length && escapeAt(bytes, at, kinds) === undefined) at += 1;
  if (at === bytes.length) return undefined;
  const out = new Uint8Array(bytes.length);
  const places = new Uint32Array(bytes.length + 1);
  out.set(bytes.subarray(0, at));
  for (let place = 0; place < at; place++) places[place] = starts?.[place] ?? place;
  let size = at;
  while (at < bytes.length) {
    const found = escapeAt(bytes, at, kinds);
    const from = starts?.[at] ?? at;
    const end = found === undefined ? size + 1 : write(out, size, found);
    if (found === undefined) out[size] = bytes[at] ?? 0;
    places.fill(from, size, end);
    size = end;
    at += found?.length ?? 1;
  }
  places[size] = starts?.[bytes.length] ?? bytes.length;
  return { bytes: out.subarray(0, size), starts: places.subarray(0, size + 1) };
}

interface Escape {
  /** Bytes that it takes; never fewer than it stands for. */
  readonly length: number;
  readonly value: number;
  /** The value is a byte, not a code point. */
  readonly isByte?: true;
}

/** Writes what an escape stands for, in UTF-8, and returns where it ends. */
function write(out: Uint8Array, at: number, { value, isByte }: Escape): number {
  if (isByte || value < 0x80) {
    out[at] = value;
    return at + 1;
  }
  return at + encoder.encodeInto(String.fromCodePoint(value), out.subarray(at)).written;
}

const encoder = new TextEncoder();

function escapeAt(bytes: Uint8Array, at: number, kinds: readonly number[]): Escape | undefined {
  const first = bytes[at];
  if (first !== PERCENT && first !== AMPERSAND && first !== BACKSLASH) return undefined;
  if (!kinds.includes(first)) return undefined;
  if (first === PERCENT) return percentEscape(bytes, at);
  return first === AMPERSAND ? htmlEscape(bytes, at) : backslashEscape(bytes, at);
}

/** `%41`, and `%u0041` of JavaScript's `escape`. */
function percentEscape(bytes: Uint8Array, at: number): Escape | undefined {
  if (letter(bytes[at + 1]) === "u") return character(6, digits(bytes, at + 2, 4, 16));
  const value = digits(bytes, at + 1, 2, 16);
  return value < 0 ? undefined : { length: 3, value, isByte: true };
}

const CONTROLS: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9 };
const PUNCTUATION = /^[!-/:-@[-`{-~]$/;

/** `\u0041`, `\ud83d\ude00`, `\x41`, `\n`, and a character that stands for itself, such as `\/`. */
function backslashEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const next = String.fromCharCode(bytes[at + 1] ?? 0);
  if (next === "x") return character(4, digits(bytes, at + 2, 2, 16));
  if (next === "u") {
    const first = digits(bytes, at + 2, 4, 16);
    const isPair = first >> 10 === 0x36 && bytes[at + 6] === BACKSLASH && letter(bytes[at + 7]) === "u";
    const second = isPair ? digits(bytes, at + 8, 4, 16) : -1;
    if (second >> 10 !== 0x37) return character(6, first);
    return character(12, 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff));
  }
  const value = CONTROLS[next] ?? (PUNCTUATION.test(next) ? next.charCodeAt(0) : -1);
  return character(2, value);
}

/** Names of the characters of ASCII that have any (HTML, section 13.5), each behind its character. */
const NAMED =
  '\tTab \nNewLine !excl "quot "QUOT #num $dollar %percnt &amp &AMP \'apos (lpar )rpar *ast *midast +plus ,comma .period ' +
  "/sol :colon ;semi <lt <LT =equals >gt >GT ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^Hat _lowbar _UnderBar " +
  "`grave `DiacriticalGrave {lcub {lbrace |verbar |vert |VerticalLine }rcub }rbrace";
const NAMES: ReadonlyMap<string, number> = new Map(
  NAMED.split(" ").map((named) => [named.slice(1), named.charCodeAt(0)]),
);

/** More digits than any code point needs, among them zeros in front. */
const MOST_DIGITS = 16;

/** `&#65;`, `&#x41;`, `&amp;`; a browser reads numbers without the semicolon too. */
function htmlEscape(bytes: Uint8Array, at: number): Escape | undefined {
  if (bytes[at + 1] !== 0x23) return namedCharacter(bytes, at);
  const base = letter(bytes[at + 2]) === "x" ? 16 : 10;
  const from = at + (base === 16 ? 3 : 2);
  let end = from;
  while (end - from < MOST_DIGITS && digit(bytes[end], base) >= 0) end += 1;
  if (end === from) return undefined;
  return character(end - at + (bytes[end] === 0x3b ? 1 : 0), digits(bytes, from, end - from, base));
}

const LONGEST_NAME = Math.max(...[...NAMES.keys()].map(({ length }) => length));

function namedCharacter(bytes: Uint8Array, at: number): Escape | undefined {
  let name = "";
  for (let end = at + 1; end <= at + 1 + LONGEST_NAME; end++) {
    const byte = bytes[end];
    if (byte === 0x3b) return character(end + 1 - at, NAMES.get(name));
    const next = letter(byte);
    if (next < "a" || next > "z") return undefined;
    name += String.fromCharCode(byte ?? 0);
  }
  return undefined;
}

const character = (length: number, value = -1): Escape | undefined =>
  value < 0 || value > 0x10ffff ? undefined : { length, value };

/** A character of ASCII, a letter in lower case. */
const letter = (byte = 0): string => String.fromCharCode(byte | 0x20);

/** The number that some digits are; -1 when they are none. */
function digits(bytes: Uint8Array, at: number, count: number, base: number): number {
  let value = 0;
  for (let place = at; place < at + count; place++) {
    const next = digit(bytes[place], base);
    if (next < 0) return -1;
    value = value * base + next;
  }
  return value;
}

function digit(byte = 0, base: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const place = (byte | 0x20) - 0x61;
  return base === 16 && place >= 0 && place < 6 ? place + 10 : -1;
}

/** What a text with percent escapes means; a text whose escapes are no UTF-8 is taken as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
