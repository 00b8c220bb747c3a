/**
 * Texts of a given number of tokens, made of words: the same for the same keys. Pure. The extension makes the same texts
 * (extension/prompts/words.go); the cases of testdata/made-texts.json hold both to each other.
 */

import { bitsOf, mixed } from "./random.ts";

/** Words with the tokens of each, or by how many characters count as a token. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly costs?: readonly number[];
  /** Counts where there are no costs. */
  readonly charactersPerToken: number;
}

/** Two keys of 32 bits for a text, by the seed, the arrival and what the text is for. */
export const keysOf = (seed: number, index: number, purpose: string): readonly [number, number] => [
  bitsOf(seed, index, purpose),
  bitsOf(seed, index, `${purpose}, second key`),
];

/** A text of that many tokens. Where no word has one token, it may be shorter by less than the longest word. */
export function textOfTokens(vocabulary: Vocabulary, tokens: number, keys: readonly [number, number]): string {
  const { words, costs, charactersPerToken } = vocabulary;
  const below = drawer(keys);
  const word = (): string => words[below(words.length)] ?? "";
  if (costs === undefined) return ofCharacters(word, Math.max(1, Math.floor(tokens * charactersPerToken)));
  const text: string[] = [];
  let left = tokens;
  while (left > 0) {
    const nth = below(words.length);
    const cost = costs[nth] ?? 1;
    if (cost > left) break;
    text.push(words[nth] ?? "");
    left -= cost;
  }
  const single = words.filter((_, nth) => costs[nth] === 1);
  for (; left > 0 && single.length > 0; left -= 1) text.push(single[below(single.length)] ?? "");
  return text.length === 0 ? (words[0] ?? "") : text.join(" ");
}

function ofCharacters(word: () => string, count: number): string {
  let text = "";
  while (text.length < count) text += text === "" ? word() : ` ${word()}`;
  return text.slice(0, count).replace(/ $/, ".");
}

/** Numbers from 0 to n-1, one after another. */
function drawer([key, other]: readonly [number, number]): (n: number) => number {
  let drawn = 0;
  return (n) => {
    const bits = mixed(mixed(key, drawn), other) >>> 0;
    drawn += 1;
    return Math.floor((bits * n) / 2 ** 32);
  };
}
