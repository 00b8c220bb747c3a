/** When the polls of a video task are sent (`--set poll-schedule`), from the time between two of them. Pure: runs in Node and inside k6. */

import { formatDuration, parseDuration, parseFactor, parseShare } from "../units.ts";
import { UsageError } from "../usage-error.ts";

/**
 * `fixed`: always after the same time. `jitter`: after a time drawn evenly from as much as `share` below it to as much above.
 * `backoff`: each `factor` times as long after the last as that one was, up to `mostMs`.
 */
export type PollSchedule =
  | { readonly kind: "fixed" }
  | { readonly kind: "jitter"; readonly share: number }
  | { readonly kind: "backoff"; readonly factor: number; readonly mostMs: number };

const USAGE = "write fixed, jitter:20%, or backoff:2,60s";

/**
 * Reads `fixed`, `jitter:20%` (a share of the time, half of it if none is given), or `backoff:1.5,30s` (a factor and the
 * longest time, 2 and a minute if none are given).
 * @throws UsageError for another text
 */
export function parsePollSchedule(text: string): PollSchedule {
  const [kind = "", values = ""] = text.trim().split(/:(.*)/s);
  if (kind === "fixed" && values === "") return { kind };
  if (kind === "jitter") return { kind, share: parseShare(values || "50%") };
  if (kind !== "backoff") throw new UsageError(`"${text}" is no schedule of polls; ${USAGE}`);
  const [factor = "", most = "", ...more] = (values || "2").split(",");
  const schedule = { kind, factor: parseFactor(factor), mostMs: parseDuration(most.trim() || "60s") } as const;
  if (schedule.factor <= 1 || more.length > 0) {
    throw new UsageError(`"${text}" needs a factor above 1 and the longest time between two polls; ${USAGE}`);
  }
  return schedule;
}

/** Writes a schedule the way `parsePollSchedule` reads it. */
export function formatPollSchedule(schedule: PollSchedule): string {
  if (schedule.kind === "fixed") return schedule.kind;
  if (schedule.kind === "jitter") return `jitter:${schedule.share}`;
  return `backoff:${schedule.factor},${formatDuration(schedule.mostMs)}`;
}

/**
 * Milliseconds before a poll of a task.
 * @param intervalMs the time between two polls
 * @param poll its number, from 1
 * @param drawn from 0 (included) to 1 (excluded)
 */
export function waitBeforePoll(schedule: PollSchedule, intervalMs: number, poll: number, drawn: number): number {
  if (schedule.kind === "fixed") return intervalMs;
  if (schedule.kind === "jitter") return intervalMs * (1 + schedule.share * (2 * drawn - 1));
  return Math.max(intervalMs, Math.min(schedule.mostMs, intervalMs * schedule.factor ** (poll - 1)));
}
