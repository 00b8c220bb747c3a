/** A video from its submission to its end: what happens when, without the requests. Pure. */

import { TERMINAL_STATES } from "../../contract/service.ts";

/** Polls in a row that tell nothing before a task is given up; it stays open, and teardown cancels it. */
export const FRUITLESS_POLLS = 5;

/** What a life needs to know of a reply. */
export interface Sighting {
  readonly outcome: string;
  readonly task?: string;
  readonly task_state?: string;
}

/** The calls of a life, so that it can be lived without a service. */
export interface VideoCalls {
  readonly submit: () => Sighting;
  readonly poll: (task: string) => Sighting;
  readonly cancel: (task: string) => Sighting;
  /** Waits for the time between two polls; false when the run is stopping. */
  readonly wait: () => boolean;
}

const isEnd = (state: string | undefined): boolean => TERMINAL_STATES.some((terminal) => terminal === state);

/**
 * Submits, then polls until the task has ended, the run stops, or polls tell nothing any more. A task that is to be
 * cancelled is so once, after the first poll that shows it processing; when the cancel is refused, because the task
 * ended meanwhile, the following poll sees how.
 */
export function runVideoTask(calls: VideoCalls, toBeCancelled: boolean): void {
  const { task } = calls.submit();
  if (task === undefined || task === "") return;
  let cancelDue = toBeCancelled;
  let fruitless = 0;
  while (fruitless < FRUITLESS_POLLS && calls.wait()) {
    const { task_state: state } = calls.poll(task);
    if (isEnd(state)) return;
    fruitless = state === "processing" ? 0 : fruitless + 1;
    if (cancelDue && state === "processing") {
      cancelDue = false;
      if (calls.cancel(task).outcome === "ok") return;
    }
  }
}
