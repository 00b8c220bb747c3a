/** A tokenizer as models publish it (`tokenizer.json`), byte-level as that of GPT-2. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { newFolder } from "./commands/assay-process.ts";

/** The members that every tokenizer has, empty. */
export const NO_STEPS = {
  normalizer: null,
  post_processor: null,
  added_tokens: [],
  truncation: null,
  padding: null,
  version: "1.0",
};

/** A step whose regular expression takes for ever on a text of many words. */
export const ENDLESS = {
  type: "Split",
  pattern: { Regex: "^([a-z ]+)*!" },
  behavior: "Isolated",
  invert: false,
};

/** @param words are a token each, with and without the space before them; other texts are a token per letter */
export function byteLevel(words: readonly string[]): object {
  const vocab = new Map<string, number>();
  const merges: string[] = [];
  const add = (token: string): void => void (vocab.has(token) || vocab.set(token, vocab.size));
  for (const character of "Ġabcdefghijklmnopqrstuvwxyz.") add(character);
  for (const word of words.flatMap((each) => [each, `Ġ${each}`])) {
    for (let end = 2; end <= word.length; end += 1) {
      const merge = `${word.slice(0, end - 1)} ${word.charAt(end - 1)}`;
      if (!merges.includes(merge)) merges.push(merge);
      add(word.slice(0, end));
    }
  }
  const pre_tokenizer = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const decoder = { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true };
  return {
    ...NO_STEPS,
    pre_tokenizer,
    decoder,
    model: { type: "BPE", unk_token: null, vocab: Object.fromEntries(vocab), merges },
  };
}

/** Writes a definition, or another text in its place, and returns the path. */
export function tokenizerFile(definition: unknown): string {
  const file = join(newFolder(), "tokenizer.json");
  writeFileSync(file, typeof definition === "string" ? definition : JSON.stringify(definition));
  return file;
}

/** How many tokens a text has. */
export const tokensOf = (definition: object, text: string): number =>
  new Tokenizer(definition, {}).encode(text, { add_special_tokens: false }).ids.length;
