import { expect, describe as group, test } from "vitest";
import type { SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { parseSlo, shareBeyond } from "../../../load/objectives/slo.ts";
import { okCounts } from "../../../tests/support/results/load-run.ts";
import type { Beyond } from "./beyond-bound.ts";
import { unitsNeeded } from "./decide-share.ts";
import { evaluateSlo, evaluateSlos, type Measured } from "./evaluate-slo.ts";

const evaluate = (text: string, metrics: Record<string, MetricResult>, unfinished = 0): SloResult =>
  evaluateSlo(parseSlo(text), metrics, { unfinished });

/** Compares a percentile of which so many samples are beyond the bound: certainly, and possibly. */
function ofBeyond(
  text: string,
  metrics: Record<string, MetricResult>,
  beyond: Partial<Beyond> & Pick<Beyond, "certain" | "count">,
): SloResult {
  const slo = parseSlo(text);
  const { certain } = beyond;
  const whole = {
    possible: certain,
    allowed: shareBeyond(slo) ?? Number.NaN,
    of: "request" as const,
    open: 0,
    ...beyond,
  };
  return evaluateSlo(slo, metrics, { unfinished: 0, beyond: () => whole });
}

group("a statistic", () => {
  const metrics = { ttft: { unit: "ms", count: 150, mean: 90, p50: 90, p90: 100, min: 1, max: 120 } };
  test.each([
    ["ttft_p90<120ms", 5, true],
    ["ttft_p90<101ms", 14, null],
    ["ttft_p90<99ms", 16, null],
    ["ttft_p90<80ms", 25, false],
    ["ttft_p90>=80ms", 120, true],
    ["ttft_p90>=99ms", 134, null],
    ["ttft_p90>=101ms", 136, null],
    ["ttft_p90>=120ms", 146, false],
  ])("a percentile is the share of requests beyond its bound: %s with %i of 150 is %s", (text, certain, ok) => {
    expect(ofBeyond(text, metrics, { certain, count: 150 })).toMatchObject({ ok, observed: 100 });
  });

  test("an extreme and a mean are statements about this run", () => {
    expect(evaluate("ttft_max<1s", metrics)).toMatchObject({ ok: true, note: "in this run" });
    expect(evaluate("ttft_mean<90ms", metrics)).toMatchObject({ ok: false, note: "in this run" });
  });

  test("a percentile that the sample is too small to print is decided by the same rule", () => {
    expect(ofBeyond("ttft_p95<1s", metrics, { certain: 0, count: 150 })).toEqual({
      expr: "ttft_p95<1s",
      observed: null,
      ok: true,
      note: "0% of 150 requests exceed the bound, 5% may",
    });
    expect(ofBeyond("ttft_p95<1s", metrics, { certain: 0, count: 50 })).toMatchObject({
      ok: null,
      note: "0% of 50 requests exceed the bound, 5% may: 9 more needed",
    });
    expect(ofBeyond("ttft_p95<1s", metrics, { certain: 4, count: 150 })).toMatchObject({
      ok: null,
      note: "2.7% of 150 requests exceed the bound, 5% may: about 110 more needed at this share",
    });
  });

  test("gaps count by request", () => {
    const gaps = { icl: { unit: "ms", count: 90_000, requests: 50, mean: 9, p50: 9, min: 1, max: 12 } };
    expect(ofBeyond("icl_p95<1s", gaps, { certain: 0, count: 50, withGaps: true })).toMatchObject({
      ok: null,
      note: "0% of 50 requests with gaps exceed the bound, 5% may: 9 more needed",
    });
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
    ["e2e_scheduled_max<2s", false, 4_000],
    ["e2e_scheduled_mean<2s", null, 900],
  ])("%s with arrivals that never started: %s", (text, ok, observed) => {
    expect(evaluate(text, censored)).toMatchObject({ ok, observed });
  });

  test("requests that did not start or end count against a percentile as far as they waited", () => {
    const open = { possible: 60, count: 200, open: 50 };
    expect(ofBeyond("e2e_scheduled_p90<1.5s", censored, { certain: 55, ...open })).toMatchObject({
      ok: false,
      observed: 1_500,
      note: "or more, not measurable: 50 of 200 arrivals never started",
    });
    expect(ofBeyond("e2e_scheduled_p90<1.5s", censored, { certain: 10, ...open })).toMatchObject({
      ok: null,
      note: "or more, not measurable: 50 of 200 arrivals never started; 5% to 30% exceed the bound, 10% may: 50 requests did not start or end",
    });
    expect(ofBeyond("e2e_scheduled_p50<500ms", censored, { certain: 10, ...open })).toMatchObject({
      ok: true,
      observed: 400,
    });
  });

  test("a load generator that was late leaves undecided what its lateness decides", () => {
    expect(ofBeyond("ttft_p90<100ms", metrics, { certain: 5, possible: 30, count: 150 })).toMatchObject({
      ok: null,
      note: "3.3% to 20% exceed the bound, 10% may: the load generator was late",
    });
  });

  test("confidence says how sure: 99%, or the figure of this run alone", () => {
    const decided = (certain: number, count: number) =>
      (["95%", "99%", "none"] as const).map((confidence) => {
        const beyond = () => ({ certain, possible: certain, count, allowed: 0.1, of: "request" as const, open: 0 });
        return evaluateSlo(parseSlo("ttft_p90<100ms"), metrics, { unfinished: 0, confidence, beyond }).ok;
      });
    expect(decided(8, 150)).toEqual([true, null, true]);
    expect(decided(14, 150)).toEqual([null, null, true]);
    expect(decided(16, 150)).toEqual([null, null, false]);
    expect(decided(22, 150)).toEqual([false, null, false]);
  });

  test.each([
    ["e2e_max<1s", false, "5,000 ms or more with 2 unfinished requests"],
    ["e2e_max<6s", null, "5,000 ms or more with 2 unfinished requests"],
    ["e2e_max<100ms", false, "in this run"],
  ])("counts units that were cut off as far as they came: %s is %s", (text, ok, note) => {
    const metrics = { e2e: { unit: "ms", count: 38, mean: 92, min: 80, p50: 90, max: 120 } };
    const possible = {
      e2e: { unit: "ms", count: 40, min: 80, p50: 95, notStarted: 2, atLeast: { mean: 200, p50: 90, max: 5_000 } },
    };
    expect(evaluateSlo(parseSlo(text), metrics, { unfinished: 2 }, possible)).toMatchObject({ ok, note });
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

  test.each([
    [30_000, "too few to decide: 294 more needed (--duration 30m)"],
    [12_000_000, "too few to decide: 294 more needed"],
    [undefined, "too few to decide: 294 more needed"],
  ])("of a load of %s ms names the duration that has them, up to a week", (lasts, note) => {
    const counts = { unfinished: 0, lasts };
    expect(evaluateSlo(parseSlo("error_rate<1%"), errors(0, 5), counts).note).toBe(`of 5 requests, ${note}`);
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

const COUNTS = okCounts(300);
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
      note: "of 300 ok requests; 1 request that did not start or end exceeded it too",
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
  const counts = okCounts(12);
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
