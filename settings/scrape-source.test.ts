import { expect, test } from "vitest";
import { formatScrapes, parseScrapes, parseSeriesPattern } from "./scrape-source.ts";

test("sources have the name that is given, or their host", () => {
  const sources = parseScrapes("http://h:8000,gateway=https://g/epp/metrics, http://[::1]:1/");
  expect(sources).toEqual([
    { name: "h:8000", url: "http://h:8000/metrics" },
    { name: "gateway", url: "https://g/epp/metrics" },
    { name: "[::1]:1", url: "http://[::1]:1/metrics" },
  ]);
  expect(parseScrapes(formatScrapes(sources))).toEqual(sources);
});

test.each([
  ["localhost:8000", "is not an address"],
  ["", "is not an address"],
  ["x=ftp://h", "is not an address"],
  ["http://me:secret@h", "a user, a query or a fragment"],
  ["http://h/metrics?key=1", "a user, a query or a fragment"],
  ["a=http://h,a=http://g", 'two sources are called "a"'],
])("%s is refused", (text, sentence) => {
  expect(() => parseScrapes(text)).toThrow(sentence);
});

test("a pattern that is none is refused", () => {
  expect(parseSeriesPattern("_tokens").test("vllm:prompt_tokens_total")).toBe(true);
  expect(() => parseSeriesPattern("(")).toThrow('"(" is not a regular expression');
});
