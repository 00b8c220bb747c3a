/** The clock of the video tasks. It can be held and advanced by hand; streams are not affected. */

export interface TaskClock {
  /** Milliseconds since the clock was created. */
  now(): number;
  readonly held: boolean;
  /** Stops the clock where it is. */
  hold(): void;
  /** Lets the clock run again from its current time. */
  run(): void;
  /** Moves the clock forward, held or not. */
  advance(ms: number): void;
}

/** Creates a clock that runs, or is held from the start. `source` is a monotonic time in milliseconds. */
export function taskClock(held = false, source: () => number = () => performance.now()): TaskClock {
  let offset = -source();
  let heldAt: number | undefined = held ? 0 : undefined;
  const now = () => heldAt ?? source() + offset;
  return {
    now,
    get held() {
      return heldAt !== undefined;
    },
    hold() {
      heldAt = now();
    },
    run() {
      if (heldAt !== undefined) offset = heldAt - source();
      heldAt = undefined;
    },
    advance(ms) {
      if (heldAt === undefined) offset += ms;
      else heldAt += ms;
    },
  };
}
