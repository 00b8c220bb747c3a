/**
 * Results of made-up loads of a target with a queue, compared with a simulation that goes on until everything is served.
 * It knows the latency of every arrival; the result knows those that ended in time.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunResult } from "../../formats/run.ts";
import { filesOf, type Overload, overloads, type Truth, truthOf } from "../../tests/support/results/overloaded-run.ts";
import { summarize } from "../../tests/support/results/summarize-run.ts";

const PER_MILLE = { p50: 500, p90: 900, p95: 950 } as const;
type Quantile = keyof typeof PER_MILLE;
type Statistic = Quantile | "min" | "mean" | "max";
const STATISTICS: readonly Statistic[] = ["min", "mean", "p50", "p90", "p95", "max"];
const LATENCIES = ["ttft", "e2e", "ttft_scheduled", "e2e_scheduled"] as const;
type Latency = (typeof LATENCIES)[number];

const isScheduled = (name: Latency): boolean => name.endsWith("scheduled");

/** Whether the arrival would have been ok in the end; those that never started count in what is measured from the schedule. */
const wouldBeOk = (name: Latency, { ending }: Truth): boolean =>
  ending === "ok" || ending === "unfinished" || (ending === "not_started" && isScheduled(name));

const latencyOf = (name: Latency, { ttft, e2e, sent, due }: Truth): number =>
  (name.startsWith("ttft") ? ttft : e2e) + (isScheduled(name) ? sent - due : 0);

/** Ascending; the request of an arrival whose scenario threw later was ok itself. */
function valuesOf(name: Latency, truth: readonly Truth[], { unfinished = true } = {}): number[] {
  const own = truth.filter(
    (one) =>
      one.measured && (wouldBeOk(name, one) || one.ending === "threw") && (unfinished || one.ending !== "unfinished"),
  );
  return own.map((one) => latencyOf(name, one)).sort((a, b) => a - b);
}

function statisticOf(values: readonly number[], statistic: Statistic): number {
  if (statistic === "mean") return values.reduce((sum, value) => sum + value, 0) / values.length;
  const rank = { min: 1, max: values.length }[statistic as "min" | "max"];
  return values[(rank ?? Math.ceil((values.length * PER_MILLE[statistic as Quantile]) / 1_000)) - 1] ?? Number.NaN;
}

const counted = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;
const FAILURES: readonly Truth["ending"][] = ["http_error", "threw", "no_request", "not_started"];

interface Case {
  readonly overload: Overload;
  readonly truth: readonly Truth[];
  /** The arrivals that were due in the measured window. */
  readonly due: readonly Truth[];
}

const cases: fc.Arbitrary<Case> = overloads.map((overload) => {
  const truth = truthOf(overload);
  return { overload, truth, due: truth.filter(({ measured }) => measured) };
});

/** A bound near a true value, so that a small error decides wrongly. */
const near = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), off: fc.constantFrom(-1, -0.5, 0, 0.5, 1) });
type Drawn<T> = T extends fc.Arbitrary<infer V> ? V : never;
const boundNear = (values: readonly number[], { at, off }: Drawn<typeof near>): number =>
  Math.max(0, (values[Math.floor(at * (values.length - 1))] ?? 100) + off);

const COMPARE = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;

/** What the objectives of a load are drawn from. */
const draws = fc.record({
  sign: fc.constantFrom("<", "<=", ">", ">=") as fc.Arbitrary<keyof typeof COMPARE>,
  where: near,
  isExact: fc.boolean(),
  /** Else the bounds for each request are objectives of their own. */
  isGoodput: fc.boolean(),
  good: fc.constantFrom(...LATENCIES),
  off: fc.integer({ min: -1, max: 1 }),
});
type Draws = Drawn<typeof draws>;

/** An objective, and whether the complete truth meets it. */
interface Expected {
  readonly slo: string;
  readonly met: boolean;
}

function onStatistics({ truth }: Case, { sign, where, isExact }: Draws): Expected[] {
  return LATENCIES.flatMap((name) => {
    const values = valuesOf(name, truth);
    return (values.length === 0 ? [] : STATISTICS).map((statistic) => {
      const true_ = statisticOf(values, statistic);
      const bound = isExact ? Math.max(0, true_ + where.off) : boundNear(values, where);
      return { slo: `${name}_${statistic}${sign}${bound}ms`, met: COMPARE[sign](true_, bound) };
    });
  });
}

function onEachRequest({ due }: Case, { sign, where, isExact }: Draws): Expected[] {
  return LATENCIES.flatMap((name) => {
    const could = due.filter((arrival) => wouldBeOk(name, arrival));
    // Where all that ended meet the bound, it is those that did not end that could miss it.
    const known = isExact ? could.filter(({ ending }) => ending === "ok") : could;
    const values = known.map((arrival) => latencyOf(name, arrival)).sort((a, b) => a - b);
    const bound = boundNear(values, { at: isExact ? Number(sign.startsWith("<")) : where.at, off: where.off });
    const met = could.every((arrival) => COMPARE[sign](latencyOf(name, arrival), bound));
    return could.length === 0 ? [] : [{ slo: `${name}${sign}${bound}ms`, met }];
  });
}

