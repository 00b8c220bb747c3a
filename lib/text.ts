/** Text that came from a target is data: what could control a terminal or a parser is removed or made visible. Pure. */

import { CONTROLS } from "./printable.mjs";

/** One line of text for a terminal: tabs and line ends become spaces, other controls the replacement character. */
export const plainLine = (text: string): string => text.replace(/[\t\r\n]+/g, " ").replace(CONTROLS, "\ufffd");

/** Cuts a text to at most `max` characters, the last of them an ellipsis; never within a surrogate pair. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** A reason as a sentence: with a period, unless it ends already. */
export const endSentence = (reason: string): string => (/[.?!]$/.test(reason) ? reason : `${reason}.`);

/** A sentence of words that begin in lower case. */
export const sentence = (words: string): string => endSentence(`${words.slice(0, 1).toUpperCase()}${words.slice(1)}`);

/** The name of a file without its folders, whatever the system that wrote its path. */
export const fileName = (path: string): string => path.replace(/^.*[/\\]/, "");

/** Average length of a token, by which token counts are estimated: about right for English, too long for most other languages. */
export const CHARACTERS_PER_TOKEN = 4;

/**
 * The same of the words that prompts are made of (load/inputs/vocabulary.ts): common English words, most of which are one token
 * with the space before them.
 */
export const MADE_CHARACTERS_PER_TOKEN = 6;

/** Code points of a text; counted without a copy, since a text may have millions. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) !== 0xd800 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue;
    pairs += 1;
    i += 1;
  }
  return text.length - pairs;
}

/** Bytes of a text in UTF-8, counted without a copy, also inside k6; of a half of a pair alone those of the replacement character. */
export function bytesInUtf8(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2;
  }
  // A pair has 4 bytes, of 2 units.
  return bytes - 2 * (text.length - codePoints(text));
}

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A byte order mark with which some programs begin a text. */
export const BYTE_ORDER_MARK = "\ufeff";

/** A text without the byte order mark that it may begin with. */
export const withoutMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
