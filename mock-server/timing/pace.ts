/** When the parts of a response are due: by its own schedule, or as fast as the batch decodes. */

import type { Batch, BatchEntry } from "./batch.ts";

export interface Pace {
  /** Due times are known from the start and never change. */
  readonly isFixed: boolean;
  /** The time `atMs` of the response's schedule as a time of `performance.now()`. */
  dueMs(atMs: number): number;
  /** Calls `then` whenever something may be due earlier than before. */
  onMove(then: () => void): void;
}

/** The response's own schedule, from the arrival of the request. */
export const ownPace = (arrivedMs: number): Pace => ({
  isFixed: true,
  dueMs: (atMs) => arrivedMs + atMs,
  onMove: () => {},
});

/** The schedule at the speed of the batch. */
export const batchPace = (batch: Batch, entry: BatchEntry): Pace => ({
  isFixed: false,
  dueMs: (atMs) => batch.dueMs(entry, atMs),
  onMove: (then) => {
    entry.onMove = then;
  },
});
