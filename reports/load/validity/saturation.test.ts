/** Queues that grow are found, and others are not taken for one: simulations with fixed seeds. */

import { describe, expect, test } from "vitest";
import { randomOf } from "../../../mock-server/base/seeded-random.ts";
import { httpError, instant, makeRun, type RunOptions } from "../../../tests/support/results/load-run.ts";
import { simulateQueue } from "../../../tests/support/results/queue-simulation.ts";
import { type QueuedArrival, queuedBlocks } from "../../../tests/support/results/queued-blocks.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";
import { saturationOf } from "./saturation.ts";

interface Queue {
  readonly servers: number;
  /** Offered load, as a share of what the servers can bear. */
  readonly load: number;
  readonly arrivals: "constant" | "poisson";
  readonly service: "exponential" | "fixed";
}

const SECONDS = 30;
const WARMUP_S = 5;
const SERVICE_S = 0.1;
const RUNS = 250;

/** The arrivals of a run, as its records would tell them; the queue has been served for a warm-up before. */
function arrivalsOf({ servers, load, arrivals, service }: Queue, seed: number) {
  const random = randomOf(seed, "saturation", arrivals, service, String(servers));
  const exponential = (): number => -Math.log(1 - random());
  const rate = (load * servers) / SERVICE_S;
  const jobs: { due: number; service: number }[] = [];
  for (let at = 0; at < WARMUP_S + SECONDS; at += (arrivals === "constant" ? 1 : exponential()) / rate) {
    jobs.push({ due: at * 1_000, service: SERVICE_S * 1_000 * (service === "fixed" ? 1 : exponential()) });
  }
  return simulateQueue(jobs, { inFlight: servers, servers })
    .filter(({ due }) => due >= WARMUP_S * 1_000)
    .map(({ due, end }) => ({ dueS: due / 1_000 - WARMUP_S, tookMs: end - due }));
}

const saturationIn = (arrivals: readonly QueuedArrival[]) => saturationOf(queuedBlocks(arrivals, SECONDS), SECONDS);

/** In how many of a hundred runs a queue is said to grow. */
function found(queue: Queue, runs = RUNS): number {
  const seeds = Array.from({ length: runs }, (_, seed) => seed);
  return (100 * seeds.filter((seed) => saturationIn(arrivalsOf(queue, seed)) !== undefined).length) / runs;
}

const POISSON = { arrivals: "poisson", service: "exponential" } as const;
const CONSTANT = { arrivals: "constant", service: "fixed" } as const;

describe("a queue below its capacity", () => {
  test.each([
    { servers: 1, load: 0.5, ...POISSON },
    { servers: 1, load: 0.9, ...POISSON },
    { servers: 1, load: 0.9, arrivals: "poisson", service: "fixed" } as const,
    { servers: 1, load: 0.9, arrivals: "constant", service: "exponential" } as const,
    { servers: 4, load: 0.9, ...POISSON },
    { servers: 1, load: 0.98, ...CONSTANT },
  ])("is rarely said to grow: %j", (queue) => {
    const alarms = found(queue);
    console.log(`${JSON.stringify(queue)}: ${alarms} of 100 runs`);
    expect(alarms).toBeLessThanOrEqual(2);
  });
});

describe("a queue above its capacity", () => {
  test.each([
    { servers: 1, load: 1.3, ...POISSON, least: 70 },
    { servers: 4, load: 1.2, ...POISSON, least: 95 },
    { servers: 4, load: 1.05, ...CONSTANT, least: 100 },
  ])("is found: %j", ({ least, ...queue }) => expect(found(queue, 100)).toBeGreaterThanOrEqual(least));

  test("and what the target serves is estimated", () => {
    const growth = saturationIn(arrivalsOf({ servers: 4, load: 1.25, ...CONSTANT }, 1));
    expect(growth?.servedShare).toBeCloseTo(1 / 1.25, 2);
    expect(growth?.growthMsPerS).toBeCloseTo(250, -1);
  });
});

describe("a run", () => {
  /** Each arrival takes 10 ms longer than the one before. */
  const growing = (more: Partial<RunOptions> = {}) =>
    makeRun({
      change: (record, index) => {
        const late = index * 10;
        const { e2e = 0, ttft = 0 } = record;
        return { ...record, sent: record.scheduled, ttft: ttft + late, e2e: e2e + late };
      },
      ...more,
    });

  test("whose queue grew names it among the reasons, and is VALID", async () => {
    const { validity, saturation } = await summarize([growing()]);
    expect(validity.verdict).toBe("VALID");
    expect(validity.reasons[0]).toMatch(
      /^the target is saturated: at a constant rate, .* \(200 ms per second\), so its queue grows; it serves about 16\.6\d\/s of 20\/s$/,
    );
    expect(saturation?.servedShare).toBeCloseTo(1 / 1.2, 2);
  });

  test("whose load generator was limited too names both, unless that may have been the queue", async () => {
    const late = growing();
    const changed = (lines: readonly string[], more: object) =>
      lines.map((line) => JSON.stringify({ ...JSON.parse(line), ...more }));
    const [header = "", ...lines] = late.records;
    const reasonsOf = async (lag: number, more: object = {}) => {
      const records = [header, ...changed(lines, { lag })];
      const { validity } = await summarize([{ records, client: changed(late.client, more) }]);
      expect(validity.verdict).toBe("CLIENT-LIMITED");
      return validity.reasons.join();
    };
    expect(await reasonsOf(50)).toMatch(/the load generator was late: .*,the target is saturated: /);
    expect(await reasonsOf(50, { cpu: 1.9 })).not.toContain("saturated");
    expect(await reasonsOf(7_000)).not.toContain("saturated");
  });

  test("with a rate that changes is not looked at", async () => {
    const run = growing();
    const [header = "", ...lines] = run.records;
    const ramp = header.replace('"rate":20', '"rate":"10..30"');
    expect(ramp).not.toBe(header);
    expect((await summarize([{ ...run, records: [ramp, ...lines] }])).saturation).toBeUndefined();
  });

  test("whose queue is full, so that the target refuses the rest, does not grow", async () => {
    const full = makeRun({ change: (record, index) => (index % 2 === 0 ? record : httpError(record, 429)) });
    expect((await summarize([full])).saturation).toBeUndefined();
  });

  test("is not said to grow because its first requests were quick", async () => {
    const cold = makeRun({
      change: (record, index) => (index < 100 ? record : { ...record, e2e: 3_000, sent: instant(index * 50) }),
    });
    expect((await summarize([cold])).saturation).toBeUndefined();
  });
});
