import { expect, describe as group, test } from "vitest";
import { chatRecord } from "../../../tests/support/load-run.ts";
import { STATISTIC_COLUMNS } from "../views/table-rows.ts";
import { evaluateSlo, meetsBounds, parseSlo } from "./slo.ts";

group("parseSlo", () => {
  test.each([
    ["ttft_p95<800ms", { metric: "ttft", statistic: "p95", comparison: "<", bound: 800 }],
    ["error_rate<1%", { metric: "error_rate", comparison: "<", bound: 0.01 }],
    ["error_rate <= 0.02", { metric: "error_rate", comparison: "<=", bound: 0.02 }],
    ["goodput>=0.95", { metric: "goodput_share", comparison: ">=", bound: 0.95 }],
    ["goodput>=95%", { metric: "goodput_share", comparison: ">=", bound: 0.95 }],
    ["goodput>10/s", { metric: "goodput", comparison: ">", bound: 10 }],
    ["icl_p99<=50ms", { metric: "icl", statistic: "p99", comparison: "<=", bound: 50 }],
    ["e2e_mean<2s", { metric: "e2e", statistic: "mean", comparison: "<", bound: 2_000 }],
    ["e2e_scheduled_p999<1.5m", { metric: "e2e_scheduled", statistic: "p999", comparison: "<", bound: 90_000 }],
    ["ttft_p99.9<2s", { metric: "ttft", statistic: "p999", comparison: "<", bound: 2_000 }],
    ["requests_per_s>10", { metric: "requests_per_s", comparison: ">", bound: 10 }],
    ["stall<=3", { metric: "stall", comparison: "<=", bound: 3 }],
    [" TTFT_p50 < 1s ", { metric: "ttft", statistic: "p50", comparison: "<", bound: 1_000 }],
  ])("reads %s", (text, expected) => {
    expect(parseSlo(text)).toEqual({ expr: text.trim(), ...expected });
  });

  test("takes every statistic that reports print, in the same spelling", () => {
    const printed = STATISTIC_COLUMNS.filter((column) => column !== "n");
    expect(printed).toContain("p99.9");
    for (const statistic of printed) expect(() => parseSlo(`icl_${statistic}<50ms`)).not.toThrow();
  });

  test.each([
    ["ttft_p95=800ms", /"ttft_p95=800ms" is not an SLO; write one such as/],
    ["", /"" is not an SLO/],
    ["ttft_p95<800", /not in its unit; write ttft_p95<800ms/],
    ["error_rate<10ms", /not in its unit; write error_rate<1%/],
    ["ttft<800ms", /ttft has many values; choose one, such as ttft_p95/],
    ["ttft_p96<800ms", /There is no metric ttft_p96 to bound; did you mean ttft_p9/],
    ["tfft_p95<800ms", /did you mean ttft_p95\?/],
    ["video_outcome<3", /no metric video_outcome/],
    ["ttft_p99.5<1s", /did you mean ttft_p99/],
    ["ttft<800ms", /p99, p99\.9\)/],
    ["constructor<3", /no metric constructor/],
    ["ttft_p95<-5ms", /is not an SLO/],
    ["error_rate<5", /bounds error_rate by 500%, and a share is at most 100%; write one such as error_rate<5%/],
    ["goodput>=101%", /a share is at most 100%/],
  ])("refuses %s and says what to write", (text, message) => {
    expect(() => parseSlo(text)).toThrow(message);
  });
});

group("evaluateSlo", () => {
  const metrics = { ttft: { unit: "ms", count: 150, mean: 90, p50: 90, p90: 100, min: 1, max: 120 } };
  test.each([
    ["ttft_p90<100ms", false],
    ["ttft_p90<=100ms", true],
    ["ttft_p90>=100ms", true],
    ["ttft_p90>100ms", false],
    ["ttft_max<1s", true],
  ])("%s is %s of a p90 of 100 ms", (text, ok) => {
    expect(evaluateSlo(parseSlo(text), metrics).ok).toBe(ok);
  });

  test("is undecided where the sample is too small for the percentile", () => {
    expect(evaluateSlo(parseSlo("ttft_p95<1s"), metrics)).toEqual({
      expr: "ttft_p95<1s",
      observed: null,
      ok: null,
      note: "too few samples: 150 of 200",
    });
  });

  test("is undecided where gaps are of too few requests", () => {
    const gaps = { icl: { unit: "ms", count: 90_000, requests: 150, mean: 9, p50: 9, p90: 9, min: 1, max: 12 } };
    expect(evaluateSlo(parseSlo("icl_p95<1s"), gaps)).toMatchObject({
      ok: null,
      note: "too few requests with gaps: 150 of 200",
    });
  });

  test("is undecided where nothing was measured", () => {
    expect(evaluateSlo(parseSlo("icl_p95<1s"), metrics)).toMatchObject({ ok: null, note: "icl was not measured" });
  });
});

group("meetsBounds", () => {
  const record = { ...chatRecord(0, 0, "measure"), ttft: 100, gaps_us: [10_000, 20_000, 90_000] };
  test.each([
    [["ttft_p95<101ms"], true],
    [["ttft_p95<100ms"], false],
    [["ttft_p95<101ms", "e2e_p50<1ms"], false],
    [["icl_p50<=20ms"], true],
    [["icl_p99<=20ms"], false],
    [["icl_mean<=40ms"], true],
    [["icl_mean<40ms"], false],
    [["error_rate<1%", "ttft_p50>500ms"], true],
  ])("a request meets %j: %s", (slos, met) => {
    expect(meetsBounds(record, slos.map(parseSlo))).toBe(met);
  });

  test("a request without the metric meets the bound", () => {
    const { gaps_us: _, ttft: __, ...embedding } = { ...record, op: "embeddings" as const };
    expect(meetsBounds(embedding, ["ttft_p95<1ms", "icl_p99<1ms"].map(parseSlo))).toBe(true);
  });
});
