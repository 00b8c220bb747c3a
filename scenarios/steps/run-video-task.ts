/** The steps of a video task, from submission to its end, without the requests themselves. Pure. */

import { isTerminal } from "../../contract/service.ts";

/** Consecutive polls without a known state after which a task is abandoned; teardown then cancels it. */
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
  readonly cancel: (task: string) => TaskReply;
  /** Waits for the time between two polls; false when the run is stopping. */
  readonly wait: () => boolean;
}

/**
 * Submits, then polls until the task has ended, the run stops, or too many polls failed. A task to be cancelled is
 * cancelled once, after the first poll that shows it processing; when the cancel is rejected, because the task has ended
 * meanwhile, the next poll shows how.
 */
export function runVideoTask(calls: VideoCalls, toBeCancelled: boolean): void {
  const { task } = calls.submit();
  if (task === undefined || task === "") return;
  let cancelDue = toBeCancelled;
  let failed = 0;
  while (failed < MAX_FAILED_POLLS && calls.wait()) {
    const { task_state: state } = calls.poll(task);
    if (isTerminal(state)) return;
    failed = state === "processing" ? 0 : failed + 1;
    if (cancelDue && state === "processing") {
      cancelDue = false;
      if (calls.cancel(task).outcome === "ok") return;
    }
  }
}
