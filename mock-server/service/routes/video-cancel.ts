/** POST /v1/videos/generations/:taskId/cancel: cancels a task that is processing, and no other. */

import { SUCCESS_STATUS } from "../../../contract/service.ts";
import { type Answer, answer, refusal } from "../../base/mock-response.ts";
import type { Call } from "../mock-context.ts";
import { noSuchTask } from "./no-such-task.ts";

/** Answers a cancel with the cancelled task, or refuses it. */
export function cancelVideo({ taskId, rules, world, noteTask }: Call): Answer {
  const task = world.tasks.find(taskId);
  if (task === undefined) return noSuchTask(taskId);
  noteTask(task.id);
  const state = world.tasks.state(task, rules.tasks);
  if (rules.cancellable.includes(state)) {
    if (!rules.tasks.cancelForgotten) world.tasks.cancel(task);
    return answer(SUCCESS_STATUS.videoCancel, { id: task.id, status: "cancelled" });
  }
  if (rules.cancelIdle.includes(state)) return answer(SUCCESS_STATUS.videoCancel, { id: task.id, status: state });
  const message = `the task is ${state}; only a task that is processing can be cancelled`;
  return refusal({ status: rules.cancelRefusedStatus, message, code: "task_not_cancellable", param: null });
}
