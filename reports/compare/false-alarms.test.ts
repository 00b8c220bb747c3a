/**
 * Simulations of pairs of runs with known truth: how often two runs of the same system raise an alarm, and how often a slowdown
 * of the size that a comparison states as detectable is shown. `npm run prove` simulates 2,000 pairs of each kind.
 */

import { afterAll, expect, describe as group, test } from "vitest";
import { type Random, randomFrom } from "../../tests/support/results/random-numbers.ts";
import { BlockResamples } from "./stats/block-resamples.ts";
import { ValueSample } from "./stats/blocked-sample.ts";
import type { Change } from "./stats/change.ts";
import { detectable } from "./stats/detectable.ts";
import { GapSample } from "./stats/gap-sample.ts";
import { containsZero, holm } from "./stats/holm.ts";
import { quantileChange, type SampleBounds } from "./stats/quantile-change.ts";
import { rateChange } from "./stats/rate-change.ts";
import { withRunToRun } from "./stats/run-to-run.ts";
import { shareChange } from "./stats/share-change.ts";

const ALL = process.env["ASSAY_PROVE"] === "all";
const PAIRS = ALL ? 2_000 : 30;
const LONG = ALL ? 600_000 : 60_000;
/** What chance adds to a share of so few pairs, three times its standard error. */
const chance = (share: number): number => (ALL ? 0 : 3 * Math.sqrt((share * (1 - share)) / PAIRS));
const FALSE_ALARMS = 0.06;
const DETECTED = 0.94;
const ALPHA = 0.05;
const BLOCKS = 40;

/** A system under load. Times in seconds; latencies in milliseconds. */
interface System {
  readonly seconds: number;
  /** Requests of a run. */
  readonly requests: number;
  /** How long its state lasts: latencies within this time are alike. 0: independent. */
  readonly memory: number;
  /** A latency, from a normally distributed number that is the state of the system, and chance of its own. */
  readonly latency: (state: number, random: Random) => number;
  readonly errors: number;
  /** Share of arrivals that never start, the last ones of the run. */
  readonly notStarted?: number;
  /** How runs of it differ from each other: standard deviation of the logarithm of a factor. */
  readonly runToRun?: number;
  /** Whether gaps between chunks are compared too. */
  readonly gaps?: true;
  /** Its quantiles take few values, so that the interval of no change is that value alone, and no size is stated. */
  readonly coarse?: true;
}

const lognormal = (state: number): number => 100 * Math.exp(0.5 * state);
const BASE: System = { seconds: 60, requests: 1_200, memory: 0, latency: lognormal, errors: 0.01 };

const SYSTEMS: Readonly<Record<string, System>> = {
  "independent latencies": { ...BASE, gaps: true },
  "latencies that are alike for half a second": { ...BASE, memory: 0.5, gaps: true },
  "latencies that are alike for two seconds": { ...BASE, seconds: 300, requests: 3_000, memory: 2 },
  "latencies that are alike for a thirtieth of the run": { ...BASE, memory: 2 },
  "heavy tails": { ...BASE, latency: (_, { uniform }) => 100 * (1 - uniform()) ** (-1 / 1.5) },
  "two modes": { ...BASE, latency: (state, { uniform }) => (uniform() < 0.5 ? 100 : 900) * Math.exp(0.1 * state) },
  "few samples": { ...BASE, requests: 60 },
  "arrivals that never started": { ...BASE, memory: 0.5, notStarted: 0.03 },
  "rare latencies of a hundred times": {
    ...BASE,
    latency: (state, { uniform }) => (uniform() < 0.03 ? 100 : 1) * lognormal(state),
  },
  "whole milliseconds": { ...BASE, latency: (state) => Math.round(5 * Math.exp(0.3 * state)), coarse: true },
};

