import fc from "fast-check";
import { expect, test } from "vitest";
import { show } from "./json.ts";

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
  expect(show("a".repeat(10_000_000))).toBe(`"${"a".repeat(59)}…`);
  expect(show({ toString: null, valueOf: null })).toBe('{"toString":null,"valueOf":null}');
  expect(show(undefined)).toBe("nothing");
});
