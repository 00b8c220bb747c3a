import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const at = (text: string): number => Date.parse(text);

test("Retry-After is seconds or a date", () => {
  expect(retryAfterMs("2")).toBe(2_000);
  expect(retryAfterMs("Tue, 01 Jan 2030 00:00:10 GMT", at("2030-01-01T00:00:00Z"))).toBe(10_000);
});

test("a date in the past means no wait", () => {
  expect(retryAfterMs("Tue, 01 Jan 2030 00:00:00 GMT", at("2031-01-01T00:00:00Z"))).toBe(0);
});

test.each(["soon", "", "-1", undefined])("%s is no Retry-After", (value) => {
  expect(retryAfterMs(value)).toBeUndefined();
});
