/**
 * The batch: which chats run in a slot, which wait, and how fast they decode. Pure: every time is an argument.
 *
 * A chat is prefilled in real time, then decoded in the time of the batch, which runs at the speed
 * step(1) / step(running): all chats slow down and speed up together, immediately, when one starts or ends.
 */

import { type Capacity, stepAt } from "./capacity.ts";

export interface BatchEntry {
  /** Milliseconds from the slot to the first token. */
  readonly prefillMs: number;
  /** Called when the entry is due earlier than before: it got its slot, or the batch sped up. */
  onMove: () => void;
  /** When it got its slot. */
  startedMs: number | undefined;
  /** Time of the batch at the end of its prefill, once that has passed. */
  decodesFrom: number | undefined;
}

export class Batch {
  readonly capacity: Capacity;
  readonly #running = new Set<BatchEntry>();
  readonly #waiting = new Set<BatchEntry>();
  /** Time of the batch at `#sinceMs`. */
  #batchMs = 0;
  #sinceMs = 0;

  constructor(capacity: Capacity) {
    this.capacity = capacity;
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a slot or a place in the queue; undefined when the queue is full. */
  enter(nowMs: number, prefillMs: number): BatchEntry | undefined {
    const entry: BatchEntry = { prefillMs, onMove: () => {}, startedMs: undefined, decodesFrom: undefined };
    if (this.#running.size < this.capacity.slots) {
      this.#settle(nowMs);
      this.#start(entry, nowMs);
      return entry;
    }
    if (this.#waiting.size >= this.capacity.queue) return undefined;
    this.#waiting.add(entry);
    return entry;
  }

  /** Releases the slot or the place; the first waiting chat gets the slot. A second call does nothing. */
  leave(entry: BatchEntry, nowMs: number): void {
    if (this.#waiting.delete(entry) || !this.#running.has(entry)) return;
    this.#settle(nowMs);
    this.#running.delete(entry);
    const [next] = this.#waiting;
    if (next === undefined) {
      for (const other of this.#running) other.onMove();
      return;
    }
    this.#waiting.delete(next);
    this.#start(next, nowMs);
    next.onMove();
  }

  /**
   * When an entry reaches `atMs` of the schedule that it would have alone, if the batch does not change; infinite while
   * it waits.
   */
  dueMs(entry: BatchEntry, atMs: number): number {
    const { startedMs, prefillMs } = entry;
    if (startedMs === undefined) return Number.POSITIVE_INFINITY;
    const prefilledMs = startedMs + prefillMs;
    if (atMs <= prefillMs) return startedMs + atMs;
    const slowness = this.#slowness();
    if (entry.decodesFrom === undefined) return prefilledMs + (atMs - prefillMs) * slowness;
    return this.#sinceMs + (entry.decodesFrom + atMs - prefillMs - this.#batchMs) * slowness;
  }

  #slowness(): number {
    return stepAt(this.capacity, this.#running.size) / stepAt(this.capacity, 1);
  }

  /** Advances the time of the batch to now, before the number of running chats changes. */
  #settle(nowMs: number): void {
    const speed = 1 / this.#slowness();
    for (const entry of this.#running) {
      const prefilledMs = (entry.startedMs ?? nowMs) + entry.prefillMs;
      if (entry.decodesFrom !== undefined || prefilledMs > nowMs) continue;
      entry.decodesFrom = this.#batchMs + (prefilledMs - this.#sinceMs) * speed;
    }
    this.#batchMs += (nowMs - this.#sinceMs) * speed;
    this.#sinceMs = nowMs;
  }

  #start(entry: BatchEntry, nowMs: number): void {
    entry.startedMs = nowMs;
    this.#running.add(entry);
  }
}
