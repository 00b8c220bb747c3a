/** The search finds the limit of a simulated queue, from wherever it starts, and never more than it was allowed to try. */

import { describe, expect, test } from "vitest";
import type { SearchStep } from "../../formats/search.ts";
import { randomOf } from "../../mock-server/base/seeded-random.ts";
import { quantile } from "../../reports/load/stats/quantiles.ts";
import { saturationOf } from "../../reports/load/validity/saturation.ts";
import { simulateQueue } from "../../tests/support/queue-simulation.ts";
import { bracketOf, type Next, nextOf, type SearchSpace } from "./search-logic.ts";

type Step = Pick<SearchStep, "rate" | "vus" | "purpose" | "verdict" | "saturated">;
type Ended = Extract<Next, { do: "end" }>;
type Probe = (load: number, purpose: SearchStep["purpose"], number: number) => Pick<Step, "verdict" | "saturated">;

const SPACE: SearchSpace = { first: 10, min: 10 / 64, max: 640, tolerance: 0.025, whole: false };

/** Searches to the end, or for so many runs. */
function search(probe: Probe, space: Partial<SearchSpace> = {}, atMost = 60) {
  const steps: Step[] = [];
  const whole = { ...SPACE, ...space };
  let next = nextOf(steps, whole);
  while (next.do === "run" && steps.length < atMost) {
    const { load, purpose } = next;
    steps.push({ [whole.whole ? "vus" : "rate"]: load, purpose, ...probe(load, purpose, steps.length) });
    next = nextOf(steps, whole);
  }
  return { end: next, steps, loads: steps.map(({ rate, vus }) => rate ?? vus ?? Number.NaN) };
}

const ended = ({ end }: ReturnType<typeof search>): Ended => {
  if (end.do !== "end") throw new Error(`it goes on with ${end.load}`);
  return end;
};

const met = { verdict: "met", saturated: false } as const;
const missed = { verdict: "missed", saturated: false } as const;
const saturated = { verdict: "missed", saturated: true } as const;
/** A target that bears a load and no more. */
const limitAt =
  (limit: number): Probe =>
  (load) =>
    load <= limit ? met : saturated;

describe("with a target that has a sharp limit", () => {
  test.each([0.2, 1, 9.99, 10, 11, 47, 100, 333, 639])("of %s/s, the search ends just below it", (limit) => {
    const result = search(limitAt(limit));
    expect(ended(result)).toMatchObject({ why: "confirmed", limitedBy: "target" });
    expect(ended(result).found).toBeLessThanOrEqual(limit);
    expect(ended(result).found).toBeGreaterThan(limit / 1.026);
    expect(result.steps.at(-1)).toMatchObject({ purpose: "confirm", verdict: "met" });
    expect(new Set(result.loads.slice(0, -1)).size).toBe(result.loads.length - 1);
  });

  test.each([1, 3, 7, 40, 160])("of %s users, it is found exactly where they are few", (limit) => {
    const result = search(limitAt(limit + 0.5), { first: 4, min: 1, max: 256, whole: true });
    const { found } = ended(result);
    expect(found).toBeLessThanOrEqual(limit);
    expect(found).toBeGreaterThanOrEqual(limit <= 40 ? limit : limit / 1.026);
  });

  test("above the range, the highest load of the range is confirmed, and none beyond is tried", () => {
    const result = search(limitAt(10_000), { max: 100 });
    expect(ended(result)).toMatchObject({ why: "confirmed", limitedBy: "range", found: 100 });
    expect(Math.max(...result.loads)).toBe(100);
  });

  test("below the range, it is the target that fails", () => {
    expect(ended(search(limitAt(0)))).toMatchObject({ why: "lowest-missed", limitedBy: "target", found: null });
  });
});

describe("runs that say nothing, or not the same", () => {
  test("one miss that nothing explains is looked at again", () => {
    let disturbed = false;
    const once: Probe = (load) => {
      if (disturbed || load !== 20) return limitAt(100)(load, "bracket", 0);
      disturbed = true;
      return missed;
    };
    expect(ended(search(once)).found).toBeGreaterThan(97);
  });

  test("a load that is missed twice is missed", () => {
    const twice: Probe = (load) => (load <= 30 ? met : missed);
    const { found } = ended(search(twice));
    expect(found).toBeLessThanOrEqual(30);
    expect(found).toBeGreaterThan(29.2);
  });

  test("what cannot be decided three times ends the search", () => {
    const blind: Probe = (load) => (load <= 20 ? met : { verdict: "undecided", saturated: false });
    const result = search(blind);
    expect(ended(result)).toMatchObject({ why: "undecided", at: 40, found: null, limitedBy: null });
    expect(result.loads).toEqual([10, 20, 40, 40, 40]);
  });

  test("a target that does not respond any more ends it after a second try", () => {
    const gone: Probe = (_, __, number) => (number < 2 ? met : { verdict: "invalid", saturated: false });
    expect(ended(search(gone))).toMatchObject({ why: "invalid", at: 40 });
  });

  test("a run that was interrupted does not count", () => {
    const steps: Step[] = [{ rate: 10, purpose: "bracket", verdict: "interrupted", saturated: false }];
    expect(nextOf(steps, SPACE)).toMatchObject({ do: "run", load: 10 });
  });

  test("after a load that is not confirmed, the search goes down in steps", () => {
    const short: Probe = (load, purpose) => (load <= (purpose === "confirm" ? 88 : 100) ? met : saturated);
    const result = search(short);
    const { found } = ended(result);
    expect(found).toBeLessThanOrEqual(88);
    expect(found).toBeGreaterThan(80);
    expect(result.steps.filter(({ purpose }) => purpose === "confirm").length).toBeLessThanOrEqual(5);
  });
});

