/**
 * How late a load generator was: a percentile of all its samples, and the number of seconds with a late p99 of their own.
 * Both are compared with the same limit; either can make a run CLIENT-LIMITED. Pure.
 */

import type { Lateness } from "../../../formats/run.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { formatShare } from "../../numbers.ts";
import type { Counted } from "../stats/counted.ts";
import { LIMITS } from "./limits.ts";

/** What is known about one kind of lateness of one load generator. Milliseconds. */
interface Samples {
  readonly name: Lateness["name"];
  /** All of the measured phase. */
  readonly sample: Counted;
  readonly limitMs: number;
  /** The percentile that is compared, in thousandths, where there are enough samples. */
  readonly perMille: number;
  /** That percentile of each measured second that has samples. */
  readonly bySecondMs: readonly number[];
}

/** The percentile that decides, beside what else a reader compares it with; undefined without samples. */
export function latenessOf({ name, sample, limitMs, perMille: wanted, bySecondMs }: Samples): Lateness | undefined {
  if (sample.count === 0) return undefined;
  const { label, perMille } = comparedQuantile(sample.count, wanted);
  return {
    name,
    percentile: label,
    ms: sample.quantile(perMille),
    limitMs,
    samples: sample.count,
    lateSeconds: bySecondMs.filter((ms) => ms > limitMs).length,
    seconds: bySecondMs.length,
  };
}

/** The percentile that is compared, or the highest below it that this many samples allow; of very few, the median. */
function comparedQuantile(count: number, wanted: number): (typeof QUANTILES)[number] {
  const candidates = QUANTILES.filter(({ perMille }) => perMille <= wanted);
  return candidates.findLast(({ minSamples }) => count >= minSamples) ?? QUANTILES[0];
}

/** Whether the percentile that decides is beyond its limit. */
export const isLate = ({ ms, limitMs }: Lateness): boolean => ms > limitMs;

/** Whether most of the measured seconds were late, however few they are. */
export const isLateMostly = ({ lateSeconds, seconds }: Lateness): boolean =>
  lateSeconds >= Math.max(LIMITS.lateSeconds, LIMITS.lateSecondsShare * seconds);

/**
 * What was beyond its limit, in words: `wake-up latency p95 31.5 ms, limit 10 ms`, or the number of late seconds when
 * only that is.
 * @param name as the sentence calls it
 */
export function latenessInWords(lateness: Lateness, name: string): string {
  const { limitMs, lateSeconds, seconds } = lateness;
  const compared = `${name} ${comparisonInWords(lateness)}`;
  if (isLate(lateness)) return compared;
  const compares = lateness.name === "wake-up latency" ? "p90" : "p99";
  return `${name} ${compares} above ${inMs(limitMs)} in ${lateSeconds} of ${seconds} measured seconds, limit ${formatShare(LIMITS.lateSecondsShare)} of them (of the run: ${compared})`;
}

/** `p95 0.3 ms, limit 10 ms`. */
export const comparisonInWords = ({ percentile, ms, limitMs }: Lateness): string =>
  `${percentile} ${ms.toFixed(1)} ms, limit ${inMs(limitMs)}`;

const inMs = (limit: number): string => `${Number.isInteger(limit) ? limit : limit.toFixed(1)} ms`;

/** Of the load generators of a run, the one that is nearest to its limit or furthest beyond it. */
export const worstOf = (all: readonly (Lateness | undefined)[]): Lateness | undefined =>
  all.reduce((worst, other) => {
    if (worst === undefined || other === undefined) return worst ?? other;
    return isWorse(other, worst) ? other : worst;
  }, undefined);

const isWorse = (a: Lateness, b: Lateness): boolean =>
  isLateMostly(a) === isLateMostly(b) ? a.ms / a.limitMs > b.ms / b.limitMs : isLateMostly(a);
