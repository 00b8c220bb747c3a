import { expect, test } from "vitest";
import type { MetricResult } from "../../../formats/run.ts";
import { parseSlo } from "../../../scenarios/slo.ts";
import { evaluateWithDrops } from "./slo-not-started.ts";

/** 100 arrivals, 60 started, 57 of them ok. */
const COUNTS = {
  ...{ offered: 100, started: 60, not_started: 40, completed: 60, unfinished: 0, ok: 57, failed: 43 },
  outcomes: { ok: 57, timeout: 3, not_started: 40 },
};
const METRICS: Readonly<Record<string, MetricResult>> = {
  error_rate: { unit: "share", count: 100, value: 0.43 },
  goodput_share: { unit: "share", count: 100, value: 0.57 },
  requests_per_s: { unit: "1/s", count: 57, value: 5.7 },
  ok: { unit: "count", count: 60, value: 57 },
  e2e: { unit: "ms", count: 57, mean: 300, max: 900 },
};

const evaluate = (expr: string, counts = COUNTS) =>
  evaluateWithDrops([parseSlo(expr)], () => ({ metrics: METRICS, counts, bounds: [] }))[0];

test.each<[string, boolean | null]>([
  ["error_rate<1%", false],
  ["error_rate<6%", null],
  ["error_rate<60%", true],
  ["goodput>=90%", null],
  ["goodput>=99%", false],
  ["requests_per_s>9", null],
  ["requests_per_s>10", false],
  ["requests_per_s<9", null],
  ["ok>=1", true],
  ["ok>=80", null],
  ["e2e_max<1s", true],
  ["ttft_mean<1s", null],
])("%s of a run that dropped arrivals: %s", (expr, ok) => {
  expect(evaluate(expr)?.ok).toBe(ok);
});

test("an objective that depends on them says so, and what was observed", () => {
  expect(evaluate("error_rate<6%")).toEqual({
    expr: "error_rate<6%",
    observed: 0.43,
    ok: null,
    note: "depends on 40 arrivals that never started; whether the target or the load generator was too slow for them is not known",
  });
});

test("without drops every objective is decided", () => {
  const none = { ...COUNTS, offered: 60, not_started: 0 };
  expect(evaluate("error_rate<6%", none)?.ok).toBe(false);
});
