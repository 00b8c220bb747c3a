/**
 * Results of made-up loads of a target with a queue, compared with a simulation that goes on until everything is served.
 * It knows the latency of every arrival; the result knows those that ended in time.
 */

import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
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

const resultOf = ({ overload }: Case, slos: readonly string[] = []): Promise<RunResult> =>
  summarize([filesOf(overload)], { slos });

/** How often a property is tried; runs of hundreds of arrivals take too long to shrink. */
const RUNS = { numRuns: 60, endOnFailure: true };

group("the result of an overloaded target agrees with a simulation of its queue", () => {
  test("on what started, failed and was cut off, and on what was delivered in the window", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { counts, metrics, durationS } = await resultOf(one);
        const of = (...endings: Truth["ending"][]) => counted(one.due, ({ ending }) => endings.includes(ending));
        if (of("no_request", "not_started") === one.due.length) return;
        expect(counts).toMatchObject({
          offered: one.due.length,
          not_started: of("not_started"),
          unfinished: of("unfinished"),
          failed: of(...FAILURES),
          ok: of("ok"),
        });
        const { warmup, end } = one.overload;
        const ended = counted(one.truth, ({ ending, end: at }) => ending === "ok" && at >= warmup && at <= end);
        expect(metrics["requests_per_s"]?.value).toBeCloseTo(ended / durationS, 9);
        expect(metrics["error_rate"]?.value).toBe(of(...FAILURES) / one.due.length);
      }),
      RUNS,
    );
  });

  test("on every latency: a figure that can be measured is the true one, and bounds enclose it", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { metrics } = await resultOf(one);
        for (const name of LATENCIES) {
          const values = valuesOf(name, one.truth, { unfinished: false });
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
      }),
      RUNS,
    );
  });
});

/** A bound near a true value, so that a small error decides wrongly. */
const near = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), off: fc.constantFrom(-1, -0.5, 0, 0.5, 1) });
interface Near {
  readonly at: number;
  readonly off: number;
}
const boundNear = (values: readonly number[], { at, off }: Near): number =>
  Math.max(0, (values[Math.floor(at * (values.length - 1))] ?? 100) + off);

const COMPARE = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;
const comparison = fc.constantFrom("<", "<=", ">", ">=") as fc.Arbitrary<keyof typeof COMPARE>;

/** An objective, and whether the complete truth meets it. */
interface Expected {
  readonly slo: string;
  readonly met: boolean;
}

/** No objective is met that the truth misses, or missed that the truth meets; it may be undecided. */
async function expectSound(one: Case, expected: readonly Expected[], more: readonly string[] = []): Promise<void> {
  const { slos } = await resultOf(one, [...expected.map(({ slo }) => slo), ...more]);
  const wrong = expected.filter(({ met }, index) => slos[index]?.ok === !met);
  expect(wrong.map(({ slo, met }) => ({ slo, met, result: slos.find(({ expr }) => expr === slo) }))).toEqual([]);
}

group("an objective is never met that the complete truth misses, nor missed that it meets", () => {
  test("on a statistic of latencies", async () => {
    await fc.assert(
      fc.asyncProperty(cases, comparison, near, fc.boolean(), async (one, sign, where, exact) => {
        const expected = LATENCIES.flatMap((name) => {
          const values = valuesOf(name, one.truth);
          if (values.length === 0) return [];
          return STATISTICS.map((statistic): Expected => {
            const true_ = statisticOf(values, statistic);
            const bound = exact ? Math.max(0, true_ + where.off) : boundNear(values, where);
            return { slo: `${name}_${statistic}${sign}${bound}ms`, met: COMPARE[sign](true_, bound) };
          });
        });
        await expectSound(one, expected);
      }),
      RUNS,
    );
  });

  test("on a bound that holds for each request", async () => {
    await fc.assert(
      fc.asyncProperty(cases, comparison, near, async (one, sign, where) => {
        const expected = LATENCIES.flatMap((name): Expected[] => {
          const values = one.due
            .filter((arrival) => wouldBeOk(name, arrival))
            .map((arrival) => latencyOf(name, arrival));
          const bound = boundNear(
            values.sort((a, b) => a - b),
            where,
          );
          return values.length === 0
            ? []
            : [{ slo: `${name}${sign}${bound}ms`, met: values.every((value) => COMPARE[sign](value, bound)) }];
        });
        await expectSound(one, expected);
      }),
      RUNS,
    );
  });

  test("on counts, shares and rates of requests", async () => {
    const inputs = [cases, comparison, near, fc.constantFrom(...LATENCIES), fc.integer({ min: -1, max: 1 })] as const;
    await fc.assert(
      fc.asyncProperty(...inputs, async (one, sign, where, name, off) => {
        const bound = boundNear(valuesOf(name, one.truth), where);
        const isOk = ({ ending }: Truth) => ending === "ok" || ending === "unfinished";
        const isGood = (arrival: Truth) => isOk(arrival) && latencyOf(name, arrival) <= bound;
        if (one.due.length === 0) return;
        const of = (is: (arrival: Truth) => boolean) => counted(one.due, is);
        const share = (figure: string, value: number): Expected => {
          const limit = Math.min(1, Math.max(0, (value + off) / one.due.length));
          return { slo: `${figure}${sign}${limit}`, met: COMPARE[sign](value / one.due.length, limit) };
        };
        const { warmup, end } = one.overload;
        const delivered = counted(
          one.truth,
          (arrival) => isGood(arrival) && arrival.end >= warmup && arrival.end <= end,
        );
        const rate = delivered / ((end - warmup) / 1_000);
        const limit = Math.max(0, rate + off / 7);
        const ok = Math.max(0, of(isOk) + off);
        const expected = [
          share(
            "error_rate",
            of(({ ending }) => FAILURES.includes(ending)),
          ),
          share("goodput", of(isGood)),
          { slo: `goodput${sign}${limit}/s`, met: COMPARE[sign](rate, limit) },
          { slo: `ok${sign}${ok}`, met: COMPARE[sign](of(isOk), ok) },
        ];
        await expectSound(one, expected, [`${name}<=${bound}ms`]);
      }),
      RUNS,
    );
  });
});
