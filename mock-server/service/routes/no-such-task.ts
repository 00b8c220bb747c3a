/** The answer to a poll or a cancel of a task that the mock does not know, or has forgotten. */

import { errorResponse, type PlainResponse } from "../../base/mock-response.ts";

export const noSuchTask = (id: string): PlainResponse =>
  errorResponse({ status: 404, message: `no task has the id ${id}`, code: "task_not_found", param: "taskId" });
