import { expect, test } from "vitest";
import { formatPrices, pricesOf, readPrices } from "./prices.ts";

test.each([
  ['{"input":0.15}', { input: 0.15 }],
  [
    '{"currency":"EUR","output":1,"models":{"m":{"output":2}}}',
    { currency: "EUR", output: 1, models: { m: { output: 2 } } },
  ],
  ['{"currency":"€","video-second":{"1080p":0.08}}', { currency: "€", "video-second": { "1080p": 0.08 } }],
  ["prices.yaml", "prices.yaml"],
])("%s is read, and written so that it is read the same", (text, expected) => {
  const read = readPrices(text);
  expect(read).toEqual(expected);
  expect(readPrices(formatPrices(read))).toEqual(read);
});

test.each([
  ['{"input":yes}', "it is not valid JSON; write it such as"],
  ["[1]", "it is an array of 1, where prices were expected"],
  ["{}", "it has no price"],
  ['{"currency":"EUR","models":{"m":{}}}', "it has no price"],
  ['{"inputs":1}', '"inputs" is not a price. Did you mean "input"?'],
  ['{"input":-1}', "input is the number -1, where a price from 0 to 1000000 was expected"],
  ['{"input":"0.15"}', 'input is the string "0.15", where a price'],
  ['{"request":0.0000001}', "request is 1e-7, and a price has 6 decimals at most"],
  ['{"input":1,"currency":"a b"}', 'currency is the string "a b", where a name such as EUR was expected'],
  ['{"video-second":{"4k":1}}', '"video-second.4k" is not a resolution. Resolutions: 720p, 1080p'],
  ['{"video-second":{"720p":true}}', "video-second.720p is the boolean true"],
  ['{"models":{"m":1}}', "models.m is the number 1, where prices were expected"],
  ['{"models":{"m":{"currency":"EUR"}}}', '"models.m.currency" is not a price'],
])("%s is refused", (text, reason) => {
  expect(() => readPrices(text)).toThrow(reason);
});

test("prices of a model take the place of those of the list, each by itself", () => {
  const prices = { currency: "EUR", input: 1, output: 2, models: { m: { output: 3 } } };
  expect(pricesOf(prices, "m")).toEqual({ input: 1, output: 3 });
  expect(pricesOf(prices, "toString")).toEqual({ input: 1, output: 2 });
});
