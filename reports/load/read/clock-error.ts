/**
 * How late one load generator could be when it read the clock, instant by instant: what reads a response is woken as the probe
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

/** A reading can be of the line before or after, in milliseconds: the line and the probe are not written at the same instant. */
const EDGE_MS = 50;

/** The error of the times of one load generator. Milliseconds; instants in milliseconds since 1970. */
export class ClockError {
  readonly #lines: readonly ClientLine[];
  /** From the first instant: when each line was written, and the lateness of its time. */
  readonly #ends: Float64Array;
  readonly #late: Float64Array;
  #origin = Number.NaN;
  #interruptions = new Interruptions([]);
  #known = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY, late: 0 };
  /** Of all readings, the largest error. */
  readonly largest: number;
  /** How long the process did not run, in all. */
  readonly interruptedMs: number;

  constructor(lines: readonly ClientLine[] = []) {
    this.#lines = lines;
    this.#ends = Float64Array.from(lines, ({ t }) => t * 1_000);
    this.#late = Float64Array.from(lines, (line) => latestWakeMs(line) * LATENESS_FACTOR);
    this.largest = this.#late.reduce((max, late) => Math.max(max, late), 0);
    this.interruptedMs = interruptionsOf(lines, 0).reduce((sum, { ms }) => sum + ms, 0);
  }

  /** Sets the instant from which the lines count. */
  startAt(instant: number): void {
    this.#origin = instant;
    // What had waited for the process is sent at once as it runs again, and the target needs as long to work it off.
    const all = interruptionsOf(this.#lines, instant);
    this.#interruptions = new Interruptions(all.map(({ from, to, ms }) => ({ from, to: to + ms })));
  }

  /** Whether the process did not run at some time between two instants, or had just begun to run again. */
  isInterrupted(from: number, to: number): boolean {
    return this.#interruptions.overlaps(from, to);
  }

  /** How late a reading at this instant may have been. */
  at(instant: number): number {
    const at = instant - this.#origin;
    if (at > this.#known.from && at < this.#known.to) return this.#known.late;
    let line = this.#lineAt(at - EDGE_MS);
    let late = this.#late[line] ?? 0;
    if (this.#endBefore(line + 1) > at + EDGE_MS) {
      const [from, to] = [this.#endBefore(line) + EDGE_MS, this.#endBefore(line + 1) - EDGE_MS];
      this.#known = { from, to, late };
      return late;
    }
    for (; this.#endBefore(line + 1) <= at + EDGE_MS && line + 1 < this.#ends.length; line += 1) {
      late = Math.max(late, this.#late[line + 1] ?? 0);
    }
    return late;
  }

  /** The line that was written next; the last one after all of them. */
  #lineAt(at: number): number {
    let [low, high] = [0, Math.max(0, this.#ends.length - 1)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #endBefore(line: number): number {
    return this.#ends[line - 1] ?? Number.NEGATIVE_INFINITY;
  }
}

/** Of times without a known error. */
export const EXACT = new ClockError();

/** Between which values the true one of a measured one lies. */
export interface ErrorRange {
  readonly low: number;
  readonly high: number;
}

/**
 * A time from one instant to another, which was measured as `value` milliseconds. Both were read late, the first one before what
 * it timed took place: such a time can only have been measured too long.
 */
export function timeSince(clock: ClockError, from: number, value: number): ErrorRange {
  const to = from + value;
  const low = clock.isInterrupted(from, to) ? 0 : Math.max(0, value - clock.at(from) - clock.at(to));
  return { low, high: value };
}

/**
 * Visits the gaps of a stream: a gap is between two readings, each of which can have been late. In microseconds.
 * @param first instant of the first content
 */
export function eachGap(
  clock: ClockError,
  first: number,
  gapsUs: readonly number[],
  visit: (us: number, range: ErrorRange) => void,
): void {
  let [before, lateBefore] = [first, clock.at(first)];
  const wholeMs = gapsUs.reduce((sum, us) => sum + us, 0) / 1_000;
  const isInterrupted = clock.isInterrupted(first, first + wholeMs);
  for (const us of gapsUs) {
    const at = before + us / 1_000;
    const late = clock.at(at);
    const low = isInterrupted && clock.isInterrupted(before, at) ? 0 : Math.max(0, us - Math.ceil(late * 1_000));
    visit(us, { low, high: us + Math.ceil(lateBefore * 1_000) });
    before = at;
    lateBefore = late;
  }
}
