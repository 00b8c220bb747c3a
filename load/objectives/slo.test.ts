import { expect, describe as group, test } from "vitest";
import { STATISTIC_COLUMNS } from "../../reports/load/views/table-rows.ts";
import { metric } from "./metrics.ts";
import { checkObjectives, parseSlo, type Slo } from "./slo.ts";

group("parseSlo", () => {
  test.each<[string, Partial<Slo> & Pick<Slo, "metric">]>([
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
    ["ttft<800ms", { metric: "ttft", each: true, comparison: "<", bound: 800 }],
    ["icl<=0.1s", { metric: "icl", each: true, comparison: "<=", bound: 100 }],
    ["chat.error_rate<1%", { metric: "error_rate", part: "chat", comparison: "<", bound: 0.01 }],
    [
      "Chat-Stream.ttft_p99.9<2s",
      { metric: "ttft", part: "chat-stream", statistic: "p999", comparison: "<", bound: 2_000 },
    ],
    ["tasks_per_s>=2", { metric: "tasks_per_s", comparison: ">=", bound: 2 }],
    [
      "video_outcome_failed<5%",
      { metric: "video_outcome", end: "failed", unit: "share", comparison: "<", bound: 0.05 },
    ],
    [
      "video.video_outcome_timed_out<=2",
      { metric: "video_outcome", part: "video", end: "timed_out", unit: "count", comparison: "<=", bound: 2 },
    ],
    [
      "ttft_p95<800ms in every 1m",
      { metric: "ttft", statistic: "p95", comparison: "<", bound: 800, within: { windowMs: 60_000, share: 1 } },
    ],
    [
      "chat.error_rate<1% in 95% of 10s",
      { metric: "error_rate", part: "chat", comparison: "<", bound: 0.01, within: { windowMs: 10_000, share: 0.95 } },
    ],
    [" TTFT_p50 < 1s ", { metric: "ttft", statistic: "p50", comparison: "<", bound: 1_000 }],
  ])("reads %s", (text, expected) => {
    expect(parseSlo(text)).toEqual({ expr: text.trim(), unit: metric(expected.metric).unit, ...expected });
  });

  test("takes every statistic that reports print, in the same spelling", () => {
    const printed = STATISTIC_COLUMNS.filter((column) => column !== "n");
    expect(printed).toContain("p99.9");
    for (const statistic of printed) expect(() => parseSlo(`icl_${statistic}<50ms`)).not.toThrow();
  });

  test.each([
    ["ttft_p95=800ms", /"ttft_p95=800ms" is not an SLO; write one such as/],
    ["", /"" is not an SLO/],
    ["ttft<800ms in every 10s", /"ttft<800ms in every 10s" bounds each request; name a statistic/],
    ["recovery>3s", /asks for a slow recovery/],
    ["icl_p99<50ms in every 10s", /bounds icl, which is measured of the whole run only/],
    ["requests_per_s>10 in every 10s", /bounds requests_per_s, which is measured of the whole run only/],
    ["error_rate<1% in every 500ms", /has windows shorter than 1s/],
    ["error_rate<1% in every minute", /"minute" is not a duration/],
    ["error_rate<1% in 0% of 10s", /a share of windows that is not from 0% to 100%/],
    ["error_rate<1% in 120% of 10s", /a share of windows that is not from 0% to 100%/],
    ["error_rate<1% in most 10s", /is not an SLO/],
    ["ttft_p95<800", /not in its unit; write ttft_p95<800ms/],
    ["error_rate<10ms", /not in its unit; write error_rate<1%/],
    ["schedule_lag<5ms", /no metric schedule_lag to bound; did you mean schedule_lag_/],
    ["slot_wait<5ms", /no metric slot_wait to bound/],
    ["ttft_p96<800ms", /There is no metric ttft_p96 to bound; did you mean ttft_p9/],
    ["tfft_p95<800ms", /did you mean ttft_p95\?/],
    ["video_outcome<3", /no metric video_outcome to bound/],
    ["video_outcome_lost<3", /no metric video_outcome_lost/],
    ["video_outcome_failed<5s", /not in its unit/],
    ["ttft_p99.5<1s", /did you mean ttft_p99/],
    ["constructor<3", /no metric constructor/],
    ["ttft_p95<-5ms", /is not an SLO/],
    ["error_rate<5", /bounds error_rate by 500%, and a share is at most 100%; write one such as error_rate<5%/],
    ["goodput>=101%", /a share is at most 100%/],
  ])("refuses %s and says what to write", (text, message) => {
    expect(() => parseSlo(text)).toThrow(message);
  });
});

test("an objective on goodput needs a bound for each request, of its workload", () => {
  const check =
    (...slos: string[]) =>
    () =>
      checkObjectives(slos.map(parseSlo), [{ name: "chat" }, { name: "video" }]);
  const refused = `"goodput>=95%" is an objective on goodput, which needs a per-request objective such as --slo 'ttft<800ms'; add one`;
  expect(check("goodput>=95%", "ttft_p95<800ms")).toThrow(refused);
  expect(check("goodput>=95%", "chat.e2e<800ms")).not.toThrow();
  expect(check("chat.goodput>=5/s", "video.video_work<1m")).toThrow("needs a per-request objective");
  expect(check("chat.goodput>=5/s", "e2e<1s")).not.toThrow();
});

test("an objective for a workload needs a load with that workload", () => {
  const slos = ["ok>=1", "chat.error_rate<1%"].map(parseSlo);
  expect(() => checkObjectives(slos, [{ name: "chat" }, { name: "video" }])).not.toThrow();
  expect(() => checkObjectives(slos, [{ name: "chats" }])).toThrow(
    'there is no workload of that name. Did you mean "chats"?',
  );
  expect(() => checkObjectives(slos, undefined)).toThrow("the load has one workload; write error_rate<1%");
});
