/** The change of a quantile between two sides: a bootstrap in blocks of time. */

import { type ErrorKnowledge, errorOfBlocks, neighbourFactor, widening } from "../../load/stats/neighbours.ts";
import type { BlockResamples } from "./block-resamples.ts";
import { type BlockedSample, occupied } from "./blocked-sample.ts";
import { type Change, logOf } from "./change.ts";

/** The samples of one side. The two differ where some samples are known in part only: then the truth is between them. */
export interface SampleBounds {
  /** With each such sample as small as it can be. */
  readonly low: BlockedSample;
  /** As large as it can be: infinite. */
  readonly high: BlockedSample;
}

/**
 * The change of a quantile, as ln(new / base).
 *
 * A resample of blocks has another share of samples up to the quantile, and its own quantile is where the share of all
 * samples differs by as much. So each resample takes time for its blocks only, not for all samples.
 * @param share the quantile, from 0 to 1
 * @param scaleOf absent: the logarithm; what is as it is gives the change as new - base
 */
export function quantileChange(
  base: SampleBounds,
  next: SampleBounds,
  share: number,
  resamples: BlockResamples,
  scaleOf: ScaleOf = logOf,
): Change {
  const least = new Difference(base.high, next.low, share, resamples, scaleOf);
  const most =
    base.high === base.low && next.high === next.low
      ? least
      : new Difference(base.low, next.high, share, resamples, scaleOf);
  return {
    estimate: (least.estimate + most.estimate) / 2,
    exact: least.estimate === most.estimate,
    error: least.error.relative > most.error.relative ? least.error : most.error,
    interval: (alpha, wider = 1) => {
      const ends = least.ends(alpha, wider);
      return [ends[0], most === least ? ends[1] : most.ends(alpha, wider)[1]];
    },
  };
}

/** The scale on which values are compared. */
export type ScaleOf = (value: number) => number;

/** Of two samples whose values are all known. */
class Difference {
  readonly estimate: number;
  readonly error: ErrorKnowledge;
  readonly #base: Resampled;
  readonly #next: Resampled;
  readonly #variance: number;
  readonly #scaleOf: ScaleOf;
  /** Blocks in which both sides have samples, at most. */
  readonly #blocks: number;

  constructor(base: BlockedSample, next: BlockedSample, share: number, resamples: BlockResamples, scaleOf: ScaleOf) {
    this.#scaleOf = scaleOf;
    this.#base = new Resampled(base, share, resamples);
    this.#next = new Resampled(next, share, resamples);
    this.#blocks = Math.max(2, Math.min(occupied(base.sizes), occupied(next.sizes)));
    this.estimate = scaleOf(next.quantile(share)) - scaleOf(base.quantile(share));
    const ofBase = this.#base.effects(scaleOf);
    this.#variance = neighbourFactor(this.#next.effects(scaleOf).map((effect, block) => effect - (ofBase[block] ?? 0)));
    this.error = errorOfBlocks(this.#blocks, this.#variance);
  }

  ends(alpha: number, wider: number): readonly [number, number] {
    const factor = wider * widening(this.#blocks, alpha, this.#variance);
    const ofBase = this.#base.quantiles(factor);
    const differences = this.#next
      .quantiles(factor)
      .map((ofNext, index) => this.#scaleOf(ofNext) - this.#scaleOf(ofBase[index] ?? Number.NaN));
    return percentileEnds(differences, alpha);
  }
}

/** One sample, and how its quantile differs in each resample. */
class Resampled {
  readonly #sample: BlockedSample;
  readonly #share: number;
  /** In each block, how many of its samples are up to the quantile. */
  readonly #lowest: Float64Array;
  /** In each resample, the share of samples up to the quantile. */
  readonly #shares: Float64Array;

  constructor(sample: BlockedSample, share: number, resamples: BlockResamples) {
    this.#sample = sample;
    this.#share = share;
    this.#lowest = sample.lowest(share);
    this.#shares = resamples.shares(this.#lowest, sample.sizes);
  }

  /** How much each block moves the quantile on a scale. */
  effects(scaleOf: ScaleOf): Float64Array {
    const slope = slopeOf(this.#sample, this.#share, spread(this.#shares, this.#share), scaleOf) / this.#sample.count;
    return this.#lowest.map((count, block) => slope * (count - this.#share * (this.#sample.sizes[block] ?? 0)));
  }

  /** The quantile of each resample. @param factor by how much wider than they are drawn */
  quantiles(factor: number): Float64Array {
    return this.#shares.map((share) => this.#sample.quantile(this.#share - factor * (share - this.#share)));
  }
}

/**
 * Where a quantile of one side lies, by chance within its runs: from -Infinity to Infinity where the data sets no bound.
 * @param share the quantile, from 0 to 1 @param alpha the probability that it lies outside
 */
export function quantileInterval(
  { low, high }: SampleBounds,
  share: number,
  resamples: BlockResamples,
  alpha: number,
): readonly [number, number] {
  const ends = (sample: BlockedSample): readonly [number, number] => {
    const resampled = new Resampled(sample, share, resamples);
    const blocks = Math.max(2, occupied(sample.sizes));
    const factor = widening(blocks, alpha, neighbourFactor(resampled.effects((value) => value)));
    return percentileEnds(resampled.quantiles(factor), alpha);
  };
  const least = ends(low);
  return [least[0], high === low ? least[1] : ends(high)[1]];
}

/** The ends between which all but alpha of the values lie; a value that is not known (NaN) may be any. */
export function percentileEnds(values: Float64Array, alpha: number): readonly [number, number] {
  const sorted = values.sort(); // NaN comes last.
  let known = sorted.length;
  while (known > 0 && Number.isNaN(sorted[known - 1])) known -= 1;
  const beyond = Math.floor((alpha / 2) * sorted.length);
  const low = sorted[beyond - (sorted.length - known)] ?? Number.NEGATIVE_INFINITY;
  const high = sorted[sorted.length - 1 - beyond] ?? Number.NaN;
  return [low, Number.isNaN(high) ? Number.POSITIVE_INFINITY : high];
}

function spread(values: Float64Array, centre: number): number {
  let squares = 0;
  for (const value of values) squares += (value - centre) ** 2;
  return Math.sqrt(squares / Math.max(1, values.length));
}

/** How much a quantile on a scale grows with its share, around a share. */
function slopeOf(sample: BlockedSample, share: number, around: number, scaleOf: ScaleOf): number {
  const step = Math.max(around, 1 / sample.count);
  const [from, to] = [Math.max(share - step, 1 / sample.count), Math.min(share + step, 1)];
  return (scaleOf(sample.quantile(to)) - scaleOf(sample.quantile(from))) / (to - from);
}