const isOk = ({ ending }: Truth): boolean => ending === "ok" || ending === "unfinished";

/** A share of the arrivals that were due, near the true one. */
function shareNear(figure: string, count: number, { due }: Case, { sign, off }: Draws): Expected {
  const limit = Math.min(1, Math.max(0, (count + off) / due.length));
  return { slo: `${figure}${sign}${limit}`, met: COMPARE[sign](count / due.length, limit) };
}

function onCounts(one: Case, drawn: Draws): Expected[] {
  const { sign, off } = drawn;
  const failed = counted(one.due, ({ ending }) => FAILURES.includes(ending));
  const ok = counted(one.due, isOk);
  const bound = Math.max(0, ok + off);
  return one.due.length === 0
    ? []
    : [shareNear("error_rate", failed, one, drawn), { slo: `ok${sign}${bound}`, met: COMPARE[sign](ok, bound) }];
}

/** Goodput under one bound for each request. */
function onGoodput(one: Case, drawn: Draws): { readonly expected: Expected[]; readonly bound: string } {
  const { due, truth, overload } = one;
  const { sign, off, good, where } = drawn;
  const bound = boundNear(valuesOf(good, truth), where);
  const isGood = (arrival: Truth): boolean => isOk(arrival) && latencyOf(good, arrival) <= bound;
  const [from, to] = [overload.warmup, overload.end];
  const rate = counted(truth, (one) => isGood(one) && one.end >= from && one.end <= to) / ((to - from) / 1_000);
  const limit = Math.max(0, rate + off / 7);
  const ofRate = { slo: `goodput${sign}${limit}/s`, met: COMPARE[sign](rate, limit) };
  const expected = due.length === 0 ? [] : [shareNear("goodput", counted(due, isGood), one, drawn), ofRate];
  return { expected, bound: `${good}<=${bound}ms` };
}

/** What started, failed and was cut off, and what was delivered in the window. */
function expectCounts({ due, truth, overload: { warmup, end } }: Case, { counts, metrics, durationS }: RunResult) {
  const of = (...endings: Truth["ending"][]) => counted(due, ({ ending }) => endings.includes(ending));
  if (of("no_request", "not_started") === due.length) return;
  expect(counts).toMatchObject({
    offered: due.length,
    not_started: of("not_started"),
    unfinished: of("unfinished"),
    failed: of(...FAILURES),
    ok: of("ok"),
  });
  const ended = counted(truth, ({ ending, end: at }) => ending === "ok" && at >= warmup && at <= end);
  expect(metrics["requests_per_s"]?.value).toBeCloseTo(ended / durationS, 9);
  expect(metrics["error_rate"]?.value).toBe(of(...FAILURES) / due.length);
}

/** A figure that can be measured is the true one, and bounds enclose it. */
function expectLatencies({ truth }: Case, { metrics }: RunResult): void {
  for (const name of LATENCIES) {
    const values = valuesOf(name, truth, { unfinished: false });
    const result = metrics[name];
    if (result === undefined) continue;
    expect(result.count).toBe(values.length);
    for (const statistic of STATISTICS) {
      const [true_, low, high] = [statisticOf(values, statistic), result.atLeast?.[statistic], result[statistic]];
      const told = `${name}_${statistic}`;
      if (low === undefined && high !== undefined) expect(high, told).toBeCloseTo(true_, 9);
      if (low !== undefined) expect(low, told).toBeLessThanOrEqual(true_ + 1e-9);
      if (high !== undefined) expect(high, told).toBeGreaterThanOrEqual(true_ - 1e-9);
    }
  }
}

test("of an overloaded target, counts, latencies and bounds agree with a simulation of its queue; no objective is met that the complete truth misses, nor missed that it meets", async () => {
  const property = fc.asyncProperty(cases, draws, async (one, drawn) => {
    const goodput = drawn.isGoodput ? onGoodput(one, drawn) : undefined;
    const expected = [
      ...onStatistics(one, drawn),
      ...onCounts(one, drawn),
      ...(goodput?.expected ?? onEachRequest(one, drawn)),
    ];
    const slos = [...expected.map(({ slo }) => slo), ...(goodput ? [goodput.bound] : [])];
    const run = await summarize([filesOf(one.overload)], { slos });
    expectCounts(one, run);
    expectLatencies(one, run);
    // An objective may be undecided.
    const wrong = expected.filter(({ met }, index) => run.slos[index]?.ok === !met);
    expect(wrong.map(({ slo, met }) => ({ slo, met, result: run.slos.find(({ expr }) => expr === slo) }))).toEqual([]);
  });
  // Runs of hundreds of arrivals take too long to shrink.
  await fc.assert(property, { numRuns: 60, endOnFailure: true });
});
