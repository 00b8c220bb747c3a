/**
 * One shared timer for everything that is due. With hundreds of streams, one timer per chunk is too late; one timer of
 * about a millisecond over a heap of absolute times is not, and a late call does not delay the following ones.
 */

import { type Due, DueHeap } from "./due-heap.ts";

/** Called when due; returns the next time at which to be called, or undefined. */
export type Step = (nowMs: number) => number | undefined;

interface Entry extends Due {
  step: Step | undefined;
}

/** Cancels what was scheduled; does nothing once it has run. */
export type Cancel = () => void;

export class Scheduler {
  readonly #heap = new DueHeap<Entry>();
  #live = 0;
  #timer: NodeJS.Timeout | undefined;
  #wakeMs = Number.POSITIVE_INFINITY;

  /** Number of scheduled entries that were not cancelled. */
  get size(): number {
    return this.#live;
  }

  /** Calls `step` at `dueMs` (of `performance.now()`), and again at each time that it returns. */
  at(dueMs: number, step: Step): Cancel {
    const entry: Entry = { dueMs, step };
    this.#heap.push(entry);
    this.#live += 1;
    this.#arm();
    return () => this.#forget(entry);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#heap.clear();
    this.#live = 0;
  }

  #forget(entry: Entry): void {
    if (entry.step !== undefined) this.#live -= 1;
    entry.step = undefined;
  }

  #arm(): void {
    const next = this.#heap.peek();
    if (next === undefined || next.dueMs >= this.#wakeMs) return;
    clearTimeout(this.#timer);
    this.#wakeMs = next.dueMs;
    this.#timer = setTimeout(this.#tick, Math.max(1, Math.floor(next.dueMs - performance.now())));
  }

  readonly #tick = (): void => {
    this.#wakeMs = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (let entry = this.#heap.peek(); entry !== undefined && entry.dueMs <= now; entry = this.#heap.peek()) {
      this.#heap.pop();
      const again = entry.step?.(now);
      if (again !== undefined && entry.step !== undefined) {
        entry.dueMs = again;
        this.#heap.push(entry);
      } else this.#forget(entry);
    }
    this.#arm();
  };
}
