import { expect, test } from "vitest";
import { EXCHANGES, LINES, verdictsOf } from "../../tests/support/results/verdict-lines.ts";
import { readExchanges, summarizeConformance } from "./conformance-result.ts";
import { cutVectors, exchangeLinks, withExchangeLinks } from "./exchange-text.ts";

const exchanges = await readExchanges(
  EXCHANGES,
  await summarizeConformance({ verdicts: verdictsOf(LINES), tool: "assay 0.1.0" }),
);

test("a vector is cut to its first eight numbers, and the others are counted", () => {
  const vector = Array.from({ length: 256 }, (_, index) => index / 1_000);
  const body = JSON.stringify({ data: [{ embedding: vector }, { embedding: vector }] });
  const shown = '"embedding":[0,0.001,0.002,0.003,0.004,0.005,0.006,0.007, … 248 more]';
  expect(cutVectors(body)).toBe(`{"data":[{${shown}},{${shown}}]}`);
});

test("a vector that ends where the body was cut has no number of the rest", () => {
  expect(cutVectors("[1,2,3,4,5,6,7,8,9,10,11,1…")).toBe("[1,2,3,4,5,6,7,8, … more…");
});

test("short lists, texts and lists of other things stay as they are", () => {
  const body = '{"a":[1,2,3,4,5,6,7,8],"b":"[1 to 20, of 100]","c":[[1],[2]],"d":[]}';
  expect(cutVectors(body)).toBe(body);
});

test("a body of a megabyte without an end is cut in one pass", () => {
  expect(cutVectors("[1,".repeat(400_000)).length).toBe(1_200_000);
  expect(cutVectors(`[${"1,".repeat(500_000)}`)).toBe("[1,1,1,1,1,1,1,1, … more");
});

test("numbers of exchanges in a sentence are links where the page has them, and a sentence stays text", () => {
  expect(withExchangeLinks("<b> came (exchanges 1, 2, 99 and more); exchange 3; exchange x", exchanges).text).toBe(
    '&lt;b&gt; came (exchanges <a href="#exchange-1">1</a>, <a href="#exchange-2">2</a>, 99 and more); exchange <a href="#exchange-3">3</a>; exchange x',
  );
  expect(exchangeLinks([1, 99], exchanges).text).toBe('exchanges <a href="#exchange-1">1</a>, 99');
});
