import { expect, describe as group, test } from "vitest";
import { draw } from "../../../load/inputs/random.ts";
import { atLeast, atMost } from "../stats/binomial.ts";
import { decideShare, moreUnits, unitsNeeded } from "./decide-share.ts";

const ALLOWED = 0.01;
const RUNS = 4_000;

/** The shares of runs of N units that are met and missed, of a target whose units fail with a probability. */
function simulate(p: number, units: number, runs = RUNS): { readonly met: number; readonly missed: number } {
  const verdicts = Array.from({ length: runs }, (_, run) => {
    let failed = 0;
    for (let unit = 0; unit < units; unit += 1) if (draw(1, run * units + unit, "unit fails") < p) failed += 1;
    return decideShare({ bad: failed, count: units, allowed: ALLOWED });
  });
  const share = (of: boolean) => verdicts.filter((verdict) => verdict === of).length / runs;
  return { met: share(true), missed: share(false) };
}

group("in simulated runs", () => {
  test.each([100, 299, 300, 473, 628, 1_000, 2_000])(
    "a target at the bound is rarely met or missed in %i units",
    (units) => {
      const { met, missed } = simulate(ALLOWED, units);
      // Four standard errors of the simulation.
      expect(met).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / RUNS));
      expect(missed).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / RUNS));
    },
  );

  test("a target at a tenth of the bound is met, and one at three times the bound missed, given enough units", () => {
    expect(simulate(ALLOWED / 10, 2_000, 500).met).toBe(1);
    expect(simulate(ALLOWED * 3, 2_000, 500).missed).toBe(1);
  });
});

test("by its definition, a target at the bound is met or missed with a probability of at most 5% each, for every number of units", () => {
  for (let count = 1; count <= 700; count += 1) {
    const verdicts = Array.from({ length: count + 1 }, (_, bad) => decideShare({ bad, count, allowed: ALLOWED }));
    const mostMet = verdicts.lastIndexOf(true);
    const leastMissed = verdicts.indexOf(false);
    if (mostMet >= 0) expect(atMost(mostMet, count, ALLOWED)).toBeLessThanOrEqual(0.05);
    if (leastMissed >= 0) expect(atLeast(leastMissed, count, ALLOWED)).toBeLessThanOrEqual(0.05);
  }
});

test.each([
  [0, 298, null],
  [0, 299, true],
  [1, 299, null],
  [2, 300, null],
  [2, 628, true],
  [1, 5, false],
  [1, 6, null],
  [6, 300, null],
  [7, 300, false],
])("%i bad of %i units: %s", (bad, count, verdict) => {
  expect(decideShare({ bad, count, allowed: ALLOWED })).toBe(verdict);
});

test.each([
  [{ bad: 0, count: 1, allowed: 0 }, true],
  [{ bad: 1, count: 100, allowed: 0 }, false],
  [{ bad: 5, count: 5, allowed: 1 }, true],
])("a bound without a chance is decided by any number of units: %j", (share, verdict) => {
  expect(decideShare(share)).toBe(verdict);
});

group("the units that are missing", () => {
  test("are those of the smallest number that decides at the same share", () => {
    expect(moreUnits({ bad: 0, count: 5, allowed: ALLOWED })).toBe((unitsNeeded(ALLOWED) ?? Number.NaN) - 5);
    expect(moreUnits({ bad: Number.NaN, count: 0, allowed: ALLOWED })).toBe(unitsNeeded(ALLOWED));
    for (const share of [
      { bad: 2, count: 300, allowed: ALLOWED },
      { bad: 5, count: 300, allowed: ALLOWED },
      { bad: 4, count: 100, allowed: 0.05 },
    ]) {
      const more = moreUnits(share) ?? Number.NaN;
      const count = share.count + more;
      const verdict = decideShare({ ...share, bad: (share.bad / share.count) * count, count });
      expect(verdict).toBe(share.bad / share.count < share.allowed);
    }
  });

  test("are not known of a share that is the bound, or too close to it", () => {
    expect(moreUnits({ bad: 3, count: 300, allowed: ALLOWED })).toBeUndefined();
  });
});

test("units that are alike leave a miss open only while one of them is within the bound", () => {
  const share = { count: 40, allowed: 0.5, alike: 20 };
  expect(decideShare({ ...share, bad: 39 })).toBeNull();
  expect(decideShare({ ...share, bad: 40 })).toBe(false);
});
