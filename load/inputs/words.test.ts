import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { MADE_CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { VOCABULARY } from "./vocabulary.ts";
import { keysOf, textOfTokens } from "./words.ts";

const Cases = z.array(
  z.object({
    words: z.array(z.string()),
    costs: z.array(z.number()).optional(),
    charactersPerToken: z.number(),
    tokens: z.number(),
    keys: z.tuple([z.number(), z.number()]),
    text: z.string(),
  }),
);

test("texts are those of the shared cases", () => {
  const cases = Cases.parse(
    JSON.parse(readFileSync(new URL("../../scenarios/testdata/made-texts.json", import.meta.url), "utf8")),
  );
  for (const { words, costs, charactersPerToken, tokens, keys, text } of cases) {
    expect(textOfTokens({ words, charactersPerToken, ...(costs && { costs }) }, tokens, keys)).toBe(text);
  }
});

const keys = fc.tuple(fc.nat(2 ** 32 - 1), fc.nat(2 ** 32 - 1));
const vocabulary = { words: VOCABULARY, charactersPerToken: MADE_CHARACTERS_PER_TOKEN };

test("a text has as many characters as its tokens are taken for, and words only", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), keys, (tokens, drawn) => {
      const text = textOfTokens(vocabulary, tokens, drawn);
      expect(text).toHaveLength(tokens * MADE_CHARACTERS_PER_TOKEN);
      expect(text).toMatch(/^[a-z]+( [a-z]+)*\.?$/);
    }),
  );
});

test("a text of words with their tokens has exactly as many where single tokens are among them", () => {
  const words = ["one", "two words", "three of them", "a"];
  const costs = [1, 2, 3, 1];
  const tokensOf = (text: string): number => text.split(" ").length;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), keys, (tokens, drawn) => {
      expect(tokensOf(textOfTokens({ words, costs, charactersPerToken: 6 }, tokens, drawn))).toBe(tokens);
    }),
  );
});

test("texts of different arrivals, seeds and purposes begin differently", () => {
  const begin = (seed: number, index: number, purpose: string): string =>
    textOfTokens(vocabulary, 8, keysOf(seed, index, purpose));
  const all = Array.from({ length: 2_000 }, (_, index) => begin(1, index, "prompt 0"));
  expect(new Set(all).size).toBe(all.length);
  expect(new Set([begin(1, 0, "prompt 0"), begin(2, 0, "prompt 0"), begin(1, 0, "prompt 1")]).size).toBe(3);
  expect(begin(1, 7, "prompt 0")).toBe(all[7]);
});

test("the vocabulary is made of ordinary words, each once", () => {
  expect(VOCABULARY.length).toBeGreaterThan(800);
  expect(new Set(VOCABULARY).size).toBe(VOCABULARY.length);
  expect(VOCABULARY.every((word) => /^[a-z]{2,10}$/.test(word))).toBe(true);
  const mean = VOCABULARY.reduce((sum, word) => sum + word.length + 1, 0) / VOCABULARY.length;
  expect(Math.abs(mean - MADE_CHARACTERS_PER_TOKEN)).toBeLessThan(0.5);
});
