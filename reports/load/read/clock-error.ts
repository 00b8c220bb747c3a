/**
 * How late one load generator could be when it read the clock, slice by slice of time: what reads a response is woken as the probe
 * of wake-ups is, so that its time is late by as much. Pure.
 */

import type { ClientLine } from "../../../formats/client.ts";
import { Interruptions, interruptionsOf, latestWakeMs } from "./interruptions.ts";

/**
 * By which the lateness of a reading is taken to exceed the latest of the 91 wake-ups that the probe has in a second: against
 * the ground truth of a mock, the p99 error was up to 2.0 times the p99 of the wake-ups of a quiet run for a time to first token,
 * which has two readings (its start and its end), and up to 1.5 times for a gap between chunks.
 */
export const LATENESS_FACTOR = 1.5;

/** Readings of one slice have the same lateness; the line and the probe are written at instants as far apart. */
export const SLICE_MS = 50;

/** The error of the times of one load generator. Milliseconds. */
export interface ClockError {
  /** Instant from which slices count, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How late a reading in each slice may have been; those before are as the first, those after as the last. */
  readonly slices: Float64Array;
  /** Of all readings, the largest error. */
  readonly largest: number;
  /** How long the process did not run, in all. */
  readonly interruptedMs: number;
  /** When it did not run, or had just begun to run again. */
  readonly interruptions: Interruptions;
}

/** Longest run whose slices are told apart. */
const MOST_SLICES = (86_400 * 1_000) / SLICE_MS;

/** @param startedAt instant from which the lines count */
export function clockErrorOf(lines: readonly ClientLine[], startedAt: number): ClockError {
  const late = lines.map((line) => latestWakeMs(line) * LATENESS_FACTOR);
  const interruptions = interruptionsOf(lines, startedAt);
  return {
    startedAt,
    slices: slicesOf(lines, late),
    largest: late.reduce((max, each) => Math.max(max, each), 0),
    interruptedMs: interruptions.reduce((sum, { ms }) => sum + ms, 0),
    // What had waited for the process is sent at once as it runs again, and the target needs as long to work it off.
    interruptions: new Interruptions(interruptions.map(({ from, to, ms }) => ({ from, to: to + ms }))),
  };
}

/** A line tells of the time since the one before. A slice has the lateness of each line that it touches, or nearly does. */
function slicesOf(lines: readonly ClientLine[], late: readonly number[]): Float64Array {
  const endMs = (lines.at(-1)?.t ?? 0) * 1_000;
  const slices = new Float64Array(Math.min(MOST_SLICES, Math.max(1, Math.ceil(endMs / SLICE_MS) + 1)));
  for (const [index, { t }] of lines.entries()) {
    const own = late[index] ?? 0;
    const isLast = index === lines.length - 1;
    const first = index === 0 ? 0 : Math.floor(((lines[index - 1]?.t ?? 0) * 1_000) / SLICE_MS) - 1;
    const last = isLast ? slices.length - 1 : Math.floor((t * 1_000) / SLICE_MS) + 1;
    for (let slice = Math.max(0, first); slice <= last && slice < slices.length; slice += 1) {
      slices[slice] = Math.max(slices[slice] ?? 0, own);
    }
  }
  return slices;
}
