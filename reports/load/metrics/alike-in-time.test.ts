/** Verdicts of targets whose requests are alike when they are close in time: simulations with known truth, and what the docs say of them. */

import { readFileSync } from "node:fs";
import { expect, describe as group, test } from "vitest";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { INDEPENDENT, KINDS_OF_SERIES, type KindOfSeries } from "../../../tests/support/results/alike-series.ts";
import { countsBeyond } from "../../../tests/support/results/queued-blocks.ts";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { inTime } from "../stats/in-time.ts";
import { beyondOf } from "./beyond-bound.ts";
import { decideRange } from "./decide-share.ts";

const RUNS = 1_000;
/** Five in a hundred, and four standard errors of the simulation. */
const MOST = 0.05 + 4 * Math.sqrt((0.05 * 0.95) / RUNS);
const SAMPLES = [59, 200, 600, 1_200] as const;
/** The percentile of the target as a multiple of the bound. */
const BEYOND = [1, 1.02, 1.05, 1.1] as const;
const WITHIN = [0.9, 0.8, 0.7, 0.5] as const;

/** Shares of runs that are met and missed, by the percentile of the target over the bound. */
function verdictsOf(kind: KindOfSeries, perCent: number, samples: number, times: readonly number[]) {
  const random = randomFrom(41);
  const parsed = parseSlo(`ttft_p${perCent}<1ms`);
  const slos = times.map((time) => ({ ...parsed, bound: kind.quantile(perCent / 100) / time }));
  const counts = times.map(() => ({ met: 0, missed: 0 }));
  for (let run = 0; run < RUNS; run += 1) {
    const made = kind.make(samples, random);
    const { alike } = inTime(made);
    const values = [...made];
    for (const [index, slo] of slos.entries()) {
      const beyond = beyondOf(slo, countsBeyond(slo, values), undefined, alike);
      const ok = beyond && decideRange(beyond);
      const count = counts[index];
      if (count !== undefined && ok === true) count.met += 1;
      if (count !== undefined && ok === false) count.missed += 1;
    }
  }
  return counts.map(({ met, missed }) => ({ met: met / RUNS, missed: missed / RUNS }));
}

type Verdicts = ReturnType<typeof verdictsOf>;
const ofP95 = new Map<string, Verdicts>();

/** Those of a p95: at the bound and beyond it, then within it. */
function p95Of(kind: KindOfSeries, samples: number): Verdicts {
  const key = `${kind.name} ${samples}`;
  const verdicts = ofP95.get(key) ?? verdictsOf(kind, 95, samples, [...BEYOND, ...WITHIN]);
  ofP95.set(key, verdicts);
  return verdicts;
}

group.each(KINDS_OF_SERIES)("requests that are $name", (kind) => {
  test.each(SAMPLES)(
    "a p95 at the bound or beyond it is met in at most 5 of 100 runs of %i, one at it missed in as many",
    (samples) => {
      const verdicts = p95Of(kind, samples);
      for (const { met } of verdicts.slice(0, BEYOND.length)) expect(met).toBeLessThan(MOST);
      expect(verdicts[0]?.missed).toBeLessThan(MOST);
    },
  );

  test.each([200, 1_200])("and so is a p99, of %i", (samples) => {
    const [{ met, missed } = { met: 1, missed: 1 }] = verdictsOf(kind, 99, samples, [1]);
    expect(met).toBeLessThan(MOST);
    expect(missed).toBeLessThan(MOST);
  });
});

test("the docs say how many runs are met", () => {
  const page = readFileSync(new URL("../../../docs/objectives.md", import.meta.url), "utf8");
  const rows = KINDS_OF_SERIES.flatMap((kind) =>
    [200, 600, 1_200].map((samples) => {
      const shares = p95Of(kind, samples).map(({ met }) => `${Math.round(100 * met)}`);
      const [atBound = "", most = ""] = [shares[0], shares[BEYOND.length - 1]];
      const shown = [most, atBound, ...shares.slice(BEYOND.length)];
      return `| ${[kind.name, samples.toLocaleString("en-US"), ...shown].join(" | ")} |`;
    }),
  );
  const isRow = (line: string): boolean => KINDS_OF_SERIES.some(({ name }) => line.startsWith(`| ${name} |`));
  expect(page.split("\n").filter(isRow)).toEqual(rows);
});

test("independent requests are hardly ever taken for alike, and lose no power", () => {
  const random = randomFrom(43);
  const alike = Array.from({ length: 400 }, () => inTime(INDEPENDENT.make(200, random)).alike);
  expect(alike.filter((each) => each === 1).length).toBeGreaterThan(350);
});