interface Run {
  /** Time to first token of each request, and its block. */
  readonly values: Float64Array;
  readonly blockOf: Uint8Array;
  readonly ttft: SampleBounds;
  readonly e2e: SampleBounds;
  readonly icl: SampleBounds | undefined;
  readonly failed: Float64Array;
  readonly due: Float64Array;
  readonly delivered: Float64Array;
}

/** @param slower factor of all latencies */
function runOf(system: System, random: Random, slower = 1): Run {
  const { seconds, requests, memory, latency, errors, notStarted = 0, runToRun = 0, gaps = false } = system;
  const factor = slower * Math.exp(runToRun * random.normal());
  const kept = memory === 0 ? 0 : Math.exp(-seconds / requests / memory);
  let state = random.normal();
  const [ttft, e2e] = [new Float64Array(requests), new Float64Array(requests)];
  const [failed, due, delivered] = [new Float64Array(BLOCKS), new Float64Array(BLOCKS), new Float64Array(BLOCKS)];
  const blockOf = new Uint8Array(requests);
  const icl = gaps ? new GapSample(BLOCKS) : undefined;
  for (let index = 0; index < requests; index += 1) {
    const block = Math.floor((index / requests) * BLOCKS);
    blockOf[index] = block;
    const first = factor * latency(state, random);
    const gap = factor * latency(0.8 * state + 0.6 * random.normal(), random);
    state = kept * state + Math.sqrt(1 - kept * kept) * random.normal();
    for (let chunk = 0; chunk < 3; chunk += 1) icl?.add(block, Math.round(200 * gap * (0.9 + 0.2 * random.uniform())));
    ttft[index] = first;
    e2e[index] = first + 10 * gap;
    due[block] = (due[block] ?? 0) + 1;
    const isFailed = random.uniform() < errors;
    if (isFailed) failed[block] = (failed[block] ?? 0) + 1;
    else delivered[block] = (delivered[block] ?? 0) + 1;
  }
  const never = Math.round(requests * notStarted);
  const bounds = (values: Float64Array): SampleBounds => {
    const high = values.map((value, index) => (index < requests - never ? value : Number.POSITIVE_INFINITY));
    const low = values.map((value, index) => (index < requests - never ? value : 0));
    const sample = new ValueSample(low, blockOf, BLOCKS);
    return { low: sample, high: never === 0 ? sample : new ValueSample(high, blockOf, BLOCKS) };
  };
  return {
    values: ttft,
    blockOf,
    ttft: bounds(ttft),
    e2e: bounds(e2e),
    icl: icl && { low: icl, high: icl },
    failed,
    due,
    delivered,
  };
}

const resamples = new BlockResamples(BLOCKS, 1_000, 1);
const rate = (amounts: Float64Array) => ({ value: amounts.reduce((sum, amount) => sum + amount, 0), amounts });

/** The changes of a usual comparison of two runs. */
function changesOf(base: Run, next: Run, shares: readonly number[]): Change[] {
  return [
    ...(["ttft", "icl", "e2e"] as const).flatMap((name) => {
      const [before, after] = [base[name], next[name]];
      if (before === undefined || after === undefined) return [];
      return shares.map((share) => quantileChange(before, after, share, resamples));
    }),
    shareChange({ part: base.failed, whole: base.due }, { part: next.failed, whole: next.due }),
    rateChange(rate(base.delivered), rate(next.delivered), resamples),
  ];
}

const sharesOf = ({ requests }: System): readonly number[] => (requests >= 200 ? [0.5, 0.95] : [0.5]);
const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const report: string[] = [];
const countOf = (holds: readonly boolean[]): number => holds.filter(Boolean).length / holds.length;

