/** Prompts of a given length, for arrivals of a trace that tells it. Pure. */

import { CHARACTERS_PER_TOKEN } from "../lib/text.ts";

/** Texts one after another, and where each begins. */
export interface Corpus {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Every virtual user holds a corpus, so it is no longer than it need be; longer prompts repeat it. */
const CORPUS_CHARACTERS = 65_536;

/** Joins texts, as many as a corpus holds. */
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
 * A text of about so many tokens: from the beginning of one text of the corpus on, through the next ones, and cut.
 * @param from from 0 (included) to 1 (excluded): which text it begins with
 */
export function textOfLength({ text, starts }: Corpus, tokens: number, from: number): string {
  const start = starts[Math.floor(from * starts.length)] ?? 0;
  const length = tokens * CHARACTERS_PER_TOKEN;
  const times = Math.ceil((start + length) / Math.max(1, text.length));
  return withoutHalf(text.repeat(times).slice(start, start + length));
}

/** A pair of surrogates that was cut in two is no character. */
const withoutHalf = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);
