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
  clause({
    id: "video.poll.completed.reached",
    row: ["states.completed", "service.video.flow"],
    level: "required",
    text: "a task whose work succeeds becomes completed",
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
  clause({
    ...completed,
    id: "video.poll.completed.video_url.address",
    row: "video.task.video_url.address",
    level: "recommended",
    text: "video_url is an absolute address",
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
  clause({
    ...completed,
    id: "video.poll.completed.total_cost.sign",
    row: "video.task.usage.total_cost.sign",
    level: "recommended",
    text: "total_cost is not negative",
    needs: ["video.poll.completed.usage.total_cost"],
    provenBy: ["total-cost-negative"],
    judge: (exchanges) =>
      everyValue(exchanges, "usage.total_cost", (value) => typeof value === "number" && value >= 0, "no less than 0"),
  }),
  clause({
    ...completed,
    id: "video.poll.completed.total_cost.unit",
    row: "video.task.usage.total_cost.unit",
    level: "observed",
    text: "total_cost, whose unit is not shown",
    needs: ["video.poll.completed.usage.total_cost"],
    judge: ([poll]) => noted(`usage was ${show(memberOf(poll, "usage"))}`),
  }),
  clause({
    id: "video.poll.completed.stays",
    row: "states.cancel-ended.unmoved",
    level: "required",
    text: "a completed task stays completed",
    over: tasksThatEnded("completed"),
    judgeUnit: (history) => staysAsItEnded(pollsBeforeLateCancel(reported(history))),
    needs: ["video.poll.completed.reached"],
    probe: completedTask,
    pick: pollsBeforeCancel,
    provenBy: ["video-completed-reverts"],
    judge: staysAsItEnded,
  }),
  clause({
    id: "video.poll.contradiction",
    row: "video.task.present-when",
    level: "recommended",
    text: "video_url, usage and error appear only in the state that they belong to",
    over: polls,
    needs: ["video.poll.status.value"],
    probe: completedTask,
    pick: allPolls,
    provenBy: ["video-url-while-processing"],
    judge: nothingContradicts,
  }),
];
