import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatAtLeast,
  formatDuration,
  parseBytes,
  parseCount,
  parseDuration,
  parseRate,
  parseShare,
} from "./units.ts";
import { UsageError } from "./usage-error.ts";

describe("durations", () => {
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["10m", 600_000],
    ["1.5h", 5_400_000],
    [" 2 s ", 2_000],
    ["0", 0],
  ])("%s is %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(["", "30", "-1s", "1d", "s", "1s2s", "NaNs"])("%j is refused with an example", (text) => {
    expect(() => parseDuration(text)).toThrow(UsageError);
    expect(() => parseDuration(text)).toThrow("write one such as");
  });

  test.each(["600h", "168.1h", "99999999999999999999s"])("%j is refused: it is longer than timers take", (text) => {
    expect(() => parseDuration(text)).toThrow("is longer than 168h");
  });

  test("whatever is written is read back", () => {
    fc.assert(fc.property(fc.nat(168 * 3_600_000), (ms) => parseDuration(formatDuration(ms)) === ms));
  });
});

test.each([
  [0, "0s"],
  [9_001, "10s"],
  [599_001, "10m"],
  [600_001, "11m"],
  [35_999_999, "10h"],
  [36_000_001, "11h"],
])("%d ms are at most %s", (ms, text) => expect(formatAtLeast(ms)).toBe(text));

test.each([
  ["20", 20],
  ["20/s", 20],
  ["600/m", 10],
  ["0.5/s", 0.5],
  ["3600/h", 1],
])("the rate %s is %d per second", (text, rate) => expect(parseRate(text)).toBe(rate));

test.each(["0", "-1", "20/d", "fast"])("the rate %j is refused", (text) =>
  expect(() => parseRate(text)).toThrow("is not a rate above zero"),
);

test.each([
  ["0.2", 0.2],
  ["20%", 0.2],
  ["0", 0],
  ["100%", 1],
])("the share %s is %d", (text, share) => expect(parseShare(text)).toBeCloseTo(share));

test.each(["1.1", "101%", "-0.1", "half"])("the share %j is refused", (text) =>
  expect(() => parseShare(text)).toThrow("is not a share"),
);

test.each(["0", "1.5", "-3", "many", "99999999999999999999"])("the count %j is refused", (text) =>
  expect(() => parseCount(text)).toThrow("is not a whole number"),
);

test.each([
  ["1048576", 2 ** 20],
  ["4GiB", 2 ** 32],
  ["1.5 GiB", 1.5 * 2 ** 30],
  ["2GB", 2e9],
  ["2000kB", 2e6],
])("the amount of memory %s is %d bytes", (text, bytes) => expect(parseBytes(text)).toBe(bytes));

test.each(["", "GiB", "-4GiB", "0", "1000", "4 GiBs", "4gib", "1e40"])("the amount of memory %j is refused", (text) =>
  expect(() => parseBytes(text)).toThrow("is not an amount of memory of 1MiB or more"),
);
