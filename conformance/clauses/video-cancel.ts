/** Cancelling a task that is processing, and one that has ended. */

import { VIDEO_CANCELLATION_FIELDS } from "../../contract/fields.ts";
import { SUCCESS_STATUS } from "../../contract/service.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { outcomeOf, statusIs } from "../judges/acceptance.ts";
import { cancels, cancelTasks, completedBeforeCancel, tasksThatEnded } from "../judges/exchange-kinds.ts";
import { mediaTypeIsJson } from "../judges/responses.ts";
import { firstCancel, fullHistory, secondCancel, submissionAndCancel } from "../judges/selectors.ts";
import { partOf, reported } from "../judges/task-history.ts";
import {
  cancelledCompleted,
  cancelledCompletedMildly,
  cancelWorks,
  idsAgree,
  staysCancelled,
} from "../judges/video.ts";
import { cancelledTask, completedTask, failedTask } from "../probes/video.ts";

const WORKS = ["video.cancel.works"];

export const processing = [
  clause("video.cancel.works", "cancel of a processing task, without a body, is accepted", {
    row: ["states.cancelled", "service.video.cancellable", "endpoints.video.cancel", "endpoints.video.cancel.bare"],
    level: "required",
    over: cancelTasks,
    judgeUnit: (history) => cancelWorks(reported(history)),
    needs: ["video.submit.response.id"],
    probe: cancelledTask,
    pick: fullHistory,
    provenBy: ["video-cancel-refused"],
    judge: cancelWorks,
  }),
  clause("video.cancel.status", "cancel returns 200", {
    row: ["endpoints.video.cancel", "states.cancelled"],
    level: "required",
    over: cancels,
    needs: WORKS,
    probe: cancelledTask,
    pick: firstCancel,
    provenBy: ["video-cancel-202"],
    judge: statusIs(SUCCESS_STATUS.videoCancel, "a cancel"),
  }),
  ...fieldClauses({
    ids: "video.cancel.response",
    rows: "video.task",
    alsoRows: ["endpoints.video.cancel", "states.cancelled"],
    fields: VIDEO_CANCELLATION_FIELDS,
    within: "the response to a cancel",
    probe: cancelledTask,
    needs: WORKS,
    pick: firstCancel,
    over: cancels,
    faults: "video-cancel",
  }),
  clause("video.cancel.id.same", "id is the same at submission and in the response to cancel", {
    row: "video.task.id.path",
    level: "required",
    over: cancelTasks,
    judgeUnit: (history) => idsAgree(history.filter((exchange) => partOf(exchange) !== "poll")),
    needs: ["video.cancel.response.id"],
    probe: cancelledTask,
    pick: submissionAndCancel,
    provenBy: ["video-cancel-other-id"],
    judge: idsAgree,
  }),
  clause("video.cancel.content-type", "the response to a cancel is declared as JSON", {
    row: "service.json.media-type",
    level: "recommended",
    over: cancels,
    needs: WORKS,
    probe: cancelledTask,
    pick: firstCancel,
    provenBy: ["video-cancel-content-type-text"],
    judge: mediaTypeIsJson,
  }),
  clause(
    "video.cancel.stays",
    "every later poll reports a cancelled task as cancelled, even if its work would have been done",
    {
      row: ["states.cancelled", "states.cancel-ended.unmoved"],
      level: "required",
      over: tasksThatEnded("cancelled"),
      needs: ["video.cancel.works", "video.poll.status.value"],
      probe: cancelledTask,
      pick: fullHistory,
      provenBy: ["video-cancelled-completes", "video-cancel-forgotten"],
      judge: staysCancelled,
    },
  ),
];

export const ended = [
  clause("video.cancel.completed", "a completed task cannot be cancelled and stays completed", {
    row: ["states.cancel-completed", "errors.cancel-completed"],
    level: "required",
    over: completedBeforeCancel,
    judgeUnit: (history) => cancelledCompleted(reported(history)),
    needs: ["video.poll.completed.stays"],
    probe: completedTask,
    pick: fullHistory,
    provenBy: ["cancel-completed-allowed"],
    judge: cancelledCompleted,
  }),
  clause("video.cancel.completed.refused", "cancel of a completed task does not return success", {
    row: ["states.cancel-completed", "errors.cancel-completed"],
    level: "recommended",
    over: completedBeforeCancel,
    judgeUnit: (history) => cancelledCompletedMildly(reported(history)),
    needs: ["video.cancel.completed"],
    probe: completedTask,
    pick: fullHistory,
    provenBy: ["cancel-completed-idle"],
    judge: cancelledCompletedMildly,
  }),
  clause("video.cancel.completed.form", "status and body of a cancel of a completed task", {
    row: "errors.cancel-completed.form",
    level: "observed",
    needs: ["video.poll.completed.reached"],
    probe: completedTask,
    pick: firstCancel,
    judge: outcomeOf,
  }),
  clause("video.cancel.cancelled.form", "what a second cancel of a cancelled task does", {
    row: "states.cancel-ended",
    level: "observed",
    needs: WORKS,
    probe: cancelledTask,
    pick: secondCancel,
    judge: outcomeOf,
  }),
  clause("video.cancel.failed.form", "what a cancel of a failed task does", {
    row: "states.cancel-ended",
    level: "observed",
    needs: ["video.poll.failed.http-status"],
    probe: failedTask,
    pick: firstCancel,
    judge: outcomeOf,
  }),
];
