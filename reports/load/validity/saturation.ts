/**
 * Whether the queue of a target grew over a run: at a constant rate, the time from the scheduled start to the end rises from
 * its begin to its end. Pure.
 *
 * The measured window is cut into blocks, and a low quartile is taken of each: in a queue that only has its ups and downs, some
 * of the arrivals of each block find it short. A queue grows when nearly every pair of blocks is in order (Kendall's rank
 * correlation), nearly all of the last block took longer than nearly all of the first, and the growth (the median of the
 * slopes between all pairs, Theil and Sen) is more than noise of the service time. Simulations of queues say how often that
 * happens below their capacity, and how often it is found above it.
 */

import type { RunResult } from "../../../formats/run.ts";
import { formatSeconds, formatValue } from "../../numbers.ts";
import { LIMITS } from "./limits.ts";

/** How long the arrivals of a block of time took from when they were due until they ended, in milliseconds; infinite: they never started. */
export interface QueuedBlock {
  readonly count: number;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
  /** The low quartile that blocks are compared by. */
  readonly low: number;
}

type Saturation = NonNullable<RunResult["saturation"]>;

const { blocks: BLOCKS, blockArrivals, quartile, inOrder, slopePerS, growth } = LIMITS.saturation;

/** Shares of the arrivals of a block that are as quick as these quantiles, or quicker. */
export const BLOCK_QUANTILES = { p10: 0.1, p50: 0.5, p90: 0.9, low: quartile } as const;
export const QUEUE_BLOCKS: number = BLOCKS;

/**
 * Looks for a growing queue.
 * @param sorted the blocks of the measured window, which are of equal time, in order
 * @param seconds its length
 * @returns undefined when there is none, or too little to say
 */
export function saturationOf(sorted: readonly QueuedBlock[], seconds: number): Saturation | undefined {
  if (sorted.length < BLOCKS || sorted.some(({ count }) => count < blockArrivals)) return undefined;
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const pairs = pairsOf(sorted.map(({ low }) => low));
  const rising = pairs.filter(({ from, to }) => to > from).length / pairs.length;
  if (rising < inOrder || last.p10 <= first.p90) return undefined;
  const slopes = pairs
    .filter(({ to }) => Number.isFinite(to))
    .map(({ from, to, apart }) => (to - from) / 1_000 / ((apart * seconds) / BLOCKS))
    .sort((a, b) => a - b);
  const slope = at(slopes, 0.5);
  const fromMs = first.p50;
  const toMs = Math.max(...sorted.map(({ p50 }) => p50).filter(Number.isFinite));
  if (!(slope >= slopePerS && slope * seconds * 1_000 >= growth * fromMs)) return undefined;
  return { fromMs, toMs, growthMsPerS: slope * 1_000, servedShare: 1 / (1 + slope) };
}

/** Every two blocks in order, with their distance. */
const pairsOf = (values: readonly number[]) =>
  values.flatMap((from, index) => values.slice(index + 1).map((to, more) => ({ from, to, apart: more + 1 })));

const indexOf = (count: number, share: number): number => Math.min(count - 1, Math.floor(count * share));

const at = (sorted: readonly number[], share: number): number => sorted[indexOf(sorted.length, share)] ?? Number.NaN;

/**
 * What the report says of a growing queue.
 * @param perS arrivals per second that were due
 */
export function saturationInWords({ fromMs, toMs, growthMsPerS, servedShare }: Saturation, perS: number): string {
  const seconds = (ms: number): string => formatSeconds(ms / 1_000);
  return (
    `the target is saturated: at a constant rate, the time from scheduled start to end rose from ${seconds(fromMs)} to ${seconds(toMs)} ` +
    `(${growthMsPerS.toFixed(0)} ms per second), so its queue grows; it serves about ${formatValue(perS * servedShare, "1/s")} of ${formatValue(perS, "1/s")}`
  );
}
