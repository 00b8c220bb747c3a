import { expect, describe as group, test } from "vitest";
import type { Counts, SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { unitsNeeded } from "./decide-share.ts";
import { evaluateSlo, evaluateSlos, type Measured } from "./evaluate-slo.ts";

const evaluate = (text: string, metrics: Record<string, MetricResult>, unfinished = 0): SloResult =>
  evaluateSlo(parseSlo(text), metrics, { unfinished });

group("a statistic", () => {
  const metrics = { ttft: { unit: "ms", count: 150, mean: 90, p50: 90, p90: 100, min: 1, max: 120 } };
  test.each([
    ["ttft_p90<100ms", false],
    ["ttft_p90<=100ms", true],
    ["ttft_p90>=100ms", true],
    ["ttft_p90>100ms", false],
    ["ttft_max<1s", true],
  ])("%s is %s of a p90 of 100 ms", (text, ok) => {
    expect(evaluate(text, metrics).ok).toBe(ok);
  });

  test("is undecided where the sample is too small for the percentile", () => {
    expect(evaluate("ttft_p95<1s", metrics)).toEqual({
      expr: "ttft_p95<1s",
      observed: null,
      ok: null,
      note: "too few samples: 150 of 200",
    });
  });

  test("is undecided where gaps are of too few requests", () => {
    const gaps = { icl: { unit: "ms", count: 90_000, requests: 150, mean: 9, p50: 9, p90: 9, min: 1, max: 12 } };
    expect(evaluate("icl_p95<1s", gaps)).toMatchObject({ ok: null, note: "too few requests with gaps: 150 of 200" });
  });

  test("is undecided where nothing was measured", () => {
    expect(evaluate("icl_p95<1s", metrics)).toMatchObject({ ok: null, note: "icl was not measured" });
    expect(evaluate("goodput>=95%", metrics).note).toBe(
      "goodput_share needs a per-request objective such as --slo 'ttft<800ms'",
    );
  });

  const censored = {
    e2e_scheduled: {
      unit: "ms",
      count: 200,
      p50: 400,
      min: 1,
      notStarted: 50,
      atLeast: { mean: 900, p90: 1_500, max: 4_000 },
    },
  };
  test.each([
    ["e2e_scheduled_p50<500ms", true, 400],
    ["e2e_scheduled_p90<1.5s", false, 1_500],
    ["e2e_scheduled_p90<=1.5s", null, 1_500],
    ["e2e_scheduled_p90<2s", null, 1_500],
    ["e2e_scheduled_max<2s", false, 4_000],
    ["e2e_scheduled_mean<2s", null, 900],
    ["e2e_scheduled_p90>1s", true, 1_500],
    ["e2e_scheduled_p90>2s", null, 1_500],
  ])("%s with arrivals that never started: %s", (text, ok, observed) => {
    expect(evaluate(text, censored)).toMatchObject({ ok, observed });
  });

  test("is undecided where what never started could lie on both sides of the bound", () => {
    const open = { e2e_scheduled: { unit: "ms", count: 40, p50: 190, min: 1, notStarted: 8, atLeast: { p50: 180 } } };
    expect(evaluate("e2e_scheduled_p50<185ms", open)).toMatchObject({
      ok: null,
      observed: 190,
      note: "180.0 ms to 190.0 ms with 8 arrivals that never started",
    });
    expect(evaluate("e2e_scheduled_p50<180ms", open).ok).toBe(false);
    expect(evaluate("e2e_scheduled_p50<200ms", open).ok).toBe(true);
  });

  test.each([
    ["e2e_p50<100ms", true, undefined],
    ["e2e_p50<91ms", null, "90.00 ms to 95.00 ms with 2 unfinished requests"],
    ["e2e_max<1s", false, "5,000 ms or more with 2 unfinished requests"],
    ["e2e_max<6s", null, "5,000 ms or more with 2 unfinished requests"],
    ["e2e_max<100ms", false, undefined],
  ])("counts units that were cut off as far as they came: %s is %s", (text, ok, note) => {
    const metrics = { e2e: { unit: "ms", count: 38, mean: 92, min: 80, p50: 90, max: 120 } };
    const possible = {
      e2e: { unit: "ms", count: 40, min: 80, p50: 95, notStarted: 2, atLeast: { mean: 200, p50: 90, max: 5_000 } },
    };
    expect(evaluateSlo(parseSlo(text), metrics, { unfinished: 2 }, possible)).toMatchObject({
      ok,
      ...(note && { note }),
    });
  });

  test("that cannot be measured says why", () => {
    expect(evaluate("e2e_scheduled_p90<2s", censored).note).toBe(
      "or more, not measurable: 50 of 200 arrivals never started",
    );
  });
});

group("a share", () => {
  const errors = (value: number, count: number) => ({ error_rate: { unit: "share", count, value } });

  test.each([
    [0.01, 299],
    [0.05, 59],
    [0.5, 5],
    [0, 1],
  ])("of at most %s needs %i units", (allowed, units) => {
    expect(unitsNeeded(allowed)).toBe(units);
    if (allowed > 0) expect((1 - allowed) ** units).toBeLessThanOrEqual(0.05);
    if (allowed > 0) expect((1 - allowed) ** (units - 1)).toBeGreaterThan(0.05);
  });

  test.each([
    ["error_rate<1%", 0, 5, null],
    ["error_rate<1%", 0, 298, null],
    ["error_rate<1%", 0, 299, true],
    ["error_rate<1%", 1 / 300, 300, null],
    ["error_rate<1%", 2 / 300, 300, null],
    ["error_rate<1%", 2 / 628, 628, true],
    ["error_rate<1%", 0.02, 100, null],
    ["error_rate<1%", 0.2, 5, false],
    ["error_rate<1%", 1, 1, false],
    ["error_rate<=0%", 0, 5, true],
    ["error_rate<=0%", 0.01, 100, false],
    ["error_rate<0%", 0, 5, false],
    ["error_rate<50%", 0, 5, true],
  ])("%s of %d in %i units: %s", (text, value, count, ok) => {
    expect(evaluate(text, errors(value, count))).toMatchObject({ observed: value, ok });
  });

  test("says how many more units it needs", () => {
    expect(evaluate("error_rate<1%", errors(0, 5)).note).toBe("of 5 requests, too few to decide: 294 more needed");
    expect(evaluate("error_rate<1%", errors(2 / 300, 300)).note).toBe(
      "of 300 requests, too few to decide: about 2,200 more needed at this share",
    );
    expect(evaluate("error_rate<1%", errors(0.01, 300)).note).toBe("of 300 requests, too close to the bound to decide");
  });

  test("of goodput needs as many for what it allows", () => {
    const good = (count: number) => ({ goodput_share: { unit: "share", count, value: 1 } });
    expect(evaluate("goodput>=95%", good(58)).ok).toBeNull();
    expect(evaluate("goodput>=95%", good(59)).ok).toBe(true);
  });

  test("is undecided while unfinished requests could change it", () => {
    expect(evaluate("error_rate<1%", errors(0.002, 1_000), 2).ok).toBe(true);
    expect(evaluate("error_rate<1%", errors(0.002, 1_000), 3)).toMatchObject({
      ok: null,
      note: "up to 0.5% with 3 unfinished requests",
    });
    expect(evaluate("error_rate<1%", errors(0.02, 1_000), 5).ok).toBe(false);
  });
});

test.each([
  ["ok>=100", null],
  ["ok>=98", true],
  ["ok>=101", false],
  ["ok<99", null],
])("the number of ok requests is undecided while unfinished ones could change it: %s is %s", (text, ok) => {
  expect(evaluate(text, { ok: { unit: "count", count: 105, value: 98 } }, 2).ok).toBe(ok);
});

group("ends of video tasks", () => {
  test("are undecided while unfinished tasks could change them", () => {
    const cut = { video_outcome: { unit: "count", count: 100, parts: { completed: 94, failed: 4, unfinished: 2 } } };
    expect(evaluate("video_outcome_completed>=98%", cut)).toMatchObject({
      ok: null,
      note: "up to 96% with 2 unfinished requests",
    });
    expect(evaluate("video_outcome_failed<=5", cut).ok).toBeNull();
    expect(evaluate("video_outcome_completed>=99.5%", cut).ok).toBe(false);
  });

  const tasks = { video_outcome: { unit: "count", count: 100, parts: { completed: 96, failed: 4 } } };
  test.each([
    ["video_outcome_failed<5%", null, 0.04],
    ["video_outcome_failed<10%", true, 0.04],
    ["video_outcome_failed<=3", false, 4],
    ["video_outcome_timed_out<=0", true, 0],
    ["video_outcome_completed>=90%", true, 0.96],
    ["video_outcome_failed<1%", false, 0.04],
  ])("%s: %s", (text, ok, observed) => {
    expect(evaluate(text, tasks)).toMatchObject({ ok, observed });
  });

  test("a share of few tasks is undecided", () => {
    const few = { video_outcome: { unit: "count", count: 12, parts: { completed: 12 } } };
    expect(evaluate("video_outcome_failed<5%", few)).toMatchObject({ ok: null });
  });
});

const COUNTS: Counts = {
  offered: 300,
  started: 300,
  not_started: 0,
  completed: 300,
  unfinished: 0,
  ok: 300,
  failed: 0,
  outcomes: { ok: 300 },
};
const measured = (met: number, unknown = 0): Measured => ({
  counts: COUNTS,
  metrics: { goodput_share: { unit: "share", count: 300, value: met / 300 } },
  bounds: [{ met, unknown, of: 300, exceeded: 0, open: 0, mayMeet: 0, mayMiss: 0 }],
});

group("a bound for each request", () => {
  test("must be met by every ok unit of work", () => {
    const [missed] = evaluateSlos([parseSlo("ttft<800ms")], () => measured(297));
    expect(missed).toEqual({ expr: "ttft<800ms", observed: 0.99, ok: false, note: "of 300 ok requests" });
    expect(evaluateSlos([parseSlo("ttft<800ms")], () => measured(300))[0]?.ok).toBe(true);
  });

  test("is missed by a unit that exceeded it before it was cut off, and not known of one that had not", () => {
    const open = (exceeded: number) => ({
      ...measured(300),
      bounds: [{ met: 300, unknown: 0, of: 300, exceeded, open: 2, mayMeet: 0, mayMiss: 0 }],
    });
    expect(evaluateSlos([parseSlo("ttft<800ms")], () => open(0))[0]).toMatchObject({
      ok: null,
      note: "of 300 ok requests; not known of 2 requests that did not start or end",
    });
    expect(evaluateSlos([parseSlo("ttft<800ms")], () => open(1))[0]).toMatchObject({
      ok: false,
      note: "of 300 ok requests; 1 request that did not start or end had exceeded it too",
    });
  });

  test("is a criterion, and no objective, beside one on goodput", () => {
    const results = evaluateSlos(["goodput>=95%", "ttft<800ms"].map(parseSlo), () => measured(297));
    expect(results).toEqual([
      { expr: "goodput>=95%", observed: 0.99, ok: true },
      { expr: "ttft<800ms", observed: 0.99, ok: null, criterion: true, note: "of 300 ok requests" },
    ]);
  });

  test("is undecided when records do not tell, or nothing was measured", () => {
    expect(evaluateSlos([parseSlo("icl<50ms")], () => measured(299, 1))[0]).toMatchObject({ ok: null, observed: null });
    const none = {
      ...measured(0),
      bounds: [{ met: 0, unknown: 0, of: 0, exceeded: 0, open: 0, mayMeet: 0, mayMiss: 0 }],
    };
    expect(evaluateSlos([parseSlo("ttft<800ms")], () => none)[0]?.note).toBe("ttft was not measured");
  });

  test("of a part that had no arrival is undecided", () => {
    const [result] = evaluateSlos([parseSlo("chat.ok>=1")], () => undefined);
    expect(result).toMatchObject({ ok: null, note: "chat was not measured" });
  });
});

group("a count of a run that was interrupted could only have grown:", () => {
  const counts: Counts = {
    ...{ offered: 12, started: 12, not_started: 0, completed: 12, unfinished: 0, ok: 12, failed: 0 },
    outcomes: { ok: 12 },
  };
  const metrics = {
    ok: { unit: "count", count: 12, value: 12 },
    stall: { unit: "count", count: 90, value: 3 },
    video_outcome: { unit: "count", count: 9, parts: { orphaned: 1, completed: 8 } },
    e2e: { unit: "ms", count: 12, mean: 80, min: 1, max: 120 },
  };
  const cutShort = { metrics, counts, bounds: [], isCutShort: true };

  test.each([
    ["ok>=20", null],
    ["ok>=10", true],
    ["stall<=5", null],
    ["stall<=2", false],
    ["video_outcome_orphaned<=2", null],
    ["video_outcome_orphaned<=0", false],
    ["e2e_max<100ms", false],
  ])("%s is %s", (text, ok) => {
    const [result] = evaluateSlos([parseSlo(text)], () => cutShort);
    expect(result).toMatchObject({ ok, ...(ok === null && { note: "until the run was interrupted" }) });
    const whole = evaluateSlos([parseSlo(text)], () => ({ ...cutShort, isCutShort: false }))[0]?.ok;
    expect(whole).toBe(ok ?? text !== "ok>=20");
  });
});
