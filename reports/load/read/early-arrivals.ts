/** A part of the measured time that is read as warm-up: the arrivals that were due in it, with all of their requests. */

import type { ClientLine } from "../../../formats/client.ts";

/** How many arrivals are early: those that started, and those that never did. */
export interface Moved {
  readonly started: number;
  readonly neverStarted: number;
}

export const MOVED_NONE: Moved = { started: 0, neverStarted: 0 };

/** A line of the load generator's health, with the early arrivals counted in the warm-up. */
export const withoutEarly = (line: ClientLine, { started, neverStarted }: Moved): ClientLine => ({
  ...line,
  offered: moved(line.offered, started + neverStarted),
  started: moved(line.started, started),
});

function moved({ warmup, measure }: ClientLine["offered"], early: number): ClientLine["offered"] {
  const count = Math.min(early, measure);
  return { warmup: warmup + count, measure: measure - count };
}
