/**
 * One shared timer for everything that is due. A timer for each chunk cannot keep time at hundreds of streams; one
 * timer of about a millisecond that looks at a heap of absolute times can, and a late call never moves a later one.
 */

import { type Due, DueHeap } from "./due-heap.ts";

/** Called when due; gives the next time at which to be called, or undefined when there is none. */
export type Step = (nowMs: number) => number | undefined;

interface Entry extends Due {
  step: Step | undefined;
}

/** Cancels what was scheduled; harmless when it has run. */
export type Cancel = () => void;

export class Scheduler {
  readonly #heap = new DueHeap<Entry>();
  #live = 0;
  #timer: NodeJS.Timeout | undefined;
  #wakeMs = Number.POSITIVE_INFINITY;

  /** What is scheduled and was not cancelled. */
  get size(): number {
    return this.#live;
  }

  /** Calls `step` at `dueMs` (of `performance.now()`), and again at each time that it gives. */
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
