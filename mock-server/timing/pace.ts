/** When the parts of an answer are due: by its own schedule, or as the batch lets it. */

import type { Batch, BatchEntry } from "./batch.ts";

export interface Pace {
  /** Due times never change, and are known from the start. */
  readonly isFixed: boolean;
  /** When the time `atMs` of the answer's schedule is, as a time of `performance.now()`. */
  dueMs(atMs: number): number;
  /** Calls whenever something may be due earlier than was said. */
  onMove(then: () => void): void;
}

/** The schedule itself, counted from the arrival. */
export const ownPace = (arrivedMs: number): Pace => ({
  isFixed: true,
  dueMs: (atMs) => arrivedMs + atMs,
  onMove: () => {},
});

/** The schedule as slow as the batch. */
export const batchPace = (batch: Batch, entry: BatchEntry): Pace => ({
  isFixed: false,
  dueMs: (atMs) => batch.dueMs(entry, atMs),
  onMove: (then) => {
    entry.onMove = then;
  },
});
