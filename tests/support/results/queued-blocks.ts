/** What the tables of a load give, of made-up values. */

import { holds, type Slo } from "../../../load/objectives/slo.ts";
import type { BeyondCounts } from "../../../reports/load/metrics/beyond-bound.ts";
import { BLOCK_QUANTILES, QUEUE_BLOCKS, type QueuedBlock } from "../../../reports/load/validity/saturation.ts";

/** An arrival: when it was due, in seconds from the begin of the measured window, and how long it took from then. */
export interface QueuedArrival {
  readonly dueS: number;
  /** Milliseconds; infinite for one that never started. */
  readonly tookMs: number;
}

export function queuedBlocks(arrivals: readonly QueuedArrival[], seconds: number): QueuedBlock[] {
  const blocks = Array.from({ length: QUEUE_BLOCKS }, (): number[] => []);
  for (const { dueS, tookMs } of arrivals) {
    const block = Math.floor((dueS / seconds) * QUEUE_BLOCKS);
    blocks[Math.min(Math.max(block, 0), QUEUE_BLOCKS - 1)]?.push(tookMs);
  }
  return blocks.flatMap((values) => {
    const sorted = values.sort((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    const { p10, p50, p90, low } = BLOCK_QUANTILES;
    return sorted.length === 0
      ? []
      : [{ count: sorted.length, p10: at(p10), p50: at(p50), p90: at(p90), low: at(low) }];
  });
}

/** How many of some values, which are exact, are beyond a bound. */
export function countsBeyond(slo: Slo, values: readonly number[]): BeyondCounts {
  const beyond = values.filter((value) => !holds(value, slo)).length;
  return { count: values.length, least: beyond, most: beyond, further: 0, open: 0 };
}
