import { expect, test } from "vitest";
import { VOCABULARY } from "../../load/inputs/vocabulary.ts";
import { parseVocabulary } from "../../load/inputs/vocabulary-file.ts";
import { textOfTokens } from "../../load/inputs/words.ts";
import { byteLevel, ENDLESS, NO_STEPS, tokenizerFile, tokensOf } from "../../tests/support/byte-level-tokenizer.ts";
import { countWords, countWordsAhead } from "./count-words.ts";

test("words that a tokenizer has a token for make texts of exactly so many tokens", () => {
  const definition = byteLevel(VOCABULARY.slice(0, 120));
  const { text, note } = countWords(tokenizerFile(definition));
  expect(note).toMatch(
    /made of \d+ words; [1-9]\d+ of them are one token in tokenizer\.json. 40 samples have exactly as many/,
  );
  const vocabulary = parseVocabulary(text);
  for (const tokens of [1, 2, 9, 100, 1_500]) {
    expect(tokensOf(definition, textOfTokens(vocabulary, tokens, [5, 7]))).toBe(tokens);
  }
});

test("words of several tokens are counted too, and the note says how far texts are off", () => {
  const definition = byteLevel([]);
  const { text, note } = countWords(tokenizerFile(definition));
  expect(note).toMatch(/\d+ words; 0 of them are one token .* at most \d+ tokens more or fewer than are asked for\./);
  const made = tokensOf(definition, textOfTokens(parseVocabulary(text), 500, [5, 7]));
  expect(Math.abs(made - 500)).toBeLessThan(12);
});

test.each([
  ["{}", 'it is not a JSON object with a "model"'],
  ["not JSON", 'it is not a JSON object with a "model"'],
  [{ ...NO_STEPS, model: { type: "None" } }, "Name the tokenizer.json"],
])("the file %j is refused", (definition, reason) => {
  expect(() => countWords(tokenizerFile(definition))).toThrow(reason);
  expect(() => countWords(tokenizerFile(definition))).toThrow("Cannot count tokens with ");
});

test("a file that there is not is refused", () => {
  expect(() => countWords("/nowhere/tokenizer.json")).toThrow("Cannot count tokens with /nowhere/tokenizer.json: ");
});

test("a thread counts the same, and refuses the same", async () => {
  const [file, again] = [tokenizerFile(byteLevel([])), tokenizerFile(byteLevel([]))];
  await countWordsAhead(file);
  expect(countWords(file).text).toBe(countWords(again).text);
  await expect(countWordsAhead(tokenizerFile("{}"))).rejects.toThrow('it is not a JSON object with a "model"');
});

test("a regular expression that takes for ever is given up", async () => {
  const file = tokenizerFile({ ...byteLevel([]), pre_tokenizer: ENDLESS });
  await expect(countWordsAhead(file, 1)).rejects.toThrow("it did not come to an end within 1ms");
});

test("a thread that ends without a response is an error that says so", async () => {
  const silent = new URL("data:text/javascript,process.exit(7)");
  await expect(countWordsAhead(tokenizerFile("{}"), 60_000, silent)).rejects.toThrow("ended with exit code 7");
});
