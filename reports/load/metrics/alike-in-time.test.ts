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
  const quantile = kind.quantile(perCent / 100);
  const counts = times.map(() => ({ met: 0, missed: 0 }));
  for (let run = 0; run < RUNS; run += 1) {
    const values = kind.make(samples, random);
    const { alike } = inTime(values);
    for (const [index, each] of times.entries()) {
      const slo = { ...parseSlo(`ttft_p${perCent}<1ms`), bound: quantile / each };
      const beyond = beyondOf(slo, countsBeyond(slo, [...values]), undefined, alike);
      const ok = beyond && decideRange(beyond);
      const count = counts[index];
      if (count !== undefined && ok === true) count.met += 1;
      if (count !== undefined && ok === false) count.missed += 1;
    }
  }
  return counts.map(({ met, missed }) => ({ met: met / RUNS, missed: missed / RUNS }));
}

group.each(KINDS_OF_SERIES)("requests that are $name", (kind) => {
  test.each(SAMPLES)(
    "a p95 at the bound or beyond it is met in at most 5 of 100 runs of %i, one at it missed in as many",
    (samples) => {
      const verdicts = verdictsOf(kind, 95, samples, BEYOND);
      for (const { met } of verdicts) expect(met).toBeLessThan(MOST);
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
      const shares = verdictsOf(kind, 95, samples, [1.1, 1, ...WITHIN]).map(({ met }) => `${Math.round(100 * met)}`);
      return `| ${[kind.name, samples.toLocaleString("en-US"), ...shares].join(" | ")} |`;
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
