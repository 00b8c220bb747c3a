/** Polling: what every answer holds, what each state adds, and that an end stays an end. */

import { VIDEO_STATE_FIELDS, VIDEO_TASK_FIELDS } from "../../contract/fields.ts";
import { CONTENT_FILTER_CODE } from "../../contract/service.ts";
import { clause } from "../clause.ts";
import type { Seen } from "../exchange-record.ts";
import { show } from "../json.ts";
import { everyValue, statusIs, valueIs } from "../judges.ts";
import { mediaTypeIsJson } from "../judges-answers.ts";
import {
  idsAgree,
  idsUnique,
  nothingContradicts,
  progressSeen,
  reachedState,
  staysAsItEnded,
} from "../judges-video.ts";
import { cancelLife, completeLife, failingLife, PACKED } from "../probes/video.ts";
import { lastLife, memberOf, only, partOf, pollsIn } from "../reading.ts";
import { fieldClauses, pollsSeeing } from "../verbs.ts";
import { inconclusive, noted } from "../verdict.ts";

const SUBMITTED = ["video.submit.response.id"];
const allPolls = (seen: Seen): Seen => only(lastLife(seen), "poll");
/** Polls that no cancel came before. */
const pollsBeforeCancel = (seen: Seen): Seen => {
  const life = lastLife(seen);
  const cancel = life.findIndex((exchange) => partOf(exchange) === "cancel");
  return only(cancel < 0 ? life : life.slice(0, cancel), "poll");
};
const wholeLife = (seen: Seen): Seen => lastLife(seen);

const NEVER_FAILED =
  "no poll saw the task failed: the failing prompt was refused at submission, or its work did not fail";
const POLL_ROWS = ["endpoints.video.poll", "endpoints.video.poll.bare", "endpoints.video.poll.id"];
const isOk = statusIs(200, "a poll in every state");

export const statuses = [
  clause({
    id: "video.poll.http-status",
    row: [...POLL_ROWS, "states.poll-until", "service.video.flow"],
    level: "required",
    text: "a bare poll is answered with 200 until the task's end and after it",
    needs: SUBMITTED,
    probe: completeLife,
    pick: allPolls,
    provenBy: ["video-poll-201"],
    judge: isOk,
  }),
  clause({
    id: "video.poll.cancelled.http-status",
    row: POLL_ROWS,
    level: "required",
    text: "a poll of a cancelled task is answered with 200",
    needs: SUBMITTED,
    probe: cancelLife,
    pick: allPolls,
    provenBy: ["video-poll-201"],
    judge: isOk,
  }),
  clause({
    id: "video.poll.failed.http-status",
    row: ["endpoints.video.poll", "endpoints.failed-is-200"],
    level: "required",
    text: "a poll of a failed task is answered with 200 and status failed",
    needs: SUBMITTED,
    probe: failingLife,
    pick: allPolls,
    unmet: NEVER_FAILED,
    provenBy: ["video-poll-201", "video-failed-500"],
    judge: (polls) => {
      const found = isOk(polls);
      return found.kind === "holds" && pollsIn(polls, "failed").length === 0 ? inconclusive(NEVER_FAILED) : found;
    },
  }),
];

export const fields = fieldClauses({
  ids: "video.poll",
  rows: "video.task",
  alsoRows: ["states.names"],
  fields: VIDEO_TASK_FIELDS,
  within: "a poll",
  probe: completeLife,
  needs: ["video.poll.http-status"],
  faults: "video-poll",
  pick: allPolls,
});

export const cancelledFields = fieldClauses({
  ids: "video.poll.cancelled",
  rows: "video.task",
  fields: VIDEO_TASK_FIELDS,
  within: "a poll of a cancelled task",
  probe: cancelLife,
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
  probe: completeLife,
  pick: allPolls,
  provenBy: ["video-poll-content-type-text"],
  judge: mediaTypeIsJson,
});

const processing = { probe: completeLife, pick: pollsSeeing("processing"), unmet: "no poll saw the task processing" };
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

const completed = { probe: completeLife, pick: pollsSeeing("completed"), unmet: "no poll saw the task completed" };
export const completion = [
  clause({
    id: "video.poll.completed.reached",
    row: ["states.completed", "service.video.flow"],
    level: "required",
    text: "a task whose work succeeds becomes completed",
    needs: ["video.poll.status.value"],
    probe: completeLife,
    pick: wholeLife,
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
    judge: (seen) => everyValue(seen, "video_url", (value) => URL.canParse(String(value)), "an absolute address"),
  }),
  clause({
    ...completed,
    id: "video.poll.completed.total_cost.sign",
    row: "video.task.usage.total_cost.sign",
    level: "recommended",
    text: "total_cost is not negative",
    needs: ["video.poll.completed.usage.total_cost"],
    provenBy: ["total-cost-negative"],
    judge: (seen) => everyValue(seen, "usage.total_cost", (value) => Number(value) >= 0, "no less than 0"),
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
    needs: ["video.poll.completed.reached"],
    probe: completeLife,
    pick: pollsBeforeCancel,
    provenBy: ["video-completed-reverts"],
    judge: staysAsItEnded,
  }),
  clause({
    id: "video.poll.contradiction",
    row: "video.task.present-when",
    level: "recommended",
    text: "video_url, usage and error appear only in the state that they belong to",
    needs: ["video.poll.status.value"],
    probe: completeLife,
    pick: allPolls,
    provenBy: ["video-url-while-processing"],
    judge: nothingContradicts,
  }),
];

const failed = {
  probe: failingLife,
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
    within: "a failed task",
    needs: ["video.poll.failed.http-status"],
    faults: "video-failed",
  }),
  clause({
    ...failed,
    id: "video.poll.failed.content_filter",
    row: ["video.task.error.content_filter", "errors.task.content_filter"],
    level: "required",
    text: `the code of a content-review rejection is ${CONTENT_FILTER_CODE}`,
    needs: ["video.poll.failed.error.code"],
    provenBy: ["content-filter-other-code"],
    judge: valueIs("error.code", [CONTENT_FILTER_CODE]),
  }),
  clause({
    ...failed,
    id: "video.poll.failed.stays",
    row: "states.cancel-ended.unmoved",
    level: "required",
    text: "a failed task stays failed",
    needs: ["video.poll.failed.http-status"],
    pick: allPolls,
    provenBy: ["video-failed-completes"],
    judge: staysAsItEnded,
  }),
];

export const ids = [
  clause({
    id: "video.poll.id.same",
    row: ["video.task.id.path", "endpoints.video.poll.id"],
    level: "required",
    text: "id is the same at submission and in every poll",
    needs: ["video.poll.id"],
    probe: completeLife,
    pick: (seen) =>
      lastLife(seen).filter((exchange) => exchange.request.method === "GET" || exchange === lastLife(seen)[0]),
    provenBy: ["video-poll-other-id"],
    judge: idsAgree,
  }),
  clause({
    id: "video.submit.id.unique",
    row: "video.task.id.path",
    level: "required",
    text: "each task has its own id",
    needs: SUBMITTED,
    probe: completeLife,
    others: [cancelLife, ...PACKED],
    provenBy: ["video-same-id"],
    judge: (own, others) => idsUnique([own, ...others]),
  }),
];
