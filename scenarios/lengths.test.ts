import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHARACTERS_PER_TOKEN } from "../lib/text.ts";
import { corpusOf, textOfLength } from "./lengths.ts";

const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1 });
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("a prompt of a given length", () => {
  it("has the given length, without half of a surrogate pair at its end", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5_000 }), share, (parts, tokens, from) => {
        const text = textOfLength(corpusOf(parts), tokens, from);
        expect(tokens * CHARACTERS_PER_TOKEN - text.length).toBeOneOf([0, 1]);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  it("begins with one of the texts, goes on with the next ones, and starts over", () => {
    const corpus = corpusOf(["abc", "def"]);
    expect(textOfLength(corpus, 2, 0)).toBe("abc\ndef\n");
    expect(textOfLength(corpus, 3, 0.5)).toBe("def\nabc\ndef\n");
  });

  it("is made of a bounded corpus", () => {
    expect(corpusOf(Array.from({ length: 100_000 }, () => "x".repeat(999))).text.length).toBeLessThan(70_000);
  });
});
