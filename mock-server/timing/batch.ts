/**
 * The batch: which chats hold a slot, which wait, and how fast they go. Pure: every time is given.
 *
 * A chat is prefilled in real time, then decoded in the time of the batch, which runs at the speed
 * step(1) / step(running): all chats slow down and speed up together, at once, when one comes or goes.
 */

import { type Capacity, stepAt } from "./capacity.ts";

export interface Seat {
  /** Milliseconds from the slot to the first token. */
  readonly prefillMs: number;
  /** Called when the seat is due earlier than was said: it got its slot, or the batch sped up. */
  onMove: () => void;
  /** When it got its slot. */
  startedMs: number | undefined;
  /** Time of the batch at the end of its prefill, once that is past. */
  decodesFrom: number | undefined;
}

export class Batch {
  readonly capacity: Capacity;
  readonly #running = new Set<Seat>();
  readonly #waiting = new Set<Seat>();
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

  /** Takes a slot, or a place in the queue; undefined when that is full. */
  enter(nowMs: number, prefillMs: number): Seat | undefined {
    const seat: Seat = { prefillMs, onMove: () => {}, startedMs: undefined, decodesFrom: undefined };
    if (this.#running.size < this.capacity.slots) {
      this.#settle(nowMs);
      this.#seat(seat, nowMs);
      return seat;
    }
    if (this.#waiting.size >= this.capacity.queue) return undefined;
    this.#waiting.add(seat);
    return seat;
  }

  /** Gives the slot or the place back; the first that waits gets the slot. Harmless when it was given back already. */
  leave(seat: Seat, nowMs: number): void {
    if (this.#waiting.delete(seat) || !this.#running.has(seat)) return;
    this.#settle(nowMs);
    this.#running.delete(seat);
    const [next] = this.#waiting;
    if (next === undefined) {
      for (const other of this.#running) other.onMove();
      return;
    }
    this.#waiting.delete(next);
    this.#seat(next, nowMs);
    next.onMove();
  }

  /**
   * When a seat is at `atMs` of the schedule that it would have alone, if the batch stays as it is; infinite while it
   * waits.
   */
  dueMs(seat: Seat, atMs: number): number {
    const { startedMs, prefillMs } = seat;
    if (startedMs === undefined) return Number.POSITIVE_INFINITY;
    const prefilledMs = startedMs + prefillMs;
    if (atMs <= prefillMs) return startedMs + atMs;
    const slowness = this.#slowness();
    if (seat.decodesFrom === undefined) return prefilledMs + (atMs - prefillMs) * slowness;
    return this.#sinceMs + (seat.decodesFrom + atMs - prefillMs - this.#batchMs) * slowness;
  }

  #slowness(): number {
    return stepAt(this.capacity, this.#running.size) / stepAt(this.capacity, 1);
  }

  /** Moves the time of the batch to now, before the number of those that run changes. */
  #settle(nowMs: number): void {
    const speed = 1 / this.#slowness();
    for (const seat of this.#running) {
      const prefilledMs = (seat.startedMs ?? nowMs) + seat.prefillMs;
      if (seat.decodesFrom !== undefined || prefilledMs > nowMs) continue;
      seat.decodesFrom = this.#batchMs + (prefilledMs - this.#sinceMs) * speed;
    }
    this.#batchMs += (nowMs - this.#sinceMs) * speed;
    this.#sinceMs = nowMs;
  }

  #seat(seat: Seat, nowMs: number): void {
    seat.startedMs = nowMs;
    this.#running.add(seat);
  }
}
