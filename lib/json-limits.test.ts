import { expect, test } from "vitest";
import { beyondLimits } from "./json-limits.ts";

const limits = { depth: 3, values: 5 };

test.each([
  ["[[[1]]]", undefined],
  ["[[[[1]]]]", "nested deeper than 3 levels"],
  ['{"a":{"b":{"c":{}}}}', "nested deeper than 3 levels"],
  ['["[[[[[[,,,,,,", "\\"[[[["]', undefined],
  ["[1,2,3,4]", undefined],
  ['["a","b","c","d","e"]', "of more than 5 values"],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5}', "of more than 5 values"],
  ["[1,{},{},{}]", "of more than 5 values"],
  ["[1, -2,\n3 ,4,5,6,7]", undefined],
  ["]]]]", undefined],
])("%s: %s", (text, expected) => expect(beyondLimits(text, limits)).toBe(expected));

test("a vector of any length is read", () => {
  expect(beyondLimits(`[${"0.1,".repeat(2 ** 20)}1]`, limits)).toBeUndefined();
});

test("8 MiB of brackets are looked at no further than the limit", () => {
  expect(beyondLimits("[".repeat(8 * 2 ** 20), { depth: 1_000 })).toBe("nested deeper than 1000 levels");
});
