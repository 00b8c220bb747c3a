/** What users read avoids some words: the pages, and every text of the program, those of help and reports among them. */

import { describe, expect, test } from "vitest";
import { longSentencesIn, MOST_WORDS, refusedIn, textsOf } from "../../tests/support/pages/refused-words.ts";
import { pages, SHIPPED, sourcesIn, textOf } from "../../tests/support/pages/source-files.ts";

const sources = sourcesIn(SHIPPED.filter((folder) => !folder.startsWith("docs")));

describe("texts of the program", () => {
  test.each(sources)("%s", (file) => {
    expect(refusedIn(textsOf(textOf(file)))).toEqual([]);
  });
});

describe("pages", () => {
  test.each(pages())("%s", (file) => {
    expect(refusedIn(textOf(file).split(/\n\n+/))).toEqual([]);
  });

  // A changelog has an entry per change, which nobody reads from its beginning to its end.
  test.each(pages().filter((file) => file !== "CHANGELOG.md"))(
    `%s has sentences of ${MOST_WORDS} words at most`,
    (file) => {
      expect(longSentencesIn(textOf(file))).toEqual([]);
    },
  );
});

test("a sentence is counted without code, and cells and items one by one", () => {
  const words = (count: number): string => `Word ${"word ".repeat(count - 1)}`.trim();
  const long = words(MOST_WORDS + 1);
  expect(
    longSentencesIn(
      `${words(MOST_WORDS)}. \`${long}\` ${words(3)}\n- ${words(20)}\n- ${words(20)}\n\n| ${words(20)} | ${words(20)} |`,
    ),
  ).toEqual([]);
  expect(longSentencesIn(`Short. ${long}.\n\n\`\`\`\n${long}\n\`\`\``)).toEqual([`${long}.`]);
});

test.each([
  "Cannot show requests: it is not said which.",
  "What a short run left open is said.",
  "add the results, and show all of it",
  "Of many windows, some exceed a percentile.",
  "Where a target refuses it, leave it out.",
  "not sent, for it holds a secret",
  "nothing left out: half of the time at most may be",
])("refused: %s", (text) => {
  expect(refusedIn([text])).not.toEqual([]);
});

test("a refused word is found in strings and templates, and not in comments", () => {
  const code = `import "./so many.ts"; // so many\nconst a = "units of work"; const b = \`no \${1} besides\`;`;
  expect(refusedIn(textsOf(code)).map((each) => each.slice(0, 15))).toEqual(['"units of work"', '"besides" in "n']);
  expect(sources.length).toBeGreaterThan(400);
});
