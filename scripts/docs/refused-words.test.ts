/** What users read avoids some words: the pages, and every text of the program, those of help and reports among them. */

import { describe, expect, test } from "vitest";
import { refusedIn, textsOf } from "../../tests/support/pages/refused-words.ts";
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
});

test("a refused word is found in strings and templates, and not in comments", () => {
  const code = `import "./so many.ts"; // so many\nconst a = "units of work"; const b = \`no \${1} besides\`;`;
  expect(refusedIn(textsOf(code)).map((each) => each.slice(0, 15))).toEqual(['"units of work"', '"besides" in "n']);
  expect(sources.length).toBeGreaterThan(400);
});
