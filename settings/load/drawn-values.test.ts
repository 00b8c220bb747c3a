import { describe, expect, test } from "vitest";
import { formatChoices, parseChoices } from "../choices.ts";
import { UsageError } from "../usage-error.ts";
import {
  formatPrefixes,
  formatTimes,
  formatTokenLengths,
  formatTurns,
  parsePrefixes,
  parseTimes,
  parseTokenLengths,
  parseTurns,
} from "./drawn-values.ts";

describe("a distribution of lengths", () => {
  test.each([
    ["512", { kind: "fixed", value: 512 }, "512"],
    ["fixed:512", { kind: "fixed", value: 512 }, "512"],
    ["uniform:100,900", { kind: "uniform", min: 100, max: 900 }, undefined],
    ["normal:512,128", { kind: "normal", mean: 512, sd: 128 }, undefined],
    ["normal:512,0", { kind: "normal", mean: 512, sd: 0 }, undefined],
    ["lognormal:512,0.5", { kind: "lognormal", median: 512, sigma: 0.5 }, undefined],
    ["histogram:a b/c,d.csv", { kind: "histogram", file: "a b/c,d.csv" }, undefined],
  ])("%s is read, and written again", (text, value, written = text) => {
    expect(parseTokenLengths(text)).toEqual(value);
    expect(formatTokenLengths(parseTokenLengths(text))).toBe(written);
  });

  test.each([
    ["", "is not a distribution"],
    ["0", "has a length below 1"],
    ["-5", "is not a distribution"],
    ["1.5", "has a part of a token"],
    ["1e9", "is not a distribution"],
    ["2000000", "more than 1000000 tokens"],
    ["uniform:5", "is not a distribution"],
    ["uniform:9,5", "is an empty range"],
    ["uniform:0,5", "has a length below 1"],
    ["normal:512", "is not a distribution"],
    ["normal:0,5", "has a length below 1"],
    ["normal:512,-1", "is not a distribution"],
    ["lognormal:512,x", "is not a distribution"],
    ["poisson:5,5", "is not a distribution"],
    ["histogram:", "is not a distribution"],
    ["512,128", "is not a distribution"],
  ])("%j is refused", (text, reason) => {
    expect(() => parseTokenLengths(text)).toThrow(UsageError);
    expect(() => parseTokenLengths(text)).toThrow(reason);
  });
});

describe("a distribution of times", () => {
  test.each([
    ["2s", { kind: "fixed", value: 2_000 }, "2s"],
    ["0", { kind: "fixed", value: 0 }, "0s"],
    ["lognormal:5s,1", { kind: "lognormal", median: 5_000, sigma: 1 }, "lognormal:5s,1"],
    ["uniform:500ms,2s", { kind: "uniform", min: 500, max: 2_000 }, "uniform:500ms,2s"],
    ["normal:5s,1s", { kind: "normal", mean: 5_000, sd: 1_000 }, "normal:5s,1s"],
  ])("%s is read, and written again", (text, value, written) => {
    expect(parseTimes(text)).toEqual(value);
    expect(formatTimes(parseTimes(text))).toBe(written);
  });

  test.each(["5", "histogram:f", "lognormal:5,1", "200h", ""])("%j is refused", (text) =>
    expect(() => parseTimes(text)).toThrow(UsageError),
  );
});

test("prefixes have a length, a number of texts and a share of the prompts", () => {
  const texts = ["1000", "1000x4", "50%:1000x4", "100%:20"];
  expect(texts.map(parsePrefixes)).toEqual([
    { tokens: 1_000, texts: 1, share: 1 },
    { tokens: 1_000, texts: 4, share: 1 },
    { tokens: 1_000, texts: 4, share: 0.5 },
    { tokens: 20, texts: 1, share: 1 },
  ]);
  expect(texts.map((text) => formatPrefixes(parsePrefixes(text)))).toEqual(["1000", "1000x4", "50%:1000x4", "20"]);
  for (const text of ["0", "5x0", "0%:5", "120%:5", "half:5", "50%", ""]) {
    expect(() => parsePrefixes(text)).toThrow("is not a length of prefixes");
  }
});

test("turns are a number or a range", () => {
  expect(parseTurns("4")).toEqual({ min: 4, max: 4 });
  expect(parseTurns("2..6")).toEqual({ min: 2, max: 6 });
  expect(["4", "2..6"].map((text) => formatTurns(parseTurns(text)))).toEqual(["4", "2..6"]);
  for (const text of ["0", "6..2", "2..", "101", "a", "1.5"]) expect(() => parseTurns(text)).toThrow(UsageError);
});

test("choices have a weight each, or none has", () => {
  const read = (text: string) => parseChoices(text, Number);
  expect(read("1,8")).toEqual({ values: [1, 8] });
  expect(read("1=0.7, 8=3")).toEqual({ values: [1, 8], weights: [0.7, 3] });
  expect(["1,8", "1=0.7,8=3"].map((text) => formatChoices(read(text)))).toEqual(["1,8", "1=0.7,8=3"]);
  for (const text of ["1=0,8=1", "1,8=1", "1=1=1", "1=x"]) expect(() => read(text)).toThrow(UsageError);
});
