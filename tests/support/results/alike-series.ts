/** Series of latencies in the order of time, of targets whose percentiles are known: independent ones, and such as are alike. */

import { normalQuantile } from "../../../lib/normal-quantile.ts";
import type { Random } from "./random-numbers.ts";

export interface KindOfSeries {
  readonly name: string;
  /** So many latencies. */
  readonly make: (count: number, random: Random) => Float64Array;
  /** The percentile of the target. */
  readonly quantile: (share: number) => number;
}

const SIGMA = 0.6;
const CORRELATION = 0.9;

const exponential = ({ uniform }: Random): number => -Math.log(1 - uniform());

/** One server, arrivals and times of service exponential: the time in the system is, too, with a mean of 1 / (1 - load). */
const queueAt = (load: number): KindOfSeries => ({
  name: `a queue at ${100 * load}%`,
  make: (count, random) => {
    const took = new Float64Array(count);
    took[0] = exponential(random) / (1 - load);
    for (let index = 1; index < count; index += 1) {
      const waited = Math.max(0, (took[index - 1] ?? 0) - exponential(random) / load);
      took[index] = waited + exponential(random);
    }
    return took;
  },
  quantile: (share) => -Math.log(1 - share) / (1 - load),
});

/** Lognormal latencies, each like the one before it; 0: independent. */
const lognormal = (correlation: number, name: string): KindOfSeries => ({
  name,
  make: (count, { normal }) => {
    const took = new Float64Array(count);
    let last = normal();
    for (let index = 0; index < count; index += 1) {
      took[index] = Math.exp(SIGMA * last);
      last = correlation * last + Math.sqrt(1 - correlation ** 2) * normal();
    }
    return took;
  },
  quantile: (share) => Math.exp(SIGMA * normalQuantile(share)),
});

export const INDEPENDENT = lognormal(0, "independent");
export const KINDS_OF_SERIES: readonly KindOfSeries[] = [
  INDEPENDENT,
  lognormal(CORRELATION, "each 0.9 like the one before"),
  queueAt(0.5),
  queueAt(0.8),
];
