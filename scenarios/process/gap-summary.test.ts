import { describe, expect, it } from "vitest";
import { gapSummaryOf } from "./gap-summary.ts";

describe("the summary of gaps", () => {
  it("is not asked for when records list them", () => {
    expect(gapSummaryOf({ records: "full", slo: ["icl_p99<50ms"] })).toBeUndefined();
  });

  it("counts those longer than a stall, and than what each objective on gaps allows", () => {
    const slo = ["icl_p99<50ms", "ICL_max <= 0.2s", "icl_p50<50ms", "icl_mean>1ms", "ttft_p95<800ms", "nonsense"];
    expect(gapSummaryOf({ records: "summary", slo })).toEqual({ overUs: [1_000_000, 49_999, 200_000] });
    expect(gapSummaryOf({ records: "summary" })).toEqual({ overUs: [1_000_000] });
  });
});
