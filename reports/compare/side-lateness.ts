/** By how much a change between two sides can be that of their load generators: by the bands of what each of them measured. Pure. */

import { metric } from "../../load/objectives/metrics.ts";
import type { Sides } from "./gate-data.ts";
import type { Gate } from "./gates.ts";
import type { Side } from "./side-samples.ts";

/** In the unit of the metric: by how much the measured change can be above the true one, and below it. */
export interface Lateness {
  readonly above: number;
  readonly below: number;
}

/** By how much the value of a side can be above the true one, and below it: the mean of its runs. */
function errorOf({ runs }: Side, { metric: name, quantile }: Gate): Lateness {
  const key = quantile?.name ?? "value";
  const sum = { above: 0, below: 0 };
  for (const { run } of runs) {
    const { band, [key]: value } = run.metrics[name] ?? {};
    if (value === undefined) continue;
    sum.above += Math.max(0, value - (band?.low?.[key] ?? value));
    sum.below += Math.max(0, (band?.high?.[key] ?? value) - value);
  }
  return { above: sum.above / runs.length, below: sum.below / runs.length };
}

/**
 * The lateness of a change. Two load generators that are late alike measure a latency too long alike, so that only the
 * difference counts; of failures and amounts, what an interruption can have done to either side does.
 */
export function latenessOf(sides: Sides, gate: Gate): Lateness {
  const [base, next] = [errorOf(sides.base, gate), errorOf(sides.new, gate)];
  if (metric(gate.metric).unit !== "ms") return { above: next.above + base.below, below: base.above + next.below };
  const more = (a: number, b: number): number => Math.max(0, a - b);
  return {
    above: more(next.above, base.above) + more(base.below, next.below),
    below: more(base.above, next.above) + more(next.below, base.below),
  };
}
