/** A task whose work succeeds: how it becomes completed, what it then holds, and that it stays so. */

import { VIDEO_STATE_FIELDS } from "../../contract/fields.ts";
import { show } from "../../lib/json.ts";
import { clause } from "../builders/clause-builders.ts";
import { fieldClauses } from "../builders/field-clauses.ts";
import { polls, pollsReporting, tasksThatEnded } from "../judges/exchange-kinds.ts";
import { everyValue } from "../judges/field-checks.ts";
import { memberOf } from "../judges/json-path.ts";
import { allPolls, fullHistory, pollsBeforeCancel, pollsBeforeLateCancel, pollsSeeing } from "../judges/selectors.ts";
import { reported } from "../judges/task-history.ts";
import { nothingContradicts, reachedState, staysAsItEnded } from "../judges/video.ts";
import { noted } from "../model/findings.ts";
import { completedTask } from "../probes/video.ts";

const completed = {
  probe: completedTask,
  pick: pollsSeeing("completed"),
  unmet: 'the task ended before any poll saw "completed"',
  over: pollsReporting("completed"),
};
export const completion = [
  clause("video.poll.completed.reached", "a task whose work succeeds becomes completed", {
    row: ["states.completed", "service.video.flow"],
    level: "required",
    needs: ["video.poll.status.value"],
    probe: completedTask,
    pick: fullHistory,
    provenBy: ["video-always-fails"],
    judge: reachedState("completed"),
  }),
  ...fieldClauses({
    ...completed,
    ids: "video.poll.completed",
    rows: "video.task",
    alsoRows: ["endpoints.video.poll.completed", "states.completed"],
    fields: VIDEO_STATE_FIELDS.completed,
    within: "a completed task",
    needs: ["video.poll.completed.reached"],
    faults: "video-completed",
  }),
  clause("video.poll.completed.video_url.address", "video_url is an absolute address", {
    ...completed,
    row: "video.task.video_url.address",
    level: "recommended",
    needs: ["video.poll.completed.video_url"],
    provenBy: ["video-url-relative"],
    judge: (exchanges) =>
      everyValue(
        exchanges,
        "video_url",
        (value) => typeof value === "string" && URL.canParse(value),
        "an absolute address",
      ),
  }),
  clause("video.poll.completed.total_cost.sign", "total_cost is not negative", {
    ...completed,
    row: "video.task.usage.total_cost.sign",
    level: "recommended",
    needs: ["video.poll.completed.usage.total_cost"],
    provenBy: ["total-cost-negative"],
    judge: (exchanges) =>
      everyValue(exchanges, "usage.total_cost", (value) => typeof value === "number" && value >= 0, "no less than 0"),
  }),
  clause("video.poll.completed.total_cost.unit", "total_cost, whose unit is not shown", {
    ...completed,
    row: "video.task.usage.total_cost.unit",
    level: "observed",
    needs: ["video.poll.completed.usage.total_cost"],
    judge: ([poll]) => noted(`usage was ${show(memberOf(poll, "usage"))}`),
  }),
  clause("video.poll.completed.stays", "a completed task stays completed", {
    row: "states.cancel-ended.unmoved",
    level: "required",
    over: tasksThatEnded("completed"),
    judgeUnit: (history) => staysAsItEnded(pollsBeforeLateCancel(reported(history))),
    needs: ["video.poll.completed.reached"],
    probe: completedTask,
    pick: pollsBeforeCancel,
    provenBy: ["video-completed-reverts"],
    judge: staysAsItEnded,
  }),
  clause("video.poll.contradiction", "video_url, usage and error appear only in the state that they belong to", {
    row: "video.task.present-when",
    level: "recommended",
    over: polls,
    needs: ["video.poll.status.value"],
    probe: completedTask,
    pick: allPolls,
    provenBy: ["video-url-while-processing"],
    judge: nothingContradicts,
  }),
];
