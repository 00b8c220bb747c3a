import { describe, expect, it } from "vitest";
import { gapSummaryOf } from "./gap-summary.ts";

describe("the summary of gaps", () => {
  it("is not asked for when records list them", () => {
    expect(gapSummaryOf({ records: "full", slo: ["icl<50ms"] })).toBeUndefined();
  });

  it("counts those longer than a stall, and than what each bound on every gap allows", () => {
    const slo = ["icl<50ms", "ICL <= 0.2s", "chat-stream.icl<50ms", "icl>1ms", "icl_p99<9ms", "ttft<800ms", "nonsense"];
    expect(gapSummaryOf({ records: "summary", slo })).toEqual({ overUs: [1_000_000, 49_999, 200_000] });
    expect(gapSummaryOf({ records: "summary" })).toEqual({ overUs: [1_000_000] });
  });
});
