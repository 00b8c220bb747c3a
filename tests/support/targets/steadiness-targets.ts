/** Simulated targets whose steadiness is known: latencies of a measured window, each with the time at which it was due. */

import type { TimedLatency } from "../../../reports/load/validity/steadiness.ts";
import { simulateQueue } from "../results/queue-simulation.ts";
import { randomFrom } from "../results/random-numbers.ts";

export const WINDOW_S = 60;

/** By how much everything is slower at this second of the window. */
export type Slower = (atS: number) => number;

/** Latencies of one seed. */
export type Target = (seed: number, slower?: Slower) => TimedLatency[];

interface Drawn {
  readonly requests: number;
  /** How long latencies are alike, in seconds. 0: independent. */
  readonly memory: number;
  /** Of a lognormal latency, the standard deviation of its logarithm. */
  readonly spread: number;
}

const drawn =
  ({ requests, memory, spread }: Drawn): Target =>
  (seed, slower = () => 1) => {
    const random = randomFrom(seed);
    const kept = memory === 0 ? 0 : Math.exp(-WINDOW_S / requests / memory);
    let state = random.normal();
    return Array.from({ length: requests }, (_, index) => {
      const atS = (index / requests) * WINDOW_S;
      const ms = 100 * Math.exp(spread * state) * slower(atS);
      state = kept * state + Math.sqrt(1 - kept * kept) * random.normal();
      return { atS, ms, kind: 0 };
    });
  };

/** Two kinds of requests, one nine times as long as the other. */
const twoKinds: Target = (seed, slower = () => 1) => {
  const random = randomFrom(seed);
  return Array.from({ length: 1_200 }, (_, index) => {
    const atS = (index / 1_200) * WINDOW_S;
    const kind = random.uniform() < 0.5 ? 0 : 1;
    return { atS, ms: (kind === 0 ? 100 : 900) * Math.exp(0.3 * random.normal()) * slower(atS), kind };
  });
};

const BEFORE_S = 10;

/** A queue with a Poisson process of arrivals, which has been served for a while. */
const queue =
  (servers: number, load: number, isFixed = false): Target =>
  (seed, slower = () => 1) => {
    const random = randomFrom(seed);
    const exponential = (): number => -Math.log(1 - random.uniform());
    const serviceMs = 50;
    const jobs: { due: number; service: number }[] = [];
    for (let at = 0; at < BEFORE_S + WINDOW_S; at += (exponential() * serviceMs) / 1_000 / servers / load)
      jobs.push({ due: at * 1_000, service: serviceMs * (isFixed ? 1 : exponential()) * slower(at - BEFORE_S) });
    return simulateQueue(jobs, { inFlight: servers, servers })
      .filter(({ due }) => due >= BEFORE_S * 1_000)
      .map(({ due, end }) => ({ atS: due / 1_000 - BEFORE_S, ms: end - due, kind: 0 }));
  };

export const STEADY: Readonly<Record<string, Target>> = {
  "independent latencies": drawn({ requests: 1_200, memory: 0, spread: 0.5 }),
  "few requests": drawn({ requests: 200, memory: 0, spread: 0.5 }),
  "latencies that are alike for half a second": drawn({ requests: 1_200, memory: 0.5, spread: 0.5 }),
  "latencies that are alike for a thirtieth of the run": drawn({ requests: 1_200, memory: 2, spread: 0.5 }),
  "latencies that hardly differ": drawn({ requests: 1_200, memory: 0, spread: 0.01 }),
  "two kinds of requests": twoKinds,
  "a queue at half of its capacity": queue(1, 0.5),
  "a queue at 80% of its capacity": queue(1, 0.8),
  "a queue at 80% of its capacity, 4 servers": queue(4, 0.8),
  "a queue at 80% of its capacity, equal service": queue(1, 0.8, true),
  "a queue at 90% of its capacity": queue(1, 0.9),
};

/** Twice as slow for the first third. */
export const COLD: Slower = (atS) => (atS < WINDOW_S / 3 ? 2 : 1);

/** Targets of which a cold first third is found. */
export const COLD_TARGETS: Readonly<Record<string, Target>> = {
  "independent latencies": drawn({ requests: 1_200, memory: 0, spread: 0.5 }),
  "few requests": drawn({ requests: 200, memory: 0, spread: 0.25 }),
  "latencies that are alike for half a second": drawn({ requests: 1_200, memory: 0.5, spread: 0.1 }),
  "latencies that hardly differ": drawn({ requests: 1_200, memory: 0, spread: 0.01 }),
  "two kinds of requests": twoKinds,
};
