/** Waiting and taking turns: sleeps that a signal ends, a limit of concurrency, a lane for one job at a time. */

import { setTimeout as delay } from "node:timers/promises";

/** Sleeps; returns early when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Runs at most `most` functions at once. */
export function limiter(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
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
