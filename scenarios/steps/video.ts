/** The three calls of a video task. */

import type { Reply } from "k6/x/assay";
import type { CancelReason } from "../../formats/outcomes.ts";
import { settings } from "../environment.ts";
import { partOf, readyAsJson } from "../inputs.ts";
import type { Prompt } from "../prompts.ts";
import { videoBodies, videoText } from "./bodies.ts";
import { cancelEndpoint, serviceEndpoint } from "./service-endpoint.ts";

const submission = serviceEndpoint(
  "video.submit",
  ({ videoSubmitEndpoint }, target) => videoSubmitEndpoint(target, settings.videoModel),
  readyAsJson("video texts", videoText),
);
const poll = serviceEndpoint("video.poll", ({ videoPollEndpoint }, target) =>
  videoPollEndpoint(target, settings.videoModel),
);
const cancellation = cancelEndpoint();
const bodyOf = videoBodies(settings.videoModel);

/** Submits a video; `task` of the reply is absent when it was not accepted. */
export const submitVideo = (prompt: Prompt): Reply => submission.send({ body: bodyOf(partOf(prompt, videoText)) });

/** Polls a task once; `task_state` and `progress` of the reply are its state. */
export const pollVideo = (task: string): Reply => poll.send({ task });

/** Cancels a task; the outcome is not `ok` when it has already ended. */
export const cancelVideo = (task: string, cancelReason: CancelReason = "asked"): Reply =>
  cancellation.send({ task, cancelReason });
