/** The calls of a video task. */

import type { Reply } from "k6/x/assay";
import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import type { CancelReason } from "../../formats/outcomes.ts";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { textPart } from "../inputs.ts";
import { perModel } from "../workloads.ts";
import { type VideoSettings, videoBodies } from "./bodies.ts";
import { cancelEndpoint, serviceEndpoint } from "./service-endpoint.ts";

const requests = perModel(
  "video",
  ({ videoModel }) => videoModel,
  (workload, model) => ({
    bodyOf: videoBodies(model),
    submission: serviceEndpoint(`video.submit ${model}`, workload, ({ videoSubmitEndpoint }, target) =>
      videoSubmitEndpoint(target, model),
    ),
    poll: serviceEndpoint(`video.poll ${model}`, workload, ({ videoPollEndpoint }, target) =>
      videoPollEndpoint(target, model),
    ),
    cancellation: cancelEndpoint(workload, model),
    download:
      workload.fetchVideo &&
      serviceEndpoint(`video.fetch ${model}`, workload, ({ videoFetchEndpoint }, target) =>
        videoFetchEndpoint(target, model, workload.fetchVideo === "full" ? "GET" : "HEAD"),
      ),
  }),
);

/**
 * Submits a video; `task` of the reply is absent when it was not accepted. The prompt is cut to the length that the service
 * allows.
 * @param cancelAt for the record: when the task is to be cancelled
 */
export const submitVideo = (prompt: Prompt, video: VideoSettings = {}, cancelAt?: string): Reply => {
  const { submission, bodyOf } = requests();
  const body = bodyOf(textPart(prompt, VIDEO_PROMPT_MAX), video);
  const { duration: videoSeconds, resolution: videoResolution } = video;
  return submission.send({
    body,
    ...(cancelAt !== undefined && { cancelAt }),
    ...(videoSeconds !== undefined && { videoSeconds }),
    ...(videoResolution !== undefined && { videoResolution }),
  });
};

/** Polls a task once; `task_state` and `progress` of the reply are its state. */
export const pollVideo = (task: string): Reply => requests().poll.send({ task });

/** Cancels a task; the outcome is not `ok` when it has already ended. */
export const cancelVideo = (task: string, cancelReason: CancelReason = "asked"): Reply =>
  requests().cancellation.send({ task, cancelReason });

/** Requests the video of a completed task, where the workload asks for that. */
export function fetchVideo(task: string, video: string): void {
  requests().download?.send({ task, video });
}
