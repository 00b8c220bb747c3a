/** Polling: what every answer holds, what it adds while the task is processing, and which task it names. */

import { VIDEO_STATE_FIELDS, VIDEO_TASK_FIELDS } from "../../contract/fields.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { statusIs } from "../judges/acceptance.ts";
import { mediaTypeIsJson } from "../judges/responses.ts";
import { allPolls, pollsSeeing, submissionAndPolls } from "../judges/selectors.ts";
import { idsAgree, idsUnique, progressSeen } from "../judges/video.ts";
import { cancelledTask, completedTask, PACKED } from "../probes/video.ts";

const SUBMITTED = ["video.submit.response.id"];
const POLL_ROWS = ["endpoints.video.poll", "endpoints.video.poll.bare", "endpoints.video.poll.id"];
const isOk = statusIs(200, "a poll in every state");

export const statuses = [
  clause({
    id: "video.poll.http-status",
    row: [...POLL_ROWS, "states.poll-until", "service.video.flow"],
    level: "required",
    text: "a bare poll is answered with 200 until the task's end and after it",
    needs: SUBMITTED,
    probe: completedTask,
    pick: allPolls,
    provenBy: ["video-poll-201"],
    judge: isOk,
  }),
  clause({
    id: "video.poll.cancelled.http-status",
    row: POLL_ROWS,
    level: "required",
    text: "a poll of a cancelled task is answered with 200",
    needs: [...SUBMITTED, "video.cancel.works"],
    probe: cancelledTask,
    pick: allPolls,
    provenBy: ["video-poll-201"],
    judge: isOk,
  }),
];

export const fields = fieldClauses({
  ids: "video.poll",
  rows: "video.task",
  alsoRows: ["states.names"],
  fields: VIDEO_TASK_FIELDS,
  within: "a poll",
  probe: completedTask,
  needs: ["video.poll.http-status"],
  faults: "video-poll",
  pick: allPolls,
});

export const cancelledFields = fieldClauses({
  ids: "video.poll.cancelled",
  rows: "video.task",
  fields: VIDEO_TASK_FIELDS,
  within: "a poll of a cancelled task",
  probe: cancelledTask,
  needs: ["video.poll.cancelled.http-status", "video.cancel.works"],
  faults: "video-poll",
  pick: allPolls,
});

export const mediaType = clause({
  id: "video.poll.content-type",
  row: "service.json.media-type",
  level: "recommended",
  text: "a poll says that it is JSON",
  needs: ["video.poll.http-status"],
  probe: completedTask,
  pick: allPolls,
  provenBy: ["video-poll-content-type-text"],
  judge: mediaTypeIsJson,
});

const processing = { probe: completedTask, pick: pollsSeeing("processing"), unmet: "no poll saw the task processing" };
export const progress = [
  ...fieldClauses({
    ...processing,
    ids: "video.poll.processing",
    rows: "video.task",
    alsoRows: ["endpoints.video.poll.processing"],
    fields: VIDEO_STATE_FIELDS.processing,
    within: "a task that is processing",
    needs: ["video.poll.status.value"],
    faults: "video-processing",
  }),
  clause({
    ...processing,
    id: "video.poll.processing.scale",
    row: "video.task.progress.scale",
    level: "observed",
    text: "scale and monotony of progress",
    needs: ["video.poll.processing.progress"],
    judge: progressSeen,
  }),
];

export const ids = [
  clause({
    id: "video.poll.id.same",
    row: ["video.task.id.path", "endpoints.video.poll.id"],
    level: "required",
    text: "id is the same at submission and in every poll",
    needs: ["video.poll.id"],
    probe: completedTask,
    pick: submissionAndPolls,
    provenBy: ["video-poll-other-id"],
    judge: idsAgree,
  }),
  clause({
    id: "video.submit.id.unique",
    row: "video.task.id.path",
    level: "required",
    text: "each task has its own id",
    needs: SUBMITTED,
    probe: completedTask,
    others: [cancelledTask, ...PACKED],
    provenBy: ["video-same-id"],
    judge: (own, others) => idsUnique([own, ...others]),
  }),
];
