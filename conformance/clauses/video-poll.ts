/** Polling: what every answer holds, what it adds while the task is processing, and which task it names. */

import { VIDEO_STATE_FIELDS, VIDEO_TASK_FIELDS } from "../../contract/fields.ts";
import { SUCCESS_STATUS } from "../../contract/service.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { outcomeOf, statusIs } from "../judges/acceptance.ts";
import { polledTasks, polls, pollsReporting, tasksAtWork } from "../judges/exchange-kinds.ts";
import { memberOf } from "../judges/json-path.ts";
import { mediaTypeIsJson, noneIsServerError } from "../judges/responses.ts";
import { allPolls, pollsSeeing, submissionAndPolls } from "../judges/selectors.ts";
import { isSuccess, returned } from "../judges/status.ts";
import { only, partOf, pollsIn, reported } from "../judges/task-history.ts";
import { idsAgree, progressSeen } from "../judges/video.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import { completedTask, pollUnknown } from "../probes/video.ts";

const SUBMITTED = ["video.submit.response.id"];
const POLL_ROWS = ["endpoints.video.poll", "endpoints.video.poll.bare", "endpoints.video.poll.id"];
const isOk = statusIs(SUCCESS_STATUS.videoPoll, "a poll in every state");

export const status = clause(
  "video.poll.http-status",
  "a poll, without a body, returns 200 until the task ends and afterwards",
  {
    row: [...POLL_ROWS, "states.poll-until", "service.video.flow"],
    level: "required",
    needs: SUBMITTED,
    probe: completedTask,
    pick: allPolls,
    provenBy: ["video-poll-201", "video-poll-cancelled-201"],
    judge: isOk,
    over: polledTasks,
    // video.poll.failed.http-status is about the others.
    judgeUnit: (history) => isOk(only(history, "poll").filter((poll) => memberOf(poll, "status") !== "failed")),
  },
);

export const fields = fieldClauses({
  ids: "video.poll",
  rows: "video.task",
  alsoRows: ["states.names"],
  fields: VIDEO_TASK_FIELDS,
  within: "a poll",
  probe: completedTask,
  needs: SUBMITTED,
  undecidedBy: ["video.poll.http-status"],
  faults: "video-poll",
  moreValueFaults: { status: ["video-failed-error"] },
  pick: (exchanges) => allPolls(exchanges).filter(isSuccess),
  unmet: "no poll was successful",
  over: polls,
});

export const mediaType = clause("video.poll.content-type", "a poll is declared as JSON", {
  row: "service.json.media-type",
  level: "recommended",
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
  clause("video.poll.processing.scale", "scale and monotony of progress", {
    ...processing,
    row: "video.task.progress.scale",
    level: "observed",
    over: tasksAtWork,
    judgeUnit: (history) => progressSeen(pollsIn(history, "processing")),
    needs: ["video.poll.processing.progress"],
    judge: progressSeen,
  }),
];

export const ids = [
  clause("video.poll.id.same", "id is the same at submission and in every poll", {
    row: ["video.task.id.path", "endpoints.video.poll.id"],
    level: "required",
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
  clause("video.unknown.not-2xx", "an unknown task id does not return a task", {
    row: "errors.unknown-task.not-2xx",
    level: "recommended",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    provenBy: ["unknown-task-200"],
    judge: ([exchange]) => {
      if (exchange?.answer === undefined) return inconclusive(returned(exchange));
      return isSuccess(exchange) ? broken("no task has this id", returned(exchange)) : holds(returned(exchange));
    },
  }),
  clause("video.unknown.not-5xx", "an unknown task id does not return a server error", {
    row: "errors.unknown-task.not-2xx",
    level: "recommended",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    anyResponse: true,
    provenBy: ["unknown-task-500"],
    judge: noneIsServerError,
  }),
  clause("video.unknown.form", "status and body of a poll of an unknown task id", {
    row: "errors.unknown-task.form",
    level: "observed",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    judge: outcomeOf,
  }),
];
