/** The history of a video task: the parts of it that recorded exchanges are, and the states that its polls saw. */

import {
  API_PREFIX,
  isTerminal,
  mayHaveCreatedTask,
  PATHS,
  TASK_STATES,
  type TaskState,
} from "../../contract/service.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { idOf, memberOf } from "./json-path.ts";
import { cachedBy, isSuccess } from "./status.ts";

/** Statuses of a service that failed, and of none before it. */
const OWN_ERRORS: readonly number[] = [500, 501];

/**
 * Whether a submission created no task: it was never sent, for want of a connection, or the response says so.
 * @param isInvalid it breaks a rule of the specification, so that an error of the service itself is a refusal
 */
export function createdNothing(exchange: Exchange, isInvalid = false): boolean {
  const { answer, failure } = exchange;
  if (answer === undefined) return failure?.kind === "refused" || failure?.kind === "dns";
  const isOwnError = OWN_ERRORS.includes(answer.status) && idOf(exchange) === undefined;
  return !mayHaveCreatedTask(answer.status) || (isInvalid && isOwnError);
}

export type TaskPart = "submit" | "poll" | "cancel";

/** Which part of a task's history an exchange is. */
export function partOf({ request }: Exchange): TaskPart {
  if (request.method === "GET") return "poll";
  return new URL(request.url).pathname.endsWith(PATHS.videos.slice(API_PREFIX.length)) ? "submit" : "cancel";
}

/** The exchanges of the last task that a probe submitted, without those that the end of the run cut off. */
export function latestTask(exchanges: Exchanges): Exchanges {
  const start = exchanges.findLastIndex((exchange) => partOf(exchange) === "submit");
  if (start < 0) return [];
  return exchanges.slice(start).filter(({ failure }, index) => index === 0 || failure?.kind !== "deadline");
}

/** The exchanges of one part, in order. */
export const only = (exchanges: Exchanges, part: TaskPart): Exchanges =>
  exchanges.filter((exchange) => partOf(exchange) === part);

/**
 * What a history says about the state of its task: polls that named one, and cancels. A cancel that was accepted with
 * another end than cancelled, before that end was known, came too late to count.
 */
export function reported(history: Exchanges): Exchanges {
  let ended = false;
  return history.filter((exchange) => {
    const part = partOf(exchange);
    const state = memberOf(exchange, "status");
    if (!ended && part === "cancel" && isSuccess(exchange) && endedByItself(state)) return false;
    ended ||= isTerminal(state) && part !== "submit" && isSuccess(exchange);
    return part !== "poll" || (isSuccess(exchange) && TASK_STATES.some((known) => known === state));
  });
}

/** Whether a state is an end that no cancel caused. */
export const endedByItself = (state: unknown): boolean => isTerminal(state) && state !== "cancelled";

/**
 * Whether a cancel that returned came after the end of its task: the next poll reports that end, and the cancel was refused or
 * reports it too.
 * @param polled the state that the poll reports
 */
export function cameTooLate(cancel: Exchange, polled: unknown): boolean {
  if (!endedByItself(polled)) return false;
  return isSuccess(cancel) ? memberOf(cancel, "status") === polled : (cancel.answer?.status ?? 0) >= 400;
}

/** The terminal state that a history first shows; undefined when it shows none. */
export function firstEnd(history: Exchanges): TaskState | undefined {
  for (const exchange of reported(history)) {
    const state = TASK_STATES.find((one) => one === memberOf(exchange, "status"));
    if (partOf(exchange) === "poll" && isTerminal(state)) return state;
    if (partOf(exchange) === "cancel" && isSuccess(exchange)) return isTerminal(state) ? state : "cancelled";
  }
  return undefined;
}

/** Polls that came after the first exchange of a part. */
export function pollsAfter(exchanges: Exchanges, part: TaskPart): Exchanges {
  const start = exchanges.findIndex((exchange) => partOf(exchange) === part);
  return start < 0 ? [] : only(exchanges.slice(start + 1), "poll");
}

/** Says that the last poll saw the task in work, and how long it had been waited for by then; undefined when it did not. */
export function stillProcessing(history: Exchanges): string | undefined {
  const [first, last] = [history[0], only(history, "poll").at(-1)];
  if (first === undefined || last === undefined || memberOf(last, "status") !== "processing") return undefined;
  const waitedMs = Date.parse(last.startedAt) - Date.parse(first.startedAt) + (last.answer?.endMs ?? 0);
  const cached = cachedBy(last);
  const why =
    cached === undefined ? "" : `; a cache returned the last poll (${cached}), so that the task may have ended`;
  return `the task was still processing after ${(waitedMs / 1_000).toFixed(1)} s, when its time was up${why}`;
}

/** Polls that saw a state. */
export const pollsIn = (exchanges: Exchanges, state: string): Exchanges =>
  only(exchanges, "poll").filter((poll) => memberOf(poll, "status") === state);
