/** Timing errors of streams: how far their gaps differ from the planned gap, and how far whole streams drift. */

import { quantile } from "../reports/load/stats/quantiles.ts";

/** In milliseconds. */
export interface TimingErrors {
  readonly chunks: number;
  readonly gapP50: number;
  readonly gapP99: number;
  readonly gapMax: number;
  readonly driftP99: number;
  readonly driftMax: number;
}

/**
 * Errors of streams that were planned with one chunk every `itlMs` milliseconds. The drift of a stream is the difference
 * between its duration and the planned one.
 * @param streams the times of the chunks of each stream, in milliseconds from any origin
 */
export function timingErrorsOf(streams: readonly (readonly number[])[], itlMs: number): TimingErrors {
  const gaps = streams.flatMap((at) => at.slice(1).map((time, i) => Math.abs(time - (at[i] ?? time) - itlMs)));
  const drifts = streams.map((at) => Math.abs((at.at(-1) ?? 0) - (at[0] ?? 0) - (at.length - 1) * itlMs));
  const [sortedGaps, sortedDrifts] = [Float64Array.from(gaps).sort(), Float64Array.from(drifts).sort()];
  return {
    chunks: streams.reduce((sum, { length }) => sum + length, 0),
    gapP50: quantile(sortedGaps, 500),
    gapP99: quantile(sortedGaps, 990),
    gapMax: quantile(sortedGaps, 1_000),
    driftP99: quantile(sortedDrifts, 990),
    driftMax: quantile(sortedDrifts, 1_000),
  };
}
