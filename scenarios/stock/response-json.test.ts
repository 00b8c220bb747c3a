import { expect, test } from "vitest";
import { jsonFault, parseResponse } from "./response-json.ts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["JSON", '{"a":[1]}', { a: [1] }],
  ["many brackets side by side", `[${"[],".repeat(2_000)}1]`, expect.arrayContaining([1])],
  ["brackets in strings", JSON.stringify(`"${"[\\".repeat(2_000)}`), `"${"[\\".repeat(2_000)}`],
  ["as many levels as may be", nested(1_000), [expect.anything()]],
])("%s is parsed", (_, text, value) => expect(parseResponse(text)).toEqual(value));

test.each([
  ["one level more", nested(1_001)],
  ["objects in objects", '{"a":'.repeat(5_000)],
  ["arrays in objects", '{"a":['.repeat(600)],
])("%s is too deep", (_, text) => {
  expect(parseResponse(text)).toBeUndefined();
  expect(jsonFault(text)).toBe("nested deeper than 1000 levels");
});

test("anything else is not JSON", () => {
  expect(parseResponse("{")).toBeUndefined();
  expect(jsonFault("{")).toBe("not JSON");
});
