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
import { Column } from "../stats/column.ts";
import { PageStore } from "../stats/page-store.ts";
import { Sample } from "../stats/sample.ts";
import { LIMITS } from "./limits.ts";

/** An arrival: when it was due, and how long it took from then until it ended. */
export interface QueuedArrival {
  /** Seconds from the begin of the measured window. */
  readonly dueS: number;
  /** Milliseconds; infinite for one that never started. */
  readonly tookMs: number;
}

type Saturation = NonNullable<RunResult["saturation"]>;

const { blocks: BLOCKS, blockArrivals, quartile, inOrder, slopePerS, growth } = LIMITS.saturation;

/** Calls `take` with each arrival. */
export type QueuedArrivals = (take: (arrival: QueuedArrival) => void) => void;

/**
 * Looks for a growing queue.
 * @param seconds length of the measured window
 * @param store where the values go
 * @returns undefined when there is none, or too little to say
 */
export function saturationOf(
  arrivals: QueuedArrivals,
  seconds: number,
  store = new PageStore(),
): Saturation | undefined {
  const blocks = Array.from({ length: BLOCKS }, () => new Column(store));
  arrivals(({ dueS, tookMs }) => {
    const block = Math.floor((dueS / seconds) * BLOCKS);
    blocks[Math.min(Math.max(block, 0), BLOCKS - 1)]?.push(tookMs);
  });
  if (blocks.some(({ length }) => length < blockArrivals)) return undefined;
  const sorted = blocks.map((block) => quantilesOf(block, store));
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

/** Some quantiles of a block; `low` is the one that blocks are compared by. */
function quantilesOf(block: Column, store: PageStore) {
  const rank = (share: number): number => indexOf(block.length, share) + 1;
  const ranked = new Sample(block.each, store).at([0.1, 0.5, 0.9, quartile].map(rank));
  const value = (share: number): number => ranked.get(rank(share)) ?? Number.NaN;
  return { p10: value(0.1), p50: value(0.5), p90: value(0.9), low: value(quartile) };
}

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
