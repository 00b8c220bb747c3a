/** The steps of a video task, from submission to its end, without the requests themselves. Pure. */

import { isTerminal } from "../../contract/service.ts";
import type { CancelReason } from "../../formats/outcomes.ts";
import type { CancelPoint } from "../../settings/load/cancel-point.ts";

/** Consecutive polls without a known state after which a task is given up. */
export const MAX_FAILED_POLLS = 5;

/** What is needed of a reply. */
export interface TaskReply {
  readonly outcome: string;
  readonly task?: string;
  readonly task_state?: string;
  readonly progress?: number;
  readonly video_url?: string;
}

/** The requests of a video task; tests replace them. */
export interface VideoCalls {
  readonly submit: () => TaskReply;
  readonly poll: (task: string) => TaskReply;
  readonly cancel: (task: string, reason: CancelReason) => TaskReply;
  /** Requests a finished video. */
  readonly fetch: (task: string, video: string) => void;
  /** Waits for so many milliseconds; false when the run is stopping. */
  readonly wait: (ms: number) => boolean;
  /** Milliseconds since any fixed time. */
  readonly now: () => number;
}

/** What is to become of a task. */
export interface TaskCourse {
  /** When it is to be cancelled; absent: it runs to its end. */
  readonly cancelAt?: CancelPoint | undefined;
  /** Milliseconds before a poll, by its number from 1. */
  readonly waitBefore: (poll: number) => number;
  /** A task that takes longer is given up; 0: never. */
  readonly timeoutMs: number;
}

/**
 * Submits, then polls until the task has ended, the run stops, or the task is given up. A task to be cancelled is cancelled
 * once. The next poll shows whether it was, or how it ended when the cancel was rejected; one that goes on after an accepted
 * cancel is polled to its end. A task whose submission returned an error is cancelled.
 */
export function runVideoTask(calls: VideoCalls, { cancelAt, waitBefore, timeoutMs }: TaskCourse): void {
  const { task, outcome } = calls.submit();
  if (task === undefined || task === "") return;
  if (outcome === "http_error") {
    giveUp(calls, task, waitBefore(1));
    return;
  }
  const begun = calls.now();
  const limit = timeoutMs > 0 ? begun + timeoutMs : Number.POSITIVE_INFINITY;
  let due = cancelAt;
  const cancel = (): void => {
    due = undefined;
    calls.cancel(task, "asked");
  };
  /** Waits until the next poll, and cancels the task meanwhile if its time comes before that. */
  const waited = (ms: number): boolean => {
    const left = due?.kind === "time" ? Math.max(0, begun + due.afterMs - calls.now()) : Number.POSITIVE_INFINITY;
    if (left >= ms) return calls.wait(ms);
    if (left > 0 && !calls.wait(left)) return false;
    cancel();
    return calls.wait(ms - left);
  };
  if (due?.kind === "at-once") cancel();
  let failed = 0;
  for (let poll = 1; waited(waitBefore(poll)); poll += 1) {
    const { task_state: state, progress, video_url: video } = calls.poll(task);
    if (state === "completed" && video !== undefined) calls.fetch(task, video);
    if (isTerminal(state)) return;
    failed = state === "processing" ? 0 : failed + 1;
    if (failed === MAX_FAILED_POLLS || calls.now() >= limit) {
      giveUp(calls, task, waitBefore(poll + 1));
      return;
    }
    if (due !== undefined && state === "processing" && isReached(due, progress)) cancel();
  }
}

/** Whether a poll that shows this progress is at, or beyond, a point. */
const isReached = (point: CancelPoint, progress = 0): boolean =>
  point.kind === "processing" || (point.kind === "progress" && progress >= point.progress);

/** Cancels a task; a poll after an accepted cancel shows whether the task goes on, which is then left to the clean-up. */
function giveUp({ cancel, wait, poll }: VideoCalls, task: string, waitMs: number): void {
  if (cancel(task, "given_up").outcome === "ok" && wait(waitMs)) poll(task);
}
