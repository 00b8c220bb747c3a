/** Judges of the history of a video task: its ids, times, states and ends. Each takes the exchanges of one task, in order. */

import type { TaskState } from "../../contract/service.ts";
import { isTerminal } from "../../contract/service.ts";
import { isUtcTimestamp } from "../../contract/timestamps.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, show } from "../../lib/json.ts";
import { broken, type FindingOf, holds, inconclusive, noted } from "../model/findings.ts";
import { type Judged, membersOf } from "./acceptance.ts";
import { documentOf, idOf, memberOf } from "./json-path.ts";
import { cachedBy, isSuccess, returned } from "./status.ts";
import { cameTooLate, only, pollsAfter, pollsIn, reported, stillProcessing } from "./task-history.ts";
import { type TaskInvariant, violationsOf } from "./task-invariants.ts";

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
/** The basic form of ISO 8601, 20261127T103334Z, as its extended form; any other value as it is. */
const extended = (value: unknown): unknown =>
  typeof value === "string"
    ? value.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(?!\d)/, "$1-$2-$3T$4:$5:$6")
    : value;
/** What a submission says of its time. */
const createdAt = (submission: Exchange | undefined): unknown => extended(memberOf(submission, "created_at"));

const ZERO_OFFSET = /^(?:Z|[+-]00(?::?00)?)$/i;

/** created_at is ISO 8601, and its zone, where it names one, is UTC. */
export function isUtc([submission]: Exchanges): Judged {
  const value = createdAt(submission);
  const match = typeof value === "string" ? ISO.exec(value) : null;
  const zone = match?.[1];
  const real = typeof value === "string" && !Number.isNaN(Date.parse(value.replace(",", ".")));
  if (match !== null && real && (zone === undefined || ZERO_OFFSET.test(zone)))
    return holds(`created_at was ${show(value)}`);
  return broken("created_at is an ISO 8601 timestamp in UTC", `the target sent ${show(value)}`);
}

/** created_at is a whole timestamp with a zone. */
export function namesZone([submission]: Exchanges): Judged {
  const value = createdAt(submission);
  if (isUtcTimestamp(value)) return holds(`created_at was ${show(value)}`);
  return broken("created_at is in UTC and should say so, with a time of day", `the target sent ${show(value)}`);
}

const FAR_MS = 10 * 60_000;

/** created_at is within ten minutes of the submission, by our clock. */
export function nearNow([submission]: Exchanges): Judged {
  const value = createdAt(submission);
  if (typeof value !== "string") return inconclusive(`${show(value)} is no timestamp`);
  const named = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i.test(value) ? value : `${value}Z`;
  const apart = Math.abs(Date.parse(named) - Date.parse(submission?.startedAt ?? ""));
  if (Number.isNaN(apart)) return inconclusive(`${show(value)} has no time of day to compare`);
  if (apart <= FAR_MS) return holds(`created_at was ${Math.round(apart / 1000)} s from our clock`);
  return broken(
    "created_at is the time of the submission",
    `${show(value)} is ${Math.round(apart / 1000)} s from our clock`,
  );
}

/**
 * Some poll still reported the task as processing, or else the submission returned at once. A task that was polled late may have
 * ended after the response.
 */
export function submittedBeforeItsEnd(history: Exchanges): Judged {
  const [submission] = history;
  const end = only(history, "poll").find((poll) => isTerminal(memberOf(poll, "status")));
  if (submission === undefined || end === undefined) return inconclusive("the task did not end while it was polled");
  if (pollsIn(history, "processing").length > 0) return holds("the task was still processing after the response");
  const took = Math.round(submission.answer?.endMs ?? 0);
  if (took < SLOW_SUBMIT_MS) return holds(`the submission returned after ${took} ms`);
  const unseen = Date.parse(end.startedAt) - Date.parse(submission.startedAt) - took;
  if (unseen > took)
    return inconclusive(
      `the submission returned after ${took} ms, and ${unseen} ms later the first poll found the task ended`,
    );
  return broken("a submission returns its id immediately", `it returned after ${took} ms, when the task had ended`);
}
const SLOW_SUBMIT_MS = 20;

/** Some poll reported the state. */
export const reachedState =
  (state: TaskState) =>
  (history: Exchanges): Judged => {
    if (pollsIn(history, state).length > 0) return holds(`the task became ${state}`);
    const waited = stillProcessing(history);
    if (waited !== undefined) return inconclusive(waited);
    const last = memberOf(only(history, "poll").at(-1), "status");
    if (last === undefined) return inconclusive("no poll said in which state the task was");
    return broken(`a task whose work succeeds becomes ${state}`, `it became ${show(last)}`);
  };

/** Checks some invariants of the task: broken at the first violation of one of them. */
function check(history: Exchanges, invariants: readonly TaskInvariant[], otherwise: () => Judged): Judged {
  const violation = violationsOf(history).find(({ invariant }) => invariants.includes(invariant));
  return violation === undefined ? otherwise() : broken(violation.expected, violation.observed, [violation.exchange]);
}

