/**
 * What holds for the whole history of a video task (specification, States and transitions): walks the exchanges of one
 * task in the order of time and lists every violation.
 */

import { VIDEO_STATE_FIELDS } from "../../contract/fields.ts";
import { isTerminal, TASK_STATES, type TaskState, TERMINAL_STATES } from "../../contract/service.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isObject, show } from "../../lib/json.ts";
import { documentOf, memberOf } from "./json-path.ts";
import { cachedBy, isSuccess, returned, UNDECIDED_STATUSES } from "./status.ts";
import { partOf } from "./task-history.ts";

/** What is known of a task before an exchange with it. */
interface Known {
  /** Its id, as the submission returned it. */
  readonly id: unknown;
  /** Its terminal state, once a response has reported one. */
  readonly end: TaskState | undefined;
  /** A cancel that was refused while nothing was known of an end. */
  readonly refusedCancel: Exchange | undefined;
  /** A cancel whose response did not come, or tells nothing: the target may have done it. */
  readonly mayBeCancelled: boolean;
}

interface Broken {
  readonly expected: string;
  readonly observed: string;
  /** The exchange that shows it, when it is not the one that is looked at. */
  readonly shownBy?: Exchange;
}
type Rule = (known: Known, exchange: Exchange) => Broken | undefined;

const stateOf = (exchange: Exchange): unknown => memberOf(exchange, "status");

/** A poll that failed says nothing of its task: 502 of a gateway, 429, 404. That is the matter of the clause on its status. */
const isReadPoll = (exchange: Exchange): boolean => partOf(exchange) === "poll" && isSuccess(exchange);

/** A copy of a poll from the time before: it does not show in which state the task is now. */
const isOldPoll = (exchange: Exchange): boolean => cachedBy(exchange) !== undefined && !isTerminal(stateOf(exchange));

/** Every later poll agrees with the end that came first. */
const keepsItsEnd =
  (isOurs: (end: TaskState) => boolean, expected: string): Rule =>
  ({ end }, exchange) => {
    if (!isReadPoll(exchange) || end === undefined || !isOurs(end) || stateOf(exchange) === end) return undefined;
    const cached = cachedBy(exchange);
    const why = cached === undefined ? "" : `, in a response that a cache returned (${cached})`;
    return { expected, observed: `${show(end)} became ${show(stateOf(exchange))}${why}` };
  };

/** The members that only a task in one terminal state has, and that state. */
const OWNERS: ReadonlyMap<string, TaskState> = new Map(
  TERMINAL_STATES.flatMap((state) =>
    VIDEO_STATE_FIELDS[state].filter(({ path }) => !path.includes(".")).map(({ path }) => [path, state] as const),
  ),
);

/** What must hold of every exchange with a task, given those before it. */
const RULES = {
  "one-id": ({ id }, exchange) =>
    isSuccess(exchange) && memberOf(exchange, "id") !== id
      ? {
          expected: `the task was submitted as ${show(id)}`,
          observed: `the target returned ${show(memberOf(exchange, "id"))}`,
        }
      : undefined,
  "end-stays": keepsItsEnd((end) => end !== "cancelled", "a task that has ended never changes again"),
  "cancelled-stays": keepsItsEnd((end) => end === "cancelled", "a cancelled task stays cancelled"),
  "cancel-works": ({ refusedCancel, mayBeCancelled }, exchange) =>
    refusedCancel !== undefined &&
    isReadPoll(exchange) &&
    !isOldPoll(exchange) &&
    !(mayBeCancelled && stateOf(exchange) === "cancelled") &&
    stateOf(exchange) !== "completed" &&
    stateOf(exchange) !== "failed"
      ? {
          expected: "a task that is processing can be cancelled",
          observed: `${returned(refusedCancel)}, and the next poll reported ${show(stateOf(exchange))}`,
          shownBy: refusedCancel,
        }
      : undefined,
  "completed-not-cancelled": ({ end }, exchange) =>
    partOf(exchange) === "cancel" && end === "completed" && isSuccess(exchange) && stateOf(exchange) !== "completed"
      ? {
          expected: "a completed task cannot be cancelled",
          observed: `${returned(exchange)} with status ${show(stateOf(exchange))}`,
        }
      : undefined,
  "completed-refuses": ({ end }, exchange) =>
    partOf(exchange) === "cancel" && end === "completed" && isSuccess(exchange)
      ? {
          expected: "cancel of a completed task is not allowed",
          observed: `${returned(exchange)} and left the task completed`,
        }
      : undefined,
  "own-members": (_, exchange) => (isReadPoll(exchange) ? foreignMember(exchange) : undefined),
} satisfies Record<string, Rule>;

/** A member of a state that the task is not in; null is as absent. */
function foreignMember(poll: Exchange): Broken | undefined {
  const document = documentOf(poll);
  const state = stateOf(poll);
  for (const [field, owner] of OWNERS) {
    const value = isObject(document) ? document[field] : undefined;
    if (state === owner || value === undefined || value === null) continue;
    return {
      expected: `${field} belongs to ${owner}`,
      observed: `a task that is ${show(state)} had ${field} ${show(value)}`,
    };
  }
  return undefined;
}

/** A statement that holds for the whole history of every task. */
export type TaskInvariant = keyof typeof RULES;

/** One place at which a history breaks a invariant. */
export interface Violation {
  readonly invariant: TaskInvariant;
  readonly expected: string;
  readonly observed: string;
  /** Id of the exchange that shows it. */
  readonly exchange: number;
}

const INVARIANTS: readonly (readonly [TaskInvariant, Rule])[] = (Object.keys(RULES) as TaskInvariant[]).map(
  (invariant) => [invariant, RULES[invariant]],
);

/** Every violation in the history of one task, or in a part of it, in the order of time. */
export function violationsOf(history: Exchanges): readonly Violation[] {
  const violations: Violation[] = [];
  let known: Known = {
    id: memberOf(history[0], "id"),
    end: undefined,
    refusedCancel: undefined,
    mayBeCancelled: false,
  };
  for (const exchange of history) {
    for (const [invariant, rule] of INVARIANTS) {
      const found = rule(known, exchange);
      if (found === undefined) continue;
      const { expected, observed, shownBy = exchange } = found;
      violations.push({ invariant, expected, observed, exchange: shownBy.id });
    }
    known = learnt(known, exchange);
  }
  return violations;
}

function learnt(known: Known, exchange: Exchange): Known {
  const part = partOf(exchange);
  if (part === "poll" && (!isSuccess(exchange) || isOldPoll(exchange))) return known;
  if (part === "poll") {
    const end = TASK_STATES.find((state) => state === stateOf(exchange) && isTerminal(state));
    return { ...known, end: known.end ?? end, refusedCancel: undefined };
  }
  if (part === "submit" || known.end !== undefined) return known;
  if (exchange.answer === undefined || UNDECIDED_STATUSES.includes(exchange.answer.status))
    return { ...known, mayBeCancelled: true };
  if (isSuccess(exchange)) return { ...known, end: "cancelled" };
  return { ...known, refusedCancel: exchange, mayBeCancelled: known.mayBeCancelled || exchange.resent === true };
}
