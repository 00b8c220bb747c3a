/** The steps of a video task, from submission to its end, without the requests themselves. Pure. */

import { isTerminal } from "../../contract/service.ts";
import type { CancelReason } from "../../formats/outcomes.ts";

/** Consecutive polls without a known state after which a task is given up. */
export const MAX_FAILED_POLLS = 5;

/** What is needed of a reply. */
export interface TaskReply {
  readonly outcome: string;
  readonly task?: string;
  readonly task_state?: string;
}

/** The requests of a video task; tests replace them. */
export interface VideoCalls {
  readonly submit: () => TaskReply;
  readonly poll: (task: string) => TaskReply;
  readonly cancel: (task: string, reason: CancelReason) => TaskReply;
  /** Waits for the time between two polls; false when the run is stopping. */
  readonly wait: () => boolean;
  /** Milliseconds since any fixed time. */
  readonly now: () => number;
}

/**
 * Submits, then polls until the task has ended, the run stops, or the task is given up. A task to be cancelled is cancelled
 * once, after the first poll that shows it processing. The next poll shows whether it was, or how it ended when the cancel
 * was rejected; one that goes on after an accepted cancel is polled to its end.
 * @param timeoutMs a task that takes longer is given up; 0: never
 */
export function runVideoTask(calls: VideoCalls, toBeCancelled: boolean, timeoutMs: number): void {
  const { task } = calls.submit();
  if (task === undefined || task === "") return;
  const limit = timeoutMs > 0 ? calls.now() + timeoutMs : Number.POSITIVE_INFINITY;
  let cancelDue = toBeCancelled;
  let failed = 0;
  while (calls.wait()) {
    const { task_state: state } = calls.poll(task);
    if (isTerminal(state)) return;
    failed = state === "processing" ? 0 : failed + 1;
    if (failed === MAX_FAILED_POLLS || calls.now() >= limit) {
      giveUp(calls, task);
      return;
    }
    if (cancelDue && state === "processing") {
      cancelDue = false;
      calls.cancel(task, "asked");
    }
  }
}

/** Cancels a task; a poll after an accepted cancel shows whether the task goes on, which is then left to the clean-up. */
function giveUp({ cancel, wait, poll }: VideoCalls, task: string): void {
  if (cancel(task, "given_up").outcome === "ok" && wait()) poll(task);
}
