/**
 * What blocks of time tell of an error: values that are close in time are alike under a queue, a stall or a drift, so that many of
 * them tell as much as a few independent ones. Pure.
 */

import { normalQuantile } from "../../../lib/normal-quantile.ts";
import { tQuantile } from "./students-t.ts";

/** How far the error of an estimate is known, which is an estimate itself. */
export interface ErrorKnowledge {
  /** Degrees of freedom: how many independent values it comes from, less one. */
  readonly freedom: number;
  /** Its own error, relative to itself. */
  readonly relative: number;
}

/**
 * How much wider than by chance alone the spread of resampled blocks must be taken, so that the interval holds: they vary by
 * (blocks - 1) / blocks too little, neighbours may be alike, and they are few (Student's t), the fewer the more they are alike.
 * @param variance factor from `neighbourFactor`
 */
export function widening(blocks: number, alpha: number, variance: number): number {
  const freedom = freedomOf(blocks, variance);
  const student = tQuantile(1 - alpha / 2, freedom) / normalQuantile(1 - alpha / 2);
  return Math.sqrt((blocks / (blocks - 1)) * variance) * student;
}

/** Degrees of freedom of a variance that is estimated from blocks, as many as independent ones are. */
const freedomOf = (blocks: number, variance: number): number => Math.max(1, blocks / variance - 1);

/** How far an error is known that comes from the spread of blocks, and from how much neighbours are alike. */
export function errorOfBlocks(blocks: number, variance: number): ErrorKnowledge {
  const freedom = freedomOf(blocks, variance);
  const correlation = (variance - 1) / (variance + 1);
  return { freedom, relative: Math.sqrt(1 / (2 * freedom) + 1 / (blocks * (1 - correlation ** 2))) };
}

/**
 * By how much the variance of a mean over blocks exceeds that of independent ones, from the correlation of neighbours: 1 or
 * more. Of a first-order autoregression, which the correlation of any two blocks follows.
 * @param effects what each block contributes, in the order of time
 */
export function neighbourFactor(effects: ArrayLike<number>): number {
  const count = effects.length;
  let sum = 0;
  for (let index = 0; index < count; index += 1) sum += effects[index] ?? 0;
  const mean = sum / count;
  let [squares, products, before] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const from = (effects[index] ?? 0) - mean;
    squares += from * from;
    if (index > 0) products += from * before;
    before = from;
  }
  if (squares === 0) return 1;
  const correlation = Math.min(MOST, products / squares + 1 / count);
  return correlation <= 0 ? 1 : (1 + correlation) / (1 - correlation);
}

/** Blocks that are more alike than this are one. */
const MOST = 0.9;
