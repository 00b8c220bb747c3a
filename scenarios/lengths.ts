/** Prompts of a given length, for the arrivals of a trace that states it. Pure. */

import { CHARACTERS_PER_TOKEN } from "../lib/text.ts";

/** Texts one after another, and where each begins. */
export interface Corpus {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Every virtual user holds a corpus, so it is short; longer prompts repeat it. */
const CORPUS_CHARACTERS = 65_536;

/** Joins texts until the corpus is full. */
export function corpusOf(texts: Iterable<string>): Corpus {
  let text = "";
  const starts: number[] = [];
  for (const part of texts) {
    if (text.length >= CORPUS_CHARACTERS) break;
    starts.push(text.length);
    text += `${part}\n`;
  }
  return { text, starts };
}

/**
 * A text of about `tokens` tokens: it begins with one text of the corpus, goes on with the next ones, and is cut.
 * @param from from 0 (included) to 1 (excluded): which text it begins with
 */
export function textOfLength({ text, starts }: Corpus, tokens: number, from: number): string {
  const start = starts[Math.floor(from * starts.length)] ?? 0;
  const length = tokens * CHARACTERS_PER_TOKEN;
  const times = Math.ceil((start + length) / Math.max(1, text.length));
  return withoutHalfPair(text.repeat(times).slice(start, start + length));
}

/** Half of a surrogate pair is not a character. */
const withoutHalfPair = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);
