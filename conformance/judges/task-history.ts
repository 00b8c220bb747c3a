/** The history of a video task: the parts of it that recorded exchanges are, and the states that its polls saw. */

import { PATHS } from "../../contract/service.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { memberOf } from "./json-path.ts";

/** Whether the response to a submission shows that no task was created; a server error shows nothing, save 503. */
export function createdNothing({ answer }: Exchange): boolean {
  const status = answer?.status ?? 0;
  return (status >= 300 && status < 500) || status === 503;
}

export type TaskPart = "submit" | "poll" | "cancel";

/** Which part of a task's history an exchange is. */
export function partOf({ request }: Exchange): TaskPart {
  if (request.method === "GET") return "poll";
  return new URL(request.url).pathname.endsWith(PATHS.videos) ? "submit" : "cancel";
}

/** The exchanges of the last task that a probe submitted. */
export function latestTask(exchanges: Exchanges): Exchanges {
  const start = exchanges.findLastIndex((exchange) => partOf(exchange) === "submit");
  return start < 0 ? [] : exchanges.slice(start);
}

/** The exchanges of one part, in order. */
export const only = (exchanges: Exchanges, part: TaskPart): Exchanges =>
  exchanges.filter((exchange) => partOf(exchange) === part);

/** Polls that came after the first exchange of a part. */
export function pollsAfter(exchanges: Exchanges, part: TaskPart): Exchanges {
  const start = exchanges.findIndex((exchange) => partOf(exchange) === part);
  return start < 0 ? [] : only(exchanges.slice(start + 1), "poll");
}

/** Polls that saw a state. */
export const pollsIn = (exchanges: Exchanges, state: string): Exchanges =>
  only(exchanges, "poll").filter((poll) => memberOf(poll, "status") === state);
