import fc from "fast-check";
import { expect, test } from "vitest";
import { describe, show } from "./json.ts";

test("a value is shown as its JSON text, cut after 60 characters", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      const cut = text.slice(0, 60).replace(/[\ud800-\udbff]$/, "");
      expect(show(value)).toBe(text.length > 60 ? `${cut}…` : text);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

test("values of any depth and size are shown", () => {
  const nested = (open: string, close: string): unknown =>
    JSON.parse(`${open.repeat(500_000)}1${close.repeat(500_000)}`);
  expect(show(nested("[", "]"))).toBe(`${"[".repeat(60)}…`);
  expect(show(nested('{"a":', "}"))).toBe(`${'{"a":'.repeat(12)}…`);
  expect(show("a".repeat(10_000_000))).toBe(`"${"a".repeat(59)}…"`);
  expect(show({ toString: null, valueOf: null })).toBe('{"toString":null,"valueOf":null}');
  expect(show(undefined)).toBe("nothing");
});

test("a number of which the last digits are lost is not described as the one that was sent", () => {
  expect(describe(JSON.parse("12345678901234567891"))).toBe("a number near 12345678901234567000");
  expect(describe(2 ** 53 - 1)).toBe("the number 9007199254740991");
});

test("an array of arrays is described as such: vectors that are nested, one per token", () => {
  const vector = Array.from({ length: 64 }, (_, index) => index / 64);
  expect(describe(Array.from({ length: 20 }, () => vector))).toBe("an array of 20 arrays of 64 numbers");
  expect(describe([["a"], ["b"]])).toBe("an array of 2 arrays of 1");
  expect(describe([[1], [1, 2]])).toBe("an array of 2");
  expect(describe([])).toBe("an array of 0");
});

test("an item of another kind than the others of its array is named: a vector with a null", () => {
  expect(describe([0.5, 0.5, null, 0.25])).toBe("an array of 4, with null at [2]");
  expect(describe([null, 0.5, 0.25])).toBe("an array of 3, with null at [0]");
  expect(describe([0.5, 0.25, "x"])).toBe('an array of 3, with the string "x" at [2]');
});
