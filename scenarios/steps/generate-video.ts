/** A video task from submission to its end or its cancellation, and the clean-up after a run. */

import { type Arrival, openTasks, pause } from "k6/x/assay";
import { OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { services, settings } from "../environment.ts";
import type { Prompt } from "../prompts.ts";
import { isChosen } from "../random.ts";
import { runVideoTask } from "./run-video-task.ts";
import { cancelEndpoint } from "./service-endpoint.ts";
import { cancelVideo, pollVideo, submitVideo } from "./video.ts";

/** Submits a video and polls it to its end; a seeded share of arrivals (`cancelShare`) cancel theirs. */
export function generateVideo(arrival: Arrival, prompt: Prompt): void {
  const calls = {
    submit: () => submitVideo(prompt),
    poll: pollVideo,
    cancel: cancelVideo,
    wait: () => pause(settings.pollInterval),
    now: Date.now,
  };
  const toBeCancelled = isChosen(settings.cancelShare, settings.seed, arrival.index, "cancel");
  runVideoTask(calls, toBeCancelled, settings.taskTimeout);
}

const cancellations = services.map((service) => cancelEndpoint(service));

/**
 * Cancels the tasks that this process submitted and did not see end, several at a time, for `teardown`. A task belongs to
 * whoever submitted it, so each API key is tried until one is accepted.
 */
export function cancelOpenTasks(): void {
  const end = Date.now() + OWN_CLEAN_UP_MS;
  let open = openTasks();
  for (const endpoint of cancellations) {
    if (open.length === 0) return;
    const calls = open.map((task) => ({ task, cancelReason: "clean_up" }) as const);
    const replies = endpoint.sendAll(calls, Math.max(0, end - Date.now()));
    open = open.filter((_, index) => replies[index]?.outcome !== "ok");
  }
}
