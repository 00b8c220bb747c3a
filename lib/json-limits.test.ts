import { expect, test } from "vitest";
import { beyondLimits } from "./json-limits.ts";

const limits = { depth: 3, values: 5 };

test.each([
  ["[[[1]]]", undefined],
  ["[[[[1]]]]", "nested deeper than 3 levels"],
  ['{"a":{"b":{"c":{}}}}', "nested deeper than 3 levels"],
  ['["[[[[[[,,,,,,", "\\"[[[["]', undefined],
  ["[1,2,3,4]", undefined],
  ["[1,2,3,4,5]", "of more than 5 values"],
  ["]]]]", undefined],
])("%s: %s", (text, expected) => expect(beyondLimits(text, limits)).toBe(expected));

test("8 MiB of brackets are looked at no further than the limit", () => {
  expect(beyondLimits("[".repeat(8 * 2 ** 20), { depth: 1_000 })).toBe("nested deeper than 1000 levels");
});
