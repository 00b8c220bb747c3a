/** A search whose short runs have too few samples for their percentiles finds the limit of a simulated queue all the same. */

import { expect, test } from "vitest";
import type { SloResult } from "../../formats/run.ts";
import type { MetricResult } from "../../formats/run-metrics.ts";
import type { SearchStep, StepVerdict } from "../../formats/search.ts";
import { parseSlo } from "../../load/objectives/slo.ts";
import { randomOf } from "../../mock-server/base/seeded-random.ts";
import { beyondOf } from "../../reports/load/metrics/beyond-bound.ts";
import { evaluateSlo } from "../../reports/load/metrics/evaluate-slo.ts";
import { describe } from "../../reports/load/stats/quantiles.ts";
import { saturationOf } from "../../reports/load/validity/saturation.ts";
import { probeObjectives } from "../../reports/search/probe-objectives.ts";
import { secondsThatDecide } from "../../reports/search/search-step.ts";
import { simulateQueue } from "../../tests/support/results/queue-simulation.ts";
import { countsBeyond, queuedBlocks } from "../../tests/support/results/queued-blocks.ts";
import { planSearch } from "./plan-search.ts";
import { bracketOf, nextOf } from "./search-logic.ts";

/** Servers that each work for 160 ms, a tenth more or less; 8 of them serve 50 per second. */
const QUEUE = { servers: 8, serviceMs: 160 } as const;
const LIMIT = 50;
const SLOS = ["e2e_p95<400ms", "error_rate<1%"];

/** What some requests of a target are like: the share of them that fail, and how many together tell as much as one. */
interface Kind {
  readonly failing?: number;
  readonly alike?: number;
}

/** What a run measures. */
function measured(rate: number, seconds: number, random: () => number, { failing = 0, alike = 1 }: Kind) {
  const jobs = Array.from({ length: Math.round((seconds + 2) * rate) }, (_, index) => ({
    due: (index * 1_000) / rate,
    service: QUEUE.serviceMs * (0.9 + 0.2 * random()),
  }));
  const units = simulateQueue(jobs, { inFlight: QUEUE.servers, servers: QUEUE.servers }).filter(
    ({ due }) => due >= 2_000,
  );
  const took = units.map(({ due, end }) => end - due).sort((a, b) => a - b);
  const failed = units.filter(() => random() < failing).length;
  const latency = describe(took.length, 0, (rank) => took[rank - 1] ?? Number.NaN);
  const metrics: Record<string, MetricResult> = {
    e2e: { unit: "ms", count: took.length, ...latency },
    error_rate: { unit: "share", count: units.length, value: failed / units.length },
  };
  const arrivals = units.map(({ due, end }) => ({ dueS: due / 1_000 - 2, tookMs: end - due }));
  const growth = saturationOf(queuedBlocks(arrivals, seconds), seconds);
  const slos = SLOS.map((expr): SloResult => {
    const slo = parseSlo(expr);
    const beyond = () => beyondOf(slo, countsBeyond(slo, took), undefined, alike);
    return evaluateSlo(slo, metrics, { unfinished: 0, beyond, lasts: seconds * 1_000 });
  });
  return { metrics, slos, saturated: growth !== undefined };
}

function verdictOf(
  { metrics, slos, saturated }: ReturnType<typeof measured>,
  purpose: SearchStep["purpose"],
): StepVerdict {
  const results = purpose === "confirm" ? slos.map(({ ok }) => ok) : probeObjectives({ metrics, slos });
  if (results.some((result) => result === false || result === "missed") || saturated) return "missed";
  return results.some((result) => result === null || result === "undecided") ? "undecided" : "met";
}

function search(seed: number, flags: Readonly<Record<string, string>>, kind: Kind) {
  const objectives = { slo: SLOS[0] ?? "", target: "http://127.0.0.1:9" };
  const { space, lengthOf } = planSearch("chat-stream", { ...objectives, ...flags }, { env: {} });
  const steps: SearchStep[] = [];
  let next = nextOf(steps, space);
  while (next.do === "run" && steps.length < 60) {
    const { load, purpose } = next;
    const seconds = lengthOf(load, purpose, steps) / 1_000;
    const run = measured(load, seconds, randomOf(seed, "short runs", String(steps.length)), kind);
    const { slos, saturated } = run;
    const verdict = verdictOf(run, purpose);
    const known = { reason: "", validity: "VALID", objectives: slos, arrivals: 0, run: `run-${steps.length}` };
    const byChance = purpose === "confirm" && verdict === "undecided" && { byChance: true as const };
    const needsS = secondsThatDecide(slos);
    steps.push({ ...known, rate: load, purpose, seconds, verdict, saturated, ...byChance, needsS });
    next = nextOf(steps, space);
  }
  return { end: next, steps };
}

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 1);

test.each<[string, Readonly<Record<string, string>>, Kind]>([
  ["of 6 seconds", { rate: "2", max: "100", probeDuration: "6s" }, {}],
  ["of 20 seconds", { rate: "5", max: "100" }, {}],
  ["with failures that are allowed", { rate: "2", max: "100", probeDuration: "6s" }, { failing: 0.001 }],
  ["of a target that stalls now and then", { rate: "5", max: "100", duration: "20s" }, { alike: 40 }],
])("short runs %s find the limit in 20 of 20 seeds, and are short", (_, flags, kind) => {
  for (const seed of SEEDS) {
    const { end, steps } = search(seed, flags, kind);
    const { met, missed } = bracketOf(steps);
    expect(end, `seed ${seed}`).toMatchObject({ do: "end", why: "confirmed", limitedBy: "target" });
    expect(Math.abs((met ?? 0) / LIMIT - 1), `seed ${seed}`).toBeLessThan(0.05);
    expect(missed ?? 0, `seed ${seed}`).toBeGreaterThan(LIMIT * 0.95);
    const first = steps.filter(({ purpose, verdict }) => purpose === "bracket" && verdict === "met");
    for (const { seconds } of first) expect(seconds, `seed ${seed}`).toBe(flags["probeDuration"] === "6s" ? 6 : 20);
  }
});

test("a target that fails more than is allowed at every load is not confirmed", () => {
  const { end, steps } = search(1, { rate: "2", max: "100", probeDuration: "6s" }, { failing: 0.1 });
  expect(end).toMatchObject({ do: "end", why: "lowest-missed", found: null });
  expect(steps.filter(({ purpose, verdict }) => purpose === "confirm" && verdict === "met")).toEqual([]);
});
