/** Watches whether the mock itself keeps time, and says so when it does not. */

import type { LatenessSummary } from "./lateness.ts";

/** Lateness of the 99th percentile from which the mock calls itself the limit. */
export const LIMITED_MS = 5;
/** How long is looked at, in milliseconds. */
export const WATCH_MS = 5000;
/** A percentile of fewer chunks says little. */
const CHUNKS_MIN = 100;

/**
 * The warning about the last seconds: one line, or undefined while the mock kept time. `justWarned` keeps a bad minute
 * from being told again and again: it is told once, and once more when a good time lay between.
 */
export function limitWarning({ count, p99Ms }: LatenessSummary, justWarned: boolean): string | undefined {
  if (justWarned || !isLimited({ count, p99Ms })) return undefined;
  return (
    `Warning: the mock itself is the limit: in the last ${WATCH_MS / 1000} s it wrote 1 % of ${count} chunks ` +
    `${p99Ms.toFixed(1)} ms late or more (limit ${LIMITED_MS} ms). Lower the load, or give it a core of its own.`
  );
}

/** Whether the mock was so late that it, and not the client, may have set the figures. */
export const isLimited = ({ count, p99Ms }: Pick<LatenessSummary, "count" | "p99Ms">): boolean =>
  count >= CHUNKS_MIN && p99Ms > LIMITED_MS;

/** Looks every few seconds at what `recent` gives, and says what there is to say; ends when called. */
export function watchLateness(recent: () => LatenessSummary, say: (line: string) => void): () => void {
  let warned = false;
  const timer = setInterval(() => {
    const seen = recent();
    const line = limitWarning(seen, warned);
    if (line !== undefined) say(line);
    warned = isLimited(seen);
  }, WATCH_MS).unref();
  return () => clearInterval(timer);
}
