/** Waiting and taking turns: sleeps that a signal ends, limits of concurrency and rate, a lane for one task at a time. */

import PQueue from "p-queue";
import { LONGEST_MS } from "../../lib/time-limit.ts";

/** Sleeps; returns early when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, LONGEST_MS));
    signal.addEventListener("abort", end);
  });
}

/** The reason of an abort that nobody reads: without one, Node makes an error with its stack. */
const CLEARED = "cleared";

/** Resolves some time after a signal has aborted: a bound for what may not notice it. `clear` must follow. */
export function afterAbort<T>(
  signal: AbortSignal,
  ms: number,
  value: () => T,
): { readonly promise: Promise<T>; readonly clear: () => void } {
  const cleared = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true, signal: cleared.signal });
  });
  const promise = aborted.then(() => sleep(ms, cleared.signal)).then(value);
  return { promise, clear: () => cleared.abort(CLEARED) };
}

export type Limit = <T>(run: () => Promise<T>, urgency?: "urgent") => Promise<T>;

/** Runs at most `most` functions at once, in the order of their arrival, urgent ones before others that wait. */
export function limiter(most: number): Limit {
  const queue = new PQueue({ concurrency: most });
  return (run, urgency) => queue.add(run, { priority: urgency === undefined ? 0 : 1 });
}

/** Waits for a turn, so that at most `perSecond` are given per second, evenly spaced; no rate: no wait. Not p-queue, whose timers outlive an abort. */
export function pacer(perSecond: number | undefined): (signal: AbortSignal) => Promise<void> {
  if (perSecond === undefined) return async () => undefined;
  let next = 0;
  return async (signal) => {
    const due = Math.max(next, performance.now());
    next = due + 1_000 / perSecond;
    await sleep(Math.ceil(due - performance.now()), signal);
  };
}

/** Is given to one holder at a time, lowest order first, first come first among equals. */
export class Lane {
  readonly #queue = new PQueue({ concurrency: 1, autoStart: false });

  /** Waits for the lane; the returned function gives it back. */
  enter(order: number): Promise<() => void> {
    return new Promise((begin) => {
      const hold = (): Promise<void> =>
        new Promise((done) => {
          begin(() => {
            this.#queue.pause();
            done();
            this.#next();
          });
        });
      void this.#queue.add(hold, { priority: -order });
      this.#next();
    });
  }

  /** Chooses a moment later, so that all who become ready together are there to be chosen from. */
  #next(): void {
    setImmediate(() => this.#queue.start());
  }
}
