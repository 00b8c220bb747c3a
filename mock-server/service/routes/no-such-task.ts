/** The response to a poll or a cancel of an unknown or removed task. */

import { errorResponse, type PlainResponse } from "../../base/mock-response.ts";

export const noSuchTask = (id: string): PlainResponse =>
  errorResponse({ status: 404, message: `no task has the id ${id}`, code: "task_not_found", param: "taskId" });
