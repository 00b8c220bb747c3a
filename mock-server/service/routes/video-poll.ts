/** GET /v1/videos/generations/:taskId: the current state of a task. Always 200, also for failed tasks. */

import { CONTENT_FILTER_CODE, SUCCESS_STATUS, type TaskState } from "../../../contract/service.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { jsonResponse, type PlainResponse } from "../../base/mock-response.ts";
import type { Call } from "../mock-context.ts";
import type { Task } from "../task-store.ts";
import { noSuchTask } from "./no-such-task.ts";
import { videoFilePath } from "./video-file.ts";

/** The task with the members of its state. */
export function pollVideo({ taskId, origin, rules, context, noteTask }: Call): PlainResponse {
  const task = context.tasks.find(taskId);
  if (task === undefined) return noSuchTask(taskId);
  noteTask(task.id);
  const state = context.tasks.state(task, rules.tasks);
  task.polls += 1;
  if (state !== "processing" || task.endPolls > 0) task.endPolls += 1;
  const body = { id: task.id, status: state, ...membersOf(task, state, origin, context.tasks.progress(task)) };
  return jsonResponse(SUCCESS_STATUS.videoPoll, body);
}

function membersOf(task: Task, state: TaskState, origin: string, progress: number): JsonObject {
  switch (state) {
    case "processing":
      return { progress };
    case "completed":
      return { video_url: origin + videoFilePath(task.id), usage: { total_cost: task.cost } };
    case "failed":
      return { error: { message: "The prompt did not pass the content review.", code: CONTENT_FILTER_CODE } };
    case "cancelled":
      return {};
  }
}
