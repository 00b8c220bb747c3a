/** What the user sees while a load runs: the newest line of `client.jsonl`, one per second, as a sentence. */

import { loadProgress } from "../../reports/load/views/progress-line.ts";
import { Tail } from "../cli/file-lines.ts";

const LOOK_EVERY_MS = 250;

/** What cannot be read is not shown: the load does not depend on it. */
const linesOf = (tail: Tail): Promise<readonly string[]> => tail.next().catch(() => []);

/** Follows `client.jsonl` and shows its newest line each time that there is one. */
export function followProgress(
  file: string,
  plan: { readonly warmup: number; readonly duration: number },
  show: (line: string) => void,
): { stop(): Promise<void> } {
  const tail = new Tail(file);
  let running = true;
  const look = async (): Promise<void> => {
    const newest = (await linesOf(tail)).at(-1);
    if (newest !== undefined && newest !== "") show(loadProgress(newest, (plan.warmup + plan.duration) / 1_000));
  };
  const loop = async (): Promise<void> => {
    while (running) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    await look();
  };
  const followed = loop();
  return {
    stop: async () => {
      running = false;
      await followed;
    },
  };
}