group("two runs of the same system", () => {
  test.each(Object.entries(SYSTEMS))(
    "with %s raise an alarm in 6 of 100 comparisons at most",
    (name, system) => {
      const random = randomFrom(1);
      const alarms = Array.from({ length: PAIRS }, () => {
        const changes = changesOf(runOf(system, random), runOf(system, random), sharesOf(system));
        return holm(changes, ALPHA).some(({ interval }) => !containsZero(interval));
      });
      report.push(`${name}: false alarms ${percent(countOf(alarms))} of ${PAIRS}`);
      expect(countOf(alarms)).toBeLessThanOrEqual(FALSE_ALARMS + chance(FALSE_ALARMS));
    },
    LONG,
  );
});

group("a slowdown of the size that a comparison states as detectable", () => {
  const cases = Object.entries(SYSTEMS)
    .filter(([, { coarse }]) => !coarse)
    .flatMap(([name, system]) => sharesOf(system).map((share) => [share, name, system] as const));
  /** A usual comparison has as many metrics, among which a single change must be shown. */
  const METRICS = 8;
  test.each(cases)(
    "of the %d-quantile is shown with %s in 94 of 100 comparisons at least",
    (share, name, system) => {
      const random = randomFrom(2);
      const compare = (base: Run, next: Run): Change => quantileChange(base.ttft, next.ttft, share, resamples);
      const shown: boolean[] = [];
      const sizes: number[] = [];
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const base = runOf(system, random);
        const size = detectable(compare(base, runOf(system, random)), ALPHA / METRICS);
        // Data that sets no bound states no size.
        if (!Number.isFinite(size)) continue;
        shown.push(compare(base, runOf(system, random, Math.exp(size))).interval(ALPHA / METRICS)[0] > 0);
        sizes.push(Math.expm1(size));
      }
      const typical = sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? Number.NaN;
      report.push(
        `${name}: slowdown shown ${percent(countOf(shown))} of ${shown.length}, p${share * 100} slower by ${percent(typical)} (median)`,
      );
      if (shown.length > PAIRS / 10) expect(countOf(shown)).toBeGreaterThanOrEqual(DETECTED - chance(DETECTED));
    },
    LONG,
  );
});

group("several runs per side", () => {
  const RUNS = 3;
  const system = { ...BASE, requests: 400, runToRun: 0.1 };
  /** The change of the median between the pooled runs of two sides. */
  const medianChange = (base: readonly Run[], next: readonly Run[]): Change => {
    const value = ({ ttft }: Run) => Math.log(ttft.low.quantile(0.5));
    const change = quantileChange(pooled(base), pooled(next), 0.5, resamples);
    return withRunToRun(change, base.map(value), next.map(value));
  };
  const pooled = (runs: readonly Run[]): SampleBounds => {
    const values = Float64Array.from(runs.flatMap((run) => [...run.values]));
    const blockOf = Uint8Array.from(runs.flatMap((run) => [...run.blockOf]));
    const sample = new ValueSample(values, blockOf, BLOCKS);
    return { low: sample, high: sample };
  };
  const side = (random: Random) => Array.from({ length: RUNS }, () => runOf(system, random));
  const alarmsOf = (change: (random: Random) => Change) => {
    const random = randomFrom(3);
    return countOf(Array.from({ length: PAIRS }, () => !containsZero(change(random).interval(ALPHA))));
  };

  test(
    "keep their false alarms although every run is a little different",
    () => {
      const alarms = alarmsOf((random) => medianChange(side(random), side(random)));
      report.push(`runs that differ by 10%, three per side: false alarms ${percent(alarms)} of ${PAIRS}`);
      expect(alarms).toBeLessThanOrEqual(FALSE_ALARMS + chance(FALSE_ALARMS));
    },
    LONG,
  );

  test(
    "which one run per side cannot",
    () => {
      const alarms = alarmsOf((random) => medianChange(side(random).slice(0, 1), side(random).slice(0, 1)));
      report.push(`runs that differ by 10%, one per side: false alarms ${percent(alarms)} of ${PAIRS}`);
      expect(alarms).toBeGreaterThan(0.2);
    },
    LONG,
  );
});

afterAll(() => {
  if (ALL) console.log(report.join("\n"));
});
