/** A task that content review rejects: reported with 200, with an error, and failed for good. */

import { VIDEO_STATE_FIELDS } from "../../contract/fields.ts";
import { CONTENT_FILTER_CODE, SUCCESS_STATUS } from "../../contract/service.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { statusIs } from "../judges/acceptance.ts";
import { pollsReporting, tasksThatEnded } from "../judges/exchange-kinds.ts";
import { valueIs } from "../judges/field-checks.ts";
import { allPolls, pollsSeeing } from "../judges/selectors.ts";
import { pollsIn, stillProcessing } from "../judges/task-history.ts";
import { staysAsItEnded } from "../judges/video.ts";
import { elsewhere, inconclusive } from "../model/findings.ts";
import { failedTask } from "../probes/video.ts";

const NEVER_FAILED =
  "no poll saw the status failed: the failing prompt was refused at submission, or its work did not fail";

export const status = clause("video.poll.failed.http-status", "a poll of a failed task returns 200 and status failed", {
  row: ["endpoints.video.poll", "endpoints.failed-is-200"],
  level: "required",
  over: pollsReporting("failed"),
  needs: ["video.submit.response.id"],
  probe: failedTask,
  pick: allPolls,
  unmet: NEVER_FAILED,
  undecidedBy: ["video.poll.http-status"],
  provenBy: ["video-failed-500"],
  judge: (polls) => {
    if (polls.length > 0 && !polls.some((poll) => poll.answer?.status === SUCCESS_STATUS.videoPoll))
      return elsewhere("no poll of the task returned 200");
    const found = statusIs(SUCCESS_STATUS.videoPoll, "a poll in every state")(polls);
    if (found.kind !== "holds" || pollsIn(polls, "failed").length > 0) return found;
    return inconclusive(stillProcessing(polls) ?? NEVER_FAILED);
  },
});

const failed = {
  probe: failedTask,
  pick: pollsSeeing("failed"),
  unmet: NEVER_FAILED,
};
export const failure = [
  ...fieldClauses({
    ...failed,
    ids: "video.poll.failed",
    rows: "video.task",
    alsoRows: ["endpoints.video.poll.failed", "states.failed", "errors.task", "endpoints.failed-is-200"],
    fields: VIDEO_STATE_FIELDS.failed,
    over: pollsReporting("failed"),
    within: "a failed task",
    needs: ["video.poll.failed.http-status"],
    faults: "video-failed",
  }),
  clause("video.poll.failed.content_filter", `the code of a content-review rejection is ${CONTENT_FILTER_CODE}`, {
    ...failed,
    row: ["video.task.error.content_filter", "errors.task.content_filter"],
    level: "required",
    needs: ["video.poll.failed.error.code"],
    provenBy: ["content-filter-other-code"],
    judge: valueIs("error.code", [CONTENT_FILTER_CODE]),
  }),
  clause("video.poll.failed.stays", "a failed task stays failed", {
    ...failed,
    row: "states.cancel-ended.unmoved",
    level: "required",
    over: tasksThatEnded("failed"),
    needs: ["video.poll.failed.http-status"],
    pick: allPolls,
    provenBy: ["video-failed-completes"],
    judge: staysAsItEnded,
  }),
];
