import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longestAllowedUs, readBound } from "./bound.ts";

describe("readBound", () => {
  it.each([
    ["icl_p99<50ms", { name: "icl_p99", comparison: "<", amount: "50", unit: "ms" }],
    [" TTFT_mean >= 1.5S ", { name: "ttft_mean", comparison: ">=", amount: "1.5", unit: "s" }],
    ["ttft_p99.9<2s", { name: "ttft_p99.9", comparison: "<", amount: "2", unit: "s" }],
    ["ok>=1", { name: "ok", comparison: ">=", amount: "1", unit: "" }],
    ["goodput>10/s", { name: "goodput", comparison: ">", amount: "10", unit: "/s" }],
  ])("takes %s apart", (text, bound) => {
    expect(readBound(text)).toEqual(bound);
  });

  it.each(["", "icl_p99", "icl_p99.<5ms", "icl_p99=5ms", "<5ms", "icl_p99<-5ms", "icl_p99<5h"])(
    "refuses %j",
    (text) => {
      expect(readBound(text)).toBeUndefined();
    },
  );
});

describe("longestAllowedUs", () => {
  it("is the longest whole number of microseconds that meets the bound", () => {
    const bound = fc.oneof(
      fc.nat(5_000),
      fc.nat(5_000_000).map((us) => us / 1_000),
      fc.double({ min: 0.001, max: 5_000, noNaN: true }),
    );
    fc.assert(
      fc.property(bound, fc.boolean(), (ms, strict) => {
        const meets = (us: number) => (strict ? us / 1_000 < ms : us / 1_000 <= ms);
        const longest = longestAllowedUs(strict ? "<" : "<=", ms);
        expect([meets(longest), meets(longest + 1)]).toEqual([true, false]);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });
});