describe("a load generator that is the limit", () => {
  const limited = { verdict: "client-limited", saturated: false } as const;

  test("is not taken for the limit of the target", () => {
    const result = search((load) => (load <= 50 ? met : limited));
    expect(ended(result)).toMatchObject({ why: "client", limitedBy: "client", found: null });
    expect(bracketOf(result.steps).met).toBeGreaterThan(48);
    expect(result.steps.some(({ purpose }) => purpose === "confirm")).toBe(false);
  });

  test("above that of the target does not keep it from being found", () => {
    const result = search((load) => (load > 70 ? limited : limitAt(50)(load, "bracket", 0)));
    expect(ended(result)).toMatchObject({ why: "confirmed", limitedBy: "target" });
    expect(ended(result).found).toBeGreaterThan(48.7);
  });

  test("once does not count", () => {
    let first = true;
    const result = search((load) => {
      const disturbed = first;
      first = false;
      return disturbed ? limited : limitAt(50)(load, "bracket", 0);
    });
    expect(ended(result).found).toBeGreaterThan(48.7);
  });

  test("at the lowest load says nothing of the target", () => {
    expect(ended(search(() => limited))).toMatchObject({ why: "client", found: null });
  });
});

test("a search that is cut off after any run goes on as it would have gone", () => {
  const { steps } = search(limitAt(77));
  for (let cut = 0; cut < steps.length; cut += 1) {
    const next = nextOf(steps.slice(0, cut), SPACE);
    expect(next).toMatchObject({ do: "run", load: steps[cut]?.rate, purpose: steps[cut]?.purpose });
  }
});

/** Servers that each work for a time that varies by a tenth, as a mock with slots does; 8 / 0.16 s = 50/s. */
const QUEUE = { servers: 8, serviceMs: 160, limit: 50, probeS: 15, fullS: 45, boundMs: 400 } as const;

/** A run against the simulated queue, judged as a real one is: 95% within the bound, and a queue that does not grow. */
function probeQueue(seed: number): Probe {
  return (rate, purpose, number) => {
    const random = randomOf(seed, "search", String(number));
    const seconds = Math.max(purpose === "confirm" ? QUEUE.fullS : QUEUE.probeS, 210 / rate);
    const jobs = Array.from({ length: Math.round((seconds + 2) * rate) }, (_, index) => ({
      due: (index * 1_000) / rate,
      service: QUEUE.serviceMs * (0.9 + 0.2 * random()),
    }));
    const measured = simulateQueue(jobs, { inFlight: QUEUE.servers, servers: QUEUE.servers }).filter(
      ({ due }) => due >= 2_000,
    );
    const took = measured.map(({ due, end }) => end - due).sort((a, b) => a - b);
    const growth = saturationOf((take) => {
      for (const { due, end } of measured) take({ dueS: due / 1_000 - 2, tookMs: end - due });
    }, seconds);
    if (growth !== undefined) return saturated;
    return quantile(Float64Array.from(took), 950) < QUEUE.boundMs ? met : missed;
  };
}

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);

test.each([
  ["far below", { first: 2, min: 2 / 64, max: 500 }],
  ["near", { first: 40, min: 1, max: 200 }],
  ["far above", { first: 600, min: 5, max: 1_000 }],
])("the limit of a simulated queue is found within 5% in 20 of 20 seeds from %s", (name, range) => {
  const results = SEEDS.map((seed) => search(probeQueue(seed), range));
  const found = results.map((result) => ended(result).found ?? 0);
  const errors = found.map((rate) => rate / QUEUE.limit - 1);
  const runs = results.map(({ steps }) => steps.length);
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  console.log(
    `from ${name}: ${percent(Math.min(...errors))} to ${percent(Math.max(...errors))} of ${QUEUE.limit}/s, ${Math.min(...runs)} to ${Math.max(...runs)} runs`,
  );
  for (const error of errors) expect(Math.abs(error)).toBeLessThan(0.05);
});
