/**
 * Targets that are steady are rarely said not to be, and a cold first third is found: simulations with fixed seeds, of which `npm run
 * prove` makes 2,000 of each kind.
 */

import { afterAll, describe, expect, test } from "vitest";
import {
  COLD,
  COLD_TARGETS,
  type Slower,
  STEADY,
  type Target,
  WINDOW_S,
} from "../../../tests/support/targets/steadiness-targets.ts";
import { steadinessOf, type TimedLatency } from "./steadiness.ts";

const ALL = process.env["ASSAY_PROVE"] === "all";
const RUNS = ALL ? 2_000 : 60;
/** What chance adds to a share of so few runs, three times its standard error. */
const chance = (share: number): number => (ALL ? 0 : 3 * Math.sqrt((share * (1 - share)) / RUNS));
const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const report: string[] = [];

const look = (latencies: readonly TimedLatency[]) =>
  steadinessOf((take) => {
    for (const latency of latencies) take(latency);
  }, WINDOW_S);

/** What is found in each run. */
const looks = (target: Target, slower?: Slower) =>
  Array.from({ length: RUNS }, (_, run) => look(target(7_919 * run + 13, slower)));

describe("a target that is steady", () => {
  test.each(Object.entries(STEADY))("is rarely said not to be: %s", (name, target) => {
    const found = looks(target);
    const decided = found.filter((each) => each !== undefined);
    const share = decided.filter(({ isSteady }) => !isSteady).length / decided.length;
    report.push(`${percent(share)} false alarms in ${decided.length} steady runs: ${name}`);
    expect(decided.length).toBeGreaterThan(RUNS / 2);
    expect(share).toBeLessThanOrEqual(0.02 + chance(0.02));
  });
});

describe("a target that is cold in the first third", () => {
  test.each(Object.entries(COLD_TARGETS))("is found, with when it is steady: %s", (name, target) => {
    const found = looks(target, COLD).filter((each) => each !== undefined && !each.isSteady);
    const block = WINDOW_S / 24;
    const inTime = found.filter(
      (each) => each !== undefined && !each.isSteady && Math.abs((each.sinceS ?? 0) - WINDOW_S / 3) <= block + 1e-9,
    );
    report.push(
      `${percent(found.length / RUNS)} of cold first thirds found, ${percent(inTime.length / RUNS)} with the right time: ${name}`,
    );
    expect(inTime.length / RUNS).toBeGreaterThanOrEqual(0.95 - chance(0.95));
  });
});

test("a warm-up that fades out, a drift and a change at the end are found, too", () => {
  const { "independent latencies": target } = STEADY;
  if (target === undefined) throw new Error("no such target");
  const fading = look(target(1, (atS) => 1 + 2 * Math.exp(-atS / 6)));
  expect(fading).toMatchObject({ isSteady: false });
  const drift = look(target(1, (atS) => 1 + (2 * atS) / WINDOW_S));
  expect(drift).toMatchObject({ isSteady: false, form: "drift" });
  const late = look(target(1, (atS) => (atS > 50 ? 3 : 1)));
  expect(late).toMatchObject({ isSteady: false, form: "step" });
  expect(late).not.toHaveProperty("sinceS");
});

test("nothing is said of too few requests, or of a change of less than a tenth", () => {
  const { "independent latencies": target, "latencies that hardly differ": exact } = STEADY;
  expect(look((target?.(1) ?? []).slice(0, 100))).toBeUndefined();
  expect(look(exact?.(1, (atS) => (atS < 20 ? 1.08 : 1)) ?? [])).toEqual({ isSteady: true });
});

afterAll(() => {
  console.log(report.join("\n"));
});