/** Once a poll reported a terminal state, every later poll that reports a state reports the same. */
export function staysAsItEnded(history: Exchanges): Judged {
  const polls = only(reported(history), "poll");
  return check(polls, ["end-stays", "cancelled-stays"], () => {
    const end = polls.findIndex((poll) => isTerminal(memberOf(poll, "status")));
    const later = end < 0 ? 0 : polls.length - end - 1;
    if (later === 0) return inconclusive("the task was not polled again after its end");
    return holds(`the task stayed ${show(memberOf(polls[end], "status"))} over ${later} polls`);
  });
}

/** No poll holds a field of a state that it is not in; null is as absent. */
export const nothingContradicts = (polls: Exchanges): Judged =>
  check(polls, ["own-members"], () => holds("no poll held a field of another state"));

/** What progress went through. */
export function progressSeen(polls: Exchanges): FindingOf<"observed"> {
  const values = polls.map((poll) => memberOf(poll, "progress"));
  const distinct = values.filter((value, i) => value !== values[i - 1]);
  return noted(`progress went through ${distinct.slice(0, 20).map(show).join(", ")}`);
}

/** All the exchanges name one task. */
export const idsAgree = (exchanges: Exchanges): Judged =>
  check(exchanges, ["one-id"], () => holds(`id was ${show(memberOf(exchanges[0], "id"))} throughout`));

/** Every accepted submission of these probes has an id of its own. */
export function idsUnique(probes: readonly Exchanges[]): Judged {
  const accepted = probes.flatMap((exchanges) => only(exchanges, "submit")).filter(isSuccess);
  const ids = accepted.map((submission) => idOf(submission) ?? memberOf(submission, "id"));
  if (ids.length < 2) return inconclusive("fewer than two tasks were accepted");
  const again = accepted.filter((_, i) => ids.indexOf(ids[i]) !== i);
  if (again.length === 0) return holds(`${ids.length} tasks had ${ids.length} ids`);
  return broken(
    "an id names one task",
    `${ids.length} tasks shared ids`,
    again.map(({ id }) => id),
  );
}

/** The id of a task was given to one submission only. */
export function submittedOnce(history: Exchanges): Judged {
  const submitted = only(history, "submit").filter(isSuccess);
  if (submitted.length < 2) return holds("each task had an id of its own");
  return broken(
    "an id names one task",
    `${submitted.length} tasks had the id ${show(memberOf(submitted[0], "id"))}`,
    submitted.map(({ id }) => id),
  );
}

/** The first cancel was accepted while the task was processing. */
export const cancelWorks = (history: Exchanges): Judged =>
  check(history, ["cancel-works"], () => {
    const [cancel] = only(history, "cancel");
    if (cancel?.answer === undefined) return inconclusive("no cancel returned");
    const document = documentOf(cancel);
    const [next] = pollsAfter(history, "cancel");
    const state = memberOf(next, "status");
    if (isSuccess(cancel) && !cameTooLate(cancel, state))
      return isObject(document) && (document["id"] ?? document["status"]) !== undefined
        ? holds(returned(cancel))
        : broken(
            "an accepted cancel is answered with a video task",
            `${returned(cancel)} with ${isObject(document) ? membersOf(document) : "something else"}`,
            [cancel.id],
          );
    const cached = next && cachedBy(next);
    const why = cached === undefined ? "" : `, and a cache returned the next poll (${cached})`;
    if (!isTerminal(state)) return inconclusive(`cancel returned ${cancel.answer.status}${why}`);
    return inconclusive(`the task had become ${state} before it could be cancelled`);
  });

/** Every poll after the first cancel that reports a state reports cancelled. */
export function staysCancelled(history: Exchanges): Judged {
  const known = reported(history);
  return check(known, ["cancelled-stays"], () => {
    const { length } = pollsAfter(known, "cancel");
    return length === 0
      ? inconclusive("the task was not polled after its cancel")
      : holds(`${length} polls reported cancelled`);
  });
}

/** A cancel after completion changed nothing and did not claim to. */
export const cancelledCompleted = (history: Exchanges): Judged =>
  check(history, ["end-stays", "completed-not-cancelled"], () => {
    const [cancel] = only(history, "cancel");
    if (cancel?.answer === undefined || pollsAfter(reported(history), "cancel").length === 0)
      return inconclusive("no cancel of the completed task returned and was followed by a poll");
    return holds(`${returned(cancel)} and the task stayed completed`);
  });

/** A cancel after completion returned an error, not with 200 and the old state. */
export const cancelledCompletedMildly = (history: Exchanges): Judged =>
  check(history, ["completed-refuses"], () => holds(returned(only(history, "cancel")[0])));
