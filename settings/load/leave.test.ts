import { expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { formatLeave, parseLeave, readsFirstToken } from "./leave.ts";

test.each([
  ["10%@first-token", { share: 0.1, at: "first-token", part: 0 }],
  ["7%@50%", { share: 0.07, at: "50%", part: 0.5 }],
  ["100%@90s", { share: 1, at: "90s", ms: 90_000 }],
])("%s is read, and written again", (text, value) => {
  expect(parseLeave(text)).toEqual(value);
  expect(formatLeave(parseLeave(text))).toBe(text);
});

test("a share is written as a percentage, and spaces are left out", () => {
  expect(formatLeave(parseLeave(" 0.2 @ 2s "))).toBe("20%@2s");
});

test.each(["", "10%", "@2s", "10%@", "10%@0s", "10%@0%", "10%@soon", "120%@2s", "10%@2s@3s"])(
  "%j is refused",
  (text) => {
    expect(() => parseLeave(text)).toThrow(UsageError);
  },
);

test("who leaves after a time may not have read a token", () => {
  expect(["first-token", "50%", "2s"].map(readsFirstToken)).toEqual([true, true, false]);
});
