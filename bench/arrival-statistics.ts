/** The times between arrivals, as the server observed them, and how they are distributed. */

import { readableLinesOf } from "../cli/file-lines.ts";
import { groundTruthRow } from "../formats/ground-truth.ts";
import { readInstant } from "../settings/instants.ts";

const arrival = groundTruthRow.pick({ id: true, startedAt: true });

/** Times between the arrivals of all requests with an id in a ground-truth file, in seconds. */
export async function gapsAtServer(ledger: string): Promise<number[]> {
  const at: number[] = [];
  for await (const line of readableLinesOf(ledger)) {
    const { id, startedAt } = arrival.parse(JSON.parse(line));
    if (id !== "") at.push(readInstant(startedAt));
  }
  at.sort((a, b) => a - b);
  return at.slice(1).map((time, index) => (time - (at[index] ?? time)) / 1_000);
}

/** Coefficient of variation: 0 when all are equal, 1 for a Poisson process. */
export function coefficientOfVariation(gaps: readonly number[]): number {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length) / mean;
}

/** Kolmogorov-Smirnov distance between gaps and the exponential distribution of a Poisson process of this rate. */
export function distanceFromPoisson(gaps: readonly number[], rate: number): number {
  const distances = gaps
    .toSorted((a, b) => a - b)
    .map((gap, index, { length }) => {
      const expected = 1 - Math.exp(-rate * gap);
      return Math.max(expected - index / length, (index + 1) / length - expected);
    });
  return Math.max(...distances);
}

/** The distance that 1 % of the samples of a true Poisson process exceed (Massey 1951). */
export const criticalDistance = (count: number): number => 1.628 / Math.sqrt(count);
