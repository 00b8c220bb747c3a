/** Distributions of which some samples are only known to be larger than a value: they are right-censored. */

import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { type Distribution, nearestRank } from "./quantiles.ts";
import type { Sample } from "./sample.ts";

export interface CensoredDistribution extends Partial<Distribution> {
  /** Size of the sample, the censored ones included. */
  readonly count: number;
  /** How many of them are censored. */
  readonly notStarted: number;
  /** A lower bound for each figure that is not known exactly. */
  readonly atLeast: Omit<Partial<Distribution>, "count">;
}

/**
 * Describes a sample together with censored ones, each larger than its value in `largerThan`. A percentile can be measured
 * up to the share of samples that are known, where it is at most the value that holds if every censored sample is larger
 * still. Beyond it, as for the mean and the maximum, only a lower bound is known: the figure that would hold if each censored
 * sample were no larger than its value. A figure whose two bounds are equal is exact, and has no entry in `atLeast`.
 * Undefined when no sample is known.
 */
export async function censoredDistribution(
  sample: Sample,
  largerThan: Sample,
): Promise<Distribution | CensoredDistribution | undefined> {
  const known = await sample.distribution();
  const notStarted = await largerThan.count;
  if (known === undefined || notStarted === 0) return known;
  const lowest = await sample.with(largerThan).distribution();
  if (lowest === undefined) return undefined;
  const { count, ...least } = lowest;
  const ranked = QUANTILES.filter(
    ({ minSamples, perMille }) => count >= minSamples && nearestRank(count, perMille) <= known.count,
  );
  const values = await sample.at(ranked.map(({ perMille }) => nearestRank(count, perMille)));
  const most: Partial<Distribution> = {
    min: known.min,
    ...Object.fromEntries(ranked.map(({ name, perMille }) => [name, values.get(nearestRank(count, perMille))])),
  };
  const open = Object.entries(least).filter(([name, figure]) => most[name as keyof Distribution] !== figure);
  return { count, ...most, notStarted, atLeast: Object.fromEntries(open) };
}
