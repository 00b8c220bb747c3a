/** Which exchanges of a task's history a clause is about: each takes all that a probe saw. */

import { isTerminal } from "../../contract/service.ts";
import type { Exchanges } from "../../formats/exchanges.ts";
import { memberOf } from "./json-path.ts";
import { latestTask, only, partOf, pollsIn } from "./task-history.ts";

/** The whole of the last history. */
export const fullHistory = (exchanges: Exchanges): Exchanges => latestTask(exchanges);

/** Every poll. */
export const allPolls = (exchanges: Exchanges): Exchanges => only(latestTask(exchanges), "poll");

/** Every poll in one state. */
export const pollsSeeing =
  (state: string) =>
  (exchanges: Exchanges): Exchanges =>
    pollsIn(latestTask(exchanges), state);

/** Polls that no cancel came before. */
export function pollsBeforeCancel(exchanges: Exchanges): Exchanges {
  const history = latestTask(exchanges);
  const cancel = history.findIndex((exchange) => partOf(exchange) === "cancel");
  return only(cancel < 0 ? history : history.slice(0, cancel), "poll");
}

/** The polls of a history before a cancel that came after the end: what such a cancel changes is another matter. */
export function pollsBeforeLateCancel(history: Exchanges): Exchanges {
  const end = history.findIndex((exchange) => isTerminal(memberOf(exchange, "status")));
  const cancel = history.findIndex((exchange, i) => i > end && end >= 0 && partOf(exchange) === "cancel");
  return only(cancel < 0 ? history : history.slice(0, cancel), "poll");
}

/** The submission and every poll. */
export const submissionAndPolls = (exchanges: Exchanges): Exchanges =>
  latestTask(exchanges).filter((exchange) => partOf(exchange) !== "cancel");

/** The first cancel. */
export const firstCancel = (exchanges: Exchanges): Exchanges => only(latestTask(exchanges), "cancel").slice(0, 1);

/** The second cancel. */
export const secondCancel = (exchanges: Exchanges): Exchanges => only(latestTask(exchanges), "cancel").slice(1, 2);

/** The submission and the first cancel. */
export const submissionAndCancel = (exchanges: Exchanges): Exchanges => [
  ...latestTask(exchanges).slice(0, 1),
  ...firstCancel(exchanges),
];
