/** A video task from submission to its end or its cancellation, and the clean-up after a run. */

import { type Arrival, openTasks, pause } from "k6/x/assay";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { draw, isChosen, pickIndex } from "../../load/inputs/random.ts";
import { OWN_CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { parseCancelPoint } from "../../settings/load/cancel-point.ts";
import { parseModels } from "../../settings/load/models.ts";
import { parsePollSchedule, waitBeforePoll } from "../../settings/load/poll-schedule.ts";
import { servicesToCleanUp, settings } from "../environment.ts";
import { numberOf, workload } from "../workloads.ts";
import { videoSettingsFor } from "./bodies.ts";
import { runVideoTask } from "./run-video-task.ts";
import { cancelEndpoint } from "./service-endpoint.ts";
import { cancelVideo, fetchVideo, pollVideo, submitVideo } from "./video.ts";

/** Submits a video and polls it to its end; a seeded share of arrivals (`cancelShare`) cancel theirs, each at one of the points of `cancelAt`. */
export function generateVideo(arrival: Arrival, prompt: Prompt): void {
  const { pollInterval, pollSchedule, taskTimeout } = workload();
  const schedule = parsePollSchedule(pollSchedule);
  const { seed } = settings;
  const cancelAt = cancelPointFor(arrival);
  const calls = {
    submit: () => submitVideo(prompt, videoSettingsFor(workload(), seed, arrival.index, numberOf(arrival)), cancelAt),
    poll: pollVideo,
    cancel: cancelVideo,
    fetch: fetchVideo,
    wait: pause,
    now: Date.now,
  };
  runVideoTask(calls, {
    cancelAt: cancelAt === undefined ? undefined : parseCancelPoint(cancelAt),
    waitBefore: (poll) => waitBeforePoll(schedule, pollInterval, poll, draw(seed + poll, arrival.index, "poll")),
    timeoutMs: taskTimeout,
  });
}

/** When the task of an arrival is to be cancelled, as `cancelAt` has it; undefined for one that runs to its end. */
function cancelPointFor({ index }: Arrival): string | undefined {
  const { cancelShare, cancelAt } = workload();
  if (!isChosen(cancelShare, settings.seed, index, "cancel")) return undefined;
  return cancelAt[pickIndex(cancelAt.length, settings.seed, index, "cancel at")];
}

const cancellations = servicesToCleanUp.map(({ workload: of, service }) =>
  cancelEndpoint(of, parseModels(of.videoModel)[0]?.model ?? "", service),
);

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
