import { expect, test } from "vitest";
import { formatRegressionLimits, parseRegressionLimits } from "./regression-limits.ts";

test("limits are read and written, for all metrics and for one", () => {
  const text = "5%,ttft_p99=10%,error_rate=0.5%";
  expect(parseRegressionLimits(text)).toEqual([
    { share: 0.05 },
    { metric: "ttft_p99", share: 0.1 },
    { metric: "error_rate", share: 0.005 },
  ]);
  expect(formatRegressionLimits(parseRegressionLimits(text))).toBe(text);
});

test.each([["5"], ["ttft_p99"], ["5ms"], ["-1%"], [""], ["ttft<5%"]])('"%s" is no limit', (text) => {
  expect(() => parseRegressionLimits(text)).toThrow("is not a limit; write one such as 5% or ttft_p99=10%");
});

test("no change at all cannot be a limit", () => {
  expect(() => parseRegressionLimits("ttft_p50=0%")).toThrow("no amount of data shows that there is none");
});
