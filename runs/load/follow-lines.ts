/** Follows files of lines that another process appends to, while a load runs. */

import { Tail } from "../../cli/file-lines.ts";

const LOOK_EVERY_MS = 250;

/** What cannot be read is left out: the load does not depend on it. */
const linesOf = (tail: Tail): Promise<readonly string[]> => tail.next().catch(() => []);

export interface Followed {
  /** Looks once more, then ends. */
  stop(): Promise<void>;
}

/**
 * Gives the lines that were added to files since the last look, each time that the first of them has grown: every look costs
 * time that the load may need.
 * @param take gets them in the order of `files`; each call ends before the next
 */
export function followLines(
  [clock, ...others]: readonly [string, ...string[]],
  take: (added: readonly (readonly string[])[]) => void | Promise<void>,
): Followed {
  const ticks = new Tail(clock);
  const tails = others.map((file) => new Tail(file));
  let running = true;
  const look = async (): Promise<void> => {
    const added = await linesOf(ticks);
    if (added.length > 0 || !running) await take([added, ...(await Promise.all(tails.map(linesOf)))]);
  };
  const loop = async (): Promise<void> => {
    while (running) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    await look();
  };
  const followed = loop();
  // An error is thrown by `stop`, and not while the load goes on.
  followed.catch(() => undefined);
  return {
    stop: async () => {
      running = false;
      await followed;
    },
  };
}
