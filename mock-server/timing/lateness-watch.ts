/** Warns when the mock itself writes chunks late. */

import type { LatenessSummary } from "./lateness.ts";

/** Lateness at the 99th percentile above which the mock reports itself as the limit. */
export const LIMITED_MS = 5;
/** Length of the observed window, in milliseconds. */
export const WATCH_MS = 5000;
/** Fewer chunks are too few for a 99th percentile. */
const CHUNKS_MIN = 100;

/**
 * The warning about the last window: one line, or undefined while the mock was on time. `justWarned`: the previous window
 * was late too, so the warning is not repeated.
 */
export function limitWarning({ count, p99Ms }: LatenessSummary, justWarned: boolean): string | undefined {
  if (justWarned || !isLimited({ count, p99Ms })) return undefined;
  return (
    `Warning: the mock itself is the limit: in the last ${WATCH_MS / 1000} s 1% of its ${count} chunks were written ` +
    `${p99Ms.toFixed(1)} ms late or more (limit ${LIMITED_MS} ms). Lower the load, or run the mock on a separate core.`
  );
}

/** Whether the mock was so late that it, not the client, may have determined the measured times. */
export const isLimited = ({ count, p99Ms }: Pick<LatenessSummary, "count" | "p99Ms">): boolean =>
  count >= CHUNKS_MIN && p99Ms > LIMITED_MS;

/** Checks `recent` in every window and passes warnings to `say`; the returned function stops it. */
export function watchLateness(recent: () => LatenessSummary, say: (line: string) => void): () => void {
  let warned = false;
  const timer = setInterval(() => {
    const summary = recent();
    const line = limitWarning(summary, warned);
    if (line !== undefined) say(line);
    warned = isLimited(summary);
  }, WATCH_MS).unref();
  return () => clearInterval(timer);
}
