/**
 * What the order of values in time tells: how many of them tell as much as one that is independent, and how exact their mean is. Pure.
 *
 * Under a queue or a stall, requests that are close in time are alike. So the variance of a sum over blocks of time is compared with
 * that of independent values, as a comparison of two runs does it. Of each value, its exponential score counts (Savage, Annals of
 * Mathematical Statistics 27, 1956): a rank that gives the slowest the most weight, since these come together most, without the
 * scale of the values.
 */

import { neighbourFactor, widening } from "./neighbours.ts";

/** Blocks of time at most, each of as many values. */
const BLOCKS = 40;

/** The level at which blocks are taken for alike, and their error is widened. */
const ALPHA = 0.05;
/** Neighbouring values that are more alike than chance makes 95 of 100 series, in standard errors. */
const NEIGHBOURS = 1.645;
/** Variance of blocks, as a multiple of that of independent values, that chance exceeds in 5 of 100 series. */
const SPREAD = 1.9;

/** Values tell as much as this many independent ones at least, which decide a median that all of them are within, or beyond. */
const LEAST = 5;

/** Values in the order of time, and what it tells of them. */
export interface InTime {
  /** Values that together tell as much as one that is independent; 1 or more. */
  readonly alike: number;
  /** Standard error of the mean as a share of it, and how many independent values less one it comes from. */
  readonly relativeError: number;
  readonly freedom: number;
}

/** @param values in the order of time; those that hardly differ are of one rank */
export function inTime(values: Float64Array): InTime {
  const count = values.length;
  if (count < 2) return { alike: 1, relativeError: Number.NaN, freedom: 0 };
  if (values.every((value) => value === values[0])) return { alike: 1, relativeError: 0, freedom: count - 1 };
  const scores = scoresOf(values);
  const spread = spreadOf(scores);
  const own = spreadOf(values);
  const { mean } = own;
  const relativeError = mean === 0 ? 0 : Math.sqrt(own.squares / (count - 1) / count) / Math.abs(mean);
  if (!isMoreThanChance(scores, spread)) return { alike: 1, relativeError, freedom: count - 1 };
  const student = widening(spread.blocks, ALPHA, spread.factor) / Math.sqrt(spread.factor);
  return {
    alike: Math.max(1, Math.min(count / LEAST, spread.inflation * student ** 2)),
    relativeError: relativeError * Math.sqrt(Math.max(1, own.inflation)),
    freedom: Math.max(1, own.blocks / own.factor - 1),
  };
}

/** Whether the values that follow each other, or those of a block, are more alike than chance makes independent ones. */
const isMoreThanChance = (scores: Float64Array, { inflation, mean }: Spread): boolean =>
  inflation > SPREAD || neighbours(scores, mean) + 1 / scores.length > NEIGHBOURS / Math.sqrt(scores.length);

/** For the scores of one series at a time: room that is asked for anew each time is freed late. */
let room = { scores: new Float64Array(0), parts: new Uint16Array(0) };
let roomOfParts: { readonly sizes: Int32Array; readonly scores: Float64Array } | undefined;

/** The exponential scores of values, until those of others are computed: that of a rank of n is ln(n / (n - rank)), with half a rank less. */
function scoresOf(values: Float64Array): Float64Array {
  const { length: count } = values;
  if (room.scores.length < count) room = { scores: new Float64Array(count), parts: new Uint16Array(count) };
  roomOfParts ??= { sizes: new Int32Array(PARTS), scores: new Float64Array(PARTS) };
  const parts = partsOf(values);
  const { sizes, scores } = roomOfParts;
  sizes.fill(0);
  for (let index = 0; index < count; index += 1) sizes[parts[index] ?? 0] = (sizes[parts[index] ?? 0] ?? 0) + 1;
  for (let part = 0, below = 0; below < count; part += 1) {
    const size = sizes[part] ?? 0;
    // Few parts have values: a logarithm for each of the others would take longer than all else.
    if (size > 0) scores[part] = -Math.log1p(-(below + size / 2) / count);
    below += size;
  }
  const own = room.scores.subarray(0, count);
  for (let index = 0; index < count; index += 1) own[index] = scores[parts[index] ?? 0] ?? 0;
  return own;
}

/** Values are of one rank that are in the same part of their range. */
const PARTS = 1 << 16;

/** Parts that are narrower, the nearer they are to the least value, down to this share of the range. */
const NARROWEST = 1e-9;

/** The part of its range that each value is in, in ascending order; what it is above the least value is so exact to 0.03%. */
function partsOf(values: Float64Array): Uint16Array {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const unit = (most - least) * NARROWEST;
  const scale = (PARTS - 1) / Math.log1p(1 / NARROWEST);
  const parts = room.parts.subarray(0, values.length);
  for (let index = 0; index < parts.length; index += 1) {
    parts[index] = Math.log1p(((values[index] ?? 0) - least) / unit) * scale;
  }
  return parts;
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index] ?? 0;
  return sum / values.length;
}

/** The correlation of values that follow each other. */
function neighbours(values: Float64Array, mean: number): number {
  let [squares, products, before] = [0, 0, 0];
  for (let index = 0; index < values.length; index += 1) {
    const from = (values[index] ?? 0) - mean;
    squares += from * from;
    products += from * before;
    before = from;
  }
  return squares === 0 ? 0 : products / squares;
}

/** How much more the sums of blocks vary than those of independent values. */
interface Spread {
  readonly mean: number;
  /** Sum of the squares of what values differ from it. */
  readonly squares: number;
  readonly blocks: number;
  /** By how much the likeness of neighbouring blocks adds to it. */
  readonly factor: number;
  /** In all. */
  readonly inflation: number;
}

function spreadOf(values: Float64Array): Spread {
  const blocks = Math.max(2, Math.min(BLOCKS, Math.floor(values.length / 2)));
  const mean = meanOf(values);
  const sums = new Float64Array(blocks);
  let squares = 0;
  for (let block = 0, index = 0; block < blocks; block += 1) {
    let sum = 0;
    for (const to = Math.ceil(((block + 1) * values.length) / blocks); index < to; index += 1) {
      const from = (values[index] ?? 0) - mean;
      sum += from;
      squares += from * from;
    }
    sums[block] = sum;
  }
  const factor = neighbourFactor(sums);
  const ofSums = sums.reduce((sum, each) => sum + each * each, 0);
  const inflation = squares === 0 ? 1 : (ofSums / squares) * (blocks / (blocks - 1)) * factor;
  return { mean, squares, blocks, factor, inflation };
}
