/** Polling: what every answer holds, what it adds while the task is processing, and which task it names. */

import { VIDEO_STATE_FIELDS, VIDEO_TASK_FIELDS } from "../../contract/fields.ts";
import { SUCCESS_STATUS } from "../../contract/service.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { outcomeOf, statusIs } from "../judges/acceptance.ts";
import { polledTasks, polls, pollsReporting, tasksAtWork } from "../judges/exchange-kinds.ts";
import { memberOf } from "../judges/json-path.ts";
import { mediaTypeIsJson } from "../judges/responses.ts";
import { allPolls, pollsSeeing, submissionAndPolls } from "../judges/selectors.ts";
import { isSuccess, returned } from "../judges/status.ts";
import { only, partOf, pollsIn, reported } from "../judges/task-history.ts";
import { idsAgree, progressSeen } from "../judges/video.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import { completedTask, pollUnknown } from "../probes/video.ts";

const SUBMITTED = ["video.submit.response.id"];
const POLL_ROWS = ["endpoints.video.poll", "endpoints.video.poll.bare", "endpoints.video.poll.id"];
const isOk = statusIs(SUCCESS_STATUS.videoPoll, "a poll in every state");

export const status = clause({
  id: "video.poll.http-status",
  row: [...POLL_ROWS, "states.poll-until", "service.video.flow"],
  level: "required",
  text: "a poll, without a body, returns 200 until the task ends and afterwards",
  needs: SUBMITTED,
  probe: completedTask,
  pick: allPolls,
  provenBy: ["video-poll-201", "video-poll-cancelled-201"],
  judge: isOk,
  over: polledTasks,
  // video.poll.failed.http-status is about the others.
  judgeUnit: (history) => isOk(only(history, "poll").filter((poll) => memberOf(poll, "status") !== "failed")),
});

export const fields = fieldClauses({
  ids: "video.poll",
  rows: "video.task",
  alsoRows: ["states.names"],
  fields: VIDEO_TASK_FIELDS,
  within: "a poll",
  probe: completedTask,
  needs: ["video.poll.http-status"],
  faults: "video-poll",
  moreValueFaults: { status: ["video-failed-error"] },
  pick: allPolls,
  over: polls,
});

export const mediaType = clause({
  id: "video.poll.content-type",
  row: "service.json.media-type",
  level: "recommended",
  text: "a poll is declared as JSON",
  over: polls,
  needs: ["video.poll.http-status"],
  probe: completedTask,
  pick: allPolls,
  provenBy: ["video-poll-content-type-text"],
  judge: mediaTypeIsJson,
});

const processing = {
  probe: completedTask,
  pick: pollsSeeing("processing"),
  unmet: 'the task finished before any poll saw "processing"',
  over: pollsReporting("processing"),
};
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
    over: tasksAtWork,
    judgeUnit: (history) => progressSeen(pollsIn(history, "processing")),
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
    over: polledTasks,
    judgeUnit: (history) => idsAgree(reported(history).filter((exchange) => partOf(exchange) !== "cancel")),
    needs: ["video.poll.id"],
    probe: completedTask,
    pick: submissionAndPolls,
    provenBy: ["video-poll-other-id"],
    judge: idsAgree,
  }),
];

export const unknownTask = [
  clause({
    id: "video.unknown.not-2xx",
    row: "errors.unknown-task.not-2xx",
    level: "recommended",
    text: "an unknown task id does not return a task",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    provenBy: ["unknown-task-200"],
    judge: ([exchange]) => {
      if (exchange?.answer === undefined) return inconclusive(returned(exchange));
      return isSuccess(exchange) ? broken("no task has this id", returned(exchange)) : holds(returned(exchange));
    },
  }),
  clause({
    id: "video.unknown.form",
    row: "errors.unknown-task.form",
    level: "observed",
    text: "status and body of a poll of an unknown task id",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    judge: outcomeOf,
  }),
];
