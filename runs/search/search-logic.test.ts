/** The search finds the limit of a simulated queue, from wherever it starts, and never more than it was allowed to try. */

import { describe, expect, test } from "vitest";
import type { SearchStep } from "../../formats/search.ts";
import { randomOf } from "../../mock-server/base/seeded-random.ts";
import { quantile } from "../../reports/load/stats/quantiles.ts";
import { saturationOf } from "../../reports/load/validity/saturation.ts";
import { simulateQueue } from "../../tests/support/results/queue-simulation.ts";
import { queuedBlocks } from "../../tests/support/results/queued-blocks.ts";
import { bracketOf, type Next, nextOf, type SearchSpace } from "./search-logic.ts";

type Step = Pick<
  SearchStep,
  "rate" | "vus" | "purpose" | "verdict" | "saturated" | "byChance" | "neverMeasured" | "starved"
>;
type Ended = Extract<Next, { do: "end" }>;
type Probe = (load: number, purpose: SearchStep["purpose"], number: number) => Omit<Step, "rate" | "vus" | "purpose">;

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

  test("an objective on what no response holds ends it at once", () => {
    const never = { neverMeasured: ["ttft_p95<1s"], saturated: false };
    const result = search(() => ({ ...never, verdict: "undecided" }), { floor: true });
    expect(ended(result)).toMatchObject({ why: "never-measured", found: null });
    expect(result.loads).toEqual([1]);
    const limited = search(() => ({ ...never, verdict: "client-limited" }));
    expect([ended(limited).why, limited.loads]).toEqual(["never-measured", [10]]);
  });

  test("responses without it at one load only do not", () => {
    const some: Probe = (load) => (load > 50 ? { ...saturated, neverMeasured: ["ttft_p95<1s"] } : met);
    expect(ended(search(some))).toMatchObject({ why: "confirmed", limitedBy: "target" });
  });

  test("a load generator that lacks CPU time at rest is not asked at lower loads", () => {
    const starved = { verdict: "client-limited", saturated: false, starved: true } as const;
    const result = search(() => starved, { floor: true });
    expect(ended(result)).toMatchObject({ why: "client", limitedBy: "client" });
    expect(result.loads).toEqual([1, 10, 10]);
    const once = search((load, _, number) => (number === 1 ? starved : limitAt(3)(load, "bracket", number)));
    expect(ended(once)).toMatchObject({ why: "confirmed" });
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

describe("one user alone", () => {
  /** What each run of one user says, and then a limit of 100/s. */
  const floor = (...verdicts: Step["verdict"][]) => {
    let at = 0;
    return search(
      (load, purpose, number) => {
        if (purpose !== "floor") return limitAt(100)(load, purpose, number);
        at += 1;
        return { verdict: verdicts[at - 1] ?? "invalid", saturated: false };
      },
      { floor: true },
    );
  };

  test.each<[number, ...Step["verdict"][]]>([
    [2, "missed", "missed"],
    [2, "undecided", "missed"],
  ])("ends the search after %i runs that say: %s, %s", (runs, ...verdicts) => {
    const result = floor(...verdicts);
    expect(ended(result)).toMatchObject({ why: "floor-missed", limitedBy: "target", found: null });
    expect(result.loads).toEqual(Array.from({ length: runs }, () => 1));
    expect(bracketOf(result.steps)).toEqual({ met: null, missed: null, clientLimited: null });
  });

  test.each<Step["verdict"][]>([
    ["met"],
    ["client-limited"],
    ["invalid"],
    ["missed", "met"],
    ["missed", "undecided"],
    ["undecided", "undecided"],
    ["interrupted", "met"],
  ])("lets it go on after %s %s", (...verdicts) => {
    const result = floor(...verdicts);
    expect(ended(result).found).toBeGreaterThan(97);
    expect(result.steps.filter(({ purpose }) => purpose === "floor")).toHaveLength(verdicts.length);
  });
});

test("failures of one user alone, which may be faster than the target allows, are not looked at again", () => {
  const result = search(
    (load, purpose, number) =>
      purpose === "floor"
        ? { verdict: "undecided", saturated: false, errorRate: 0.5 }
        : limitAt(100)(load, purpose, number),
    { floor: true },
  );
  expect(ended(result).found).toBeGreaterThan(97);
  expect(result.steps.filter(({ purpose }) => purpose === "floor")).toHaveLength(1);
});

describe("a run that is to confirm and leaves objectives to chance", () => {
  const chance = { verdict: "undecided", saturated: false, byChance: true } as const;
  /** Short runs are met up to 100/s; long ones decide that only up to this load. */
  const confirmedUpTo =
    (limit: number): Probe =>
    (load, purpose) =>
      load > 100 ? saturated : purpose === "confirm" && load > limit ? chance : met;

  test("is made longer, and then the search goes down a step", () => {
    const result = search(confirmedUpTo(95));
    expect(ended(result)).toMatchObject({ why: "confirmed", limitedBy: "target" });
    expect(ended(result).found).toBeLessThanOrEqual(95);
    expect(ended(result).found).toBeGreaterThan(85);
    const confirms = result.steps.filter(({ purpose }) => purpose === "confirm");
    expect(confirms.length).toBeLessThanOrEqual(7);
  });

  test("above loads that are truly missed does not hide that the target is the limit", () => {
    let short = 0;
    const result = search(
      (load, purpose) => {
        if (purpose !== "confirm") {
          short += 1;
          return short === 1 || load < 10 ? met : saturated;
        }
        return load > 9.9 ? chance : saturated;
      },
      { first: 10, min: 9.5 },
    );
    expect(ended(result)).toMatchObject({ why: "lowest-missed", limitedBy: "target" });
  });

  test("at every load ends it without a limit", () => {
    expect(ended(search(confirmedUpTo(0), { first: 10, min: 8 }))).toMatchObject({ why: "undecided", found: null });
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

describe("what is known", () => {
  const at = (rate: number, ...verdicts: Step["verdict"][]): Step[] =>
    verdicts.map((verdict) => ({ rate, purpose: "bracket", verdict, saturated: false }));

  test("has no load at which the load generator was the limit as an end", () => {
    const steps = [...at(27.59, "met"), ...at(28.99, "client-limited", "client-limited")];
    expect(bracketOf(steps)).toEqual({ met: 27.59, missed: null, clientLimited: 28.99 });
  });

  test("of a load generator that was the limit below a load that was missed is the limit of the target", () => {
    const above: Step = { rate: 80, purpose: "bracket", verdict: "missed", saturated: true };
    const steps = [above, ...at(40, "client-limited", "client-limited"), ...at(20, "met")];
    expect(bracketOf(steps)).toEqual({ met: 20, missed: 80, clientLimited: 40 });
    const next = nextOf(steps, SPACE);
    expect(next).toMatchObject({ do: "run", purpose: "bisect" });
    const result = search(
      (load) => (load === 40 ? { verdict: "client-limited", saturated: false } : limitAt(50)(load, "bracket", 0)),
      { first: 80 },
    );
    expect(ended(result)).toMatchObject({ why: "confirmed", limitedBy: "target" });
    expect(ended(result).found).toBeGreaterThan(48.7);
    expect(ended(result).found).toBeLessThanOrEqual(50);
  });

  test("of one run that met the objectives, one that missed them and one of the load generator is nothing: they are repeated, within bounds", () => {
    const three = at(10, "missed", "met", "client-limited");
    expect(bracketOf(three)).toEqual({ met: null, missed: null, clientLimited: null });
    expect(nextOf(three, SPACE)).toMatchObject({ do: "run", load: 10, attempt: 3 });
    expect(nextOf([...three, ...at(10, "met")], SPACE)).toMatchObject({ do: "run", load: 20 });
    expect(nextOf([...three, ...at(10, "missed")], SPACE)).toMatchObject({ do: "run", load: 5 });
    const five = [...three, ...at(10, "client-limited", "undecided")];
    expect(nextOf(five, SPACE)).toMatchObject({ do: "end", why: "undecided", at: 10 });
    expect(
      nextOf(at(10, "missed", ...Array.from({ length: 4 }, () => "client-limited" as const)), SPACE),
    ).toMatchObject({
      load: 5,
    });
  });

  test("of a run that did not end is nothing", () => {
    const steps = [...at(10, "met"), ...at(20, "missed", "interrupted"), ...at(15, "interrupted")];
    expect(bracketOf(steps)).toEqual({ met: 10, missed: null, clientLimited: null });
    expect(nextOf(steps, SPACE)).toMatchObject({ do: "run", load: 20, attempt: 1 });
  });

  test("no load is confirmed twice, also where the load generator is the limit between", () => {
    const step = (rate: number, purpose: Step["purpose"], verdict: Step["verdict"], isSaturated = false): Step => ({
      ...{ rate, purpose, verdict, saturated: isSaturated },
    });
    const steps = [
      step(10, "bracket", "met"),
      step(20, "bracket", "missed", true),
      step(19.6, "bisect", "met"),
      step(19.6, "confirm", "missed", true),
      ...[1, 2].map(() => step(19.12, "confirm", "client-limited")),
      step(18, "confirm", "met"),
    ];
    expect(nextOf(steps, SPACE)).toMatchObject({ do: "end" });
  });
});

describe("of any target, load generator and noise", () => {
  /** Runs that the load generator limits by chance, and above its own limit. */
  const clientLimited = { verdict: "client-limited", saturated: false } as const;

  test("no interval without noise excludes the limit, and every search ends", () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = randomOf(seed, "search property");
      const limit = 0.1 * 10_000 ** random();
      const [chance, own] = [random() * 0.7, random() < 0.5 ? Number.POSITIVE_INFINITY : 0.1 * 10_000 ** random()];
      const missesQuietly = random() < 0.3;
      const result = search(
        (load) => {
          if (load > own || random() < chance) return clientLimited;
          return load <= limit ? met : missesQuietly ? missed : saturated;
        },
        {},
        200,
      );
      const { found } = ended(result);
      for (let cut = 1; cut <= result.steps.length; cut += 1) {
        const known = bracketOf(result.steps.slice(0, cut));
        expect(known.met ?? 0, `seed ${seed}`).toBeLessThanOrEqual(limit);
        expect(known.missed ?? Number.POSITIVE_INFINITY, `seed ${seed}`).toBeGreaterThan(limit);
      }
      expect(found ?? 0, `seed ${seed}`).toBeLessThanOrEqual(limit);
      expect(result.steps.length, `seed ${seed}`).toBeLessThan(100);
    }
  });

  test("with verdicts that are pure chance, every search ends, and decides no load twice", () => {
    const verdicts = [
      "met",
      "met",
      "missed",
      "missed",
      "client-limited",
      "undecided",
      "invalid",
      "interrupted",
    ] as const;
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = randomOf(seed, "search noise");
      const result = search(
        () => ({ verdict: verdicts[Math.floor(random() * verdicts.length)] ?? "met", saturated: random() < 0.3 }),
        random() < 0.5 ? {} : { first: 4, min: 1, max: 256, whole: true },
        300,
      );
      ended(result);
      const tries = new Map<string, number>();
      for (const { rate, vus, purpose, verdict } of result.steps) {
        if (verdict === "interrupted") continue;
        const key = `${rate ?? vus} ${purpose === "confirm"}`;
        tries.set(key, (tries.get(key) ?? 0) + 1);
      }
      expect(Math.max(0, ...tries.values()), `seed ${seed}`).toBeLessThanOrEqual(5);
    }
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
    const arrivals = measured.map(({ due, end }) => ({ dueS: due / 1_000 - 2, tookMs: end - due }));
    const growth = saturationOf(queuedBlocks(arrivals, seconds), seconds);
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
