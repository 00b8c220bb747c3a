/** How punctual streams were: how far their gaps were from what they should be, and how far whole streams drifted. */

export interface Punctuality {
  readonly chunks: number;
  readonly gapP50: number;
  readonly gapP99: number;
  readonly gapMax: number;
  readonly driftP99: number;
  readonly driftMax: number;
}

/**
 * Errors of streams that should have had a chunk every `itlMs`, in milliseconds; their drift is how much longer or
 * shorter than that they took as a whole.
 * @param streams times of the chunks of each, in milliseconds from anywhere
 */
export function punctualityOf(streams: readonly (readonly number[])[], itlMs: number): Punctuality {
  const errors = streams.flatMap((at) => at.slice(1).map((time, i) => Math.abs(time - (at[i] ?? time) - itlMs)));
  const drifts = streams.map((at) => Math.abs((at.at(-1) ?? 0) - (at[0] ?? 0) - (at.length - 1) * itlMs));
  return {
    chunks: streams.reduce((sum, { length }) => sum + length, 0),
    gapP50: quantile(errors, 0.5),
    gapP99: quantile(errors, 0.99),
    gapMax: quantile(errors, 1),
    driftP99: quantile(drifts, 0.99),
    driftMax: quantile(drifts, 1),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
