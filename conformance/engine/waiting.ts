/** Waiting and taking turns: sleeps that a signal ends, limits of concurrency and rate, a lane for one job at a time. */

import { setTimeout as delay } from "node:timers/promises";

/** Sleeps; returns early when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

export type Limit = <T>(run: () => Promise<T>, urgency?: "urgent") => Promise<T>;

/** Runs at most `most` functions at once, in the order of their coming, urgent ones before others that wait. */
export function limiter(most: number): Limit {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (run, urgency) => {
    if (free > 0) free -= 1;
    else {
      await new Promise<void>((resolve) => {
        if (urgency === undefined) waiting.push(resolve);
        else waiting.unshift(resolve);
      });
    }
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Waits for a turn, so that at most `perSecond` are given in a second, evenly spaced; no rate: no wait. */
export function pacer(perSecond: number | undefined): (signal: AbortSignal) => Promise<void> {
  if (perSecond === undefined) return async () => undefined;
  let next = 0;
  return async (signal) => {
    const due = Math.max(next, performance.now());
    next = due + 1_000 / perSecond;
    await sleep(Math.ceil(due - performance.now()), signal);
  };
}

interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

/** Gives way to one holder at a time, lowest order first, first come first among equals. */
export class Lane {
  #busy = false;
  readonly #queue: Waiting[] = [];

  /** Waits for the lane; the returned function gives it back. */
  async enter(order: number): Promise<() => void> {
    await new Promise<void>((begin) => {
      this.#queue.push({ order, begin });
      this.#next();
    });
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#busy = false;
      this.#next();
    };
  }

  /** Chooses a moment later, so that all who become ready together are there to be chosen from. */
  #next(): void {
    setImmediate(() => {
      if (this.#busy || this.#queue.length === 0) return;
      const lowest = Math.min(...this.#queue.map(({ order }) => order));
      const [chosen] = this.#queue.splice(
        this.#queue.findIndex(({ order }) => order === lowest),
        1,
      );
      this.#busy = true;
      chosen?.begin();
    });
  }
}
