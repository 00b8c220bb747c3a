/** POST /v1/videos/generations/:taskId/cancel: cancels a task that is processing. */

import { SUCCESS_STATUS } from "../../../contract/service.ts";
import { errorResponse, jsonResponse, type PlainResponse } from "../../base/mock-response.ts";
import type { Call } from "../mock-context.ts";
import { noSuchTask } from "./no-such-task.ts";

/** The cancelled task, or a refusal. */
export function cancelVideo({ taskId, rules, context, noteTask }: Call): PlainResponse {
  const task = context.tasks.find(taskId);
  if (task === undefined) return noSuchTask(taskId);
  noteTask(task.id);
  const state = context.tasks.state(task, rules.tasks);
  if (rules.cancellable.includes(state)) {
    if (!rules.tasks.cancelForgotten) context.tasks.cancel(task);
    return jsonResponse(SUCCESS_STATUS.videoCancel, { id: task.id, status: "cancelled" });
  }
  if (rules.cancelIdle.includes(state)) return jsonResponse(SUCCESS_STATUS.videoCancel, { id: task.id, status: state });
  const message = `the task is ${state}; only a task that is processing can be cancelled`;
  return errorResponse({ status: rules.cancelRefusedStatus, message, code: "task_not_cancellable", param: null });
}
