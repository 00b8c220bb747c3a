/** Which exchanges of a task's life a clause is about: each takes all that a probe saw. */

import type { Seen } from "../../formats/exchanges.ts";
import { lastLife, only, partOf, pollsIn } from "./task-history.ts";

/** The whole of the last life. */
export const wholeLife = (seen: Seen): Seen => lastLife(seen);

/** Every poll. */
export const allPolls = (seen: Seen): Seen => only(lastLife(seen), "poll");

/** Every poll in one state. */
export const pollsSeeing =
  (state: string) =>
  (seen: Seen): Seen =>
    pollsIn(lastLife(seen), state);

/** Polls that no cancel came before. */
export function pollsBeforeCancel(seen: Seen): Seen {
  const life = lastLife(seen);
  const cancel = life.findIndex((exchange) => partOf(exchange) === "cancel");
  return only(cancel < 0 ? life : life.slice(0, cancel), "poll");
}

/** The submission and every poll. */
export const submissionAndPolls = (seen: Seen): Seen =>
  lastLife(seen).filter((exchange) => partOf(exchange) !== "cancel");

/** The first cancel. */
export const firstCancel = (seen: Seen): Seen => only(lastLife(seen), "cancel").slice(0, 1);

/** The second cancel. */
export const secondCancel = (seen: Seen): Seen => only(lastLife(seen), "cancel").slice(1, 2);

/** The submission and the first cancel. */
export const submissionAndCancel = (seen: Seen): Seen => [...lastLife(seen).slice(0, 1), ...firstCancel(seen)];
