/** How clauses are written: `clause`, and `acceptance`, `refusal` and `observation` on top of it. */

import type { Exchanges } from "../../formats/exchanges.ts";
import type { Level } from "../../formats/verdicts.ts";
import { accepted, outcomeOf } from "../judges/acceptance.ts";
import { refused, SENT_IN_ALL, wasServed } from "../judges/refusal.ts";
import { returned } from "../judges/status.ts";
import { latestTask } from "../judges/task-history.ts";
import { unknownModel, withModelAdvice } from "../judges/unknown-model.ts";
import { AREAS, type Clause, type ClauseInput } from "../model/clause.ts";
import { holds, inconclusive } from "../model/findings.ts";
import { isCompatible } from "../model/ledger-links.ts";
import { type Probe, repeated, SHORT_REPLY_TOKENS } from "../model/probe.ts";

const clauses = new WeakSet<object>();

/** Whether a value was made by `clause`. */
export const isClause = (value: unknown): value is Clause =>
  typeof value === "object" && value !== null && clauses.has(value);

/**
 * Makes a clause. The level types what its judge may find: an observed clause cannot fail.
 * @param text what must hold, in a sentence without its end
 */
export function clause<L extends Level>(id: string, text: string, input: ClauseInput<L>): Clause {
  const area = AREAS.find((name) => id.startsWith(`${name}.`));
  if (area === undefined) throw new Error(`Cannot place clause "${id}": its id begins with no known area.`);
  const rows = typeof input.row === "string" ? [input.row] : input.row;
  const made: Clause = {
    id,
    rows,
    level: input.level,
    area,
    text,
    needs: input.needs ?? [],
    probes: [input.probe, ...(input.others ?? [])],
    alsoSent: input.alsoSent ?? [],
    again: input.probe.kind === "request" ? repeated(input.probe, input.again ?? 0) : [],
    confirmedBy: input.confirmed ? repeated(input.probe, SENT_IN_ALL - 1) : [],
    explainedBy: input.explainedBy ?? [],
    undecidedBy: input.undecidedBy ?? [],
    provenBy: input.provenBy ?? [],
    pick: input.pick ?? ownExchanges(input.probe),
    unmet: inconclusive(input.unmet ?? "what the clause is about was not observed"),
    anyResponse: input.anyResponse ?? false,
    accepts: input.accepts ?? false,
    ...(isCompatible(rows) && { profile: "openai" as const }),
    ...(input.control && { control: input.control }),
    ...(input.over && { over: input.over }),
    ...(input.identity && { identity: input.identity }),
    judgeUnit: (unit, context) => input.judgeUnit?.(unit) ?? input.judge(unit, [], context),
    judge: ([own = [], ...others], context) => input.judge(own, others, context),
  };
  clauses.add(made);
  return made;
}

/** Those of a probe's exchanges that a clause is about when it says nothing else: a task probe's last submission, else all. */
export const ownExchanges =
  ({ kind }: Probe) =>
  (exchanges: Exchanges): Exchanges =>
    kind === "task" ? latestTask(exchanges).slice(0, 1) : exchanges;

type Binding = "required" | "recommended";
type Written<L extends Binding | "observed"> = Omit<
  ClauseInput<L>,
  "level" | "judge" | "judgeUnit" | "pick" | "accepts"
> & {
  readonly level?: L;
};

/** Times that a request is sent again: of five in a row, one meets a fault in every fifth. */
const AGAIN = 5;

/** What the specification requires is sent again; what it only recommends is not. */
const requiredAgain = ({ level, again }: Written<Binding>): number => again ?? (level === "recommended" ? 0 : AGAIN);

/** A reply costs its user tokens and time, and a run has many of them. */
const isCostly = ({ probe }: Written<Binding>): boolean =>
  probe.kind === "request" &&
  probe.body?.["messages"] !== undefined &&
  !(Number(probe.body["max_tokens"]) < SHORT_REPLY_TOKENS);

/** The clause that says what is wrong where a key is refused. */
const keyClauseOf = (id: string): string => `auth.key.${id.split(".")[0]}`;

/** The clauses about what makes a response recognisable as the one that was requested: where one says what is wrong, no other does. */
const MARKED_BY: Readonly<Record<string, readonly string[]>> = {
  chat: ["chat.response.choices", "chat.response.choices.some"],
  embeddings: ["embeddings.response.data", "embeddings.response.data.count"],
};

/** The specification allows the request, so it is served. */
export const acceptance = (id: string, text: string, input: Written<Binding>): Clause =>
  clause<Binding>(id, text, {
    level: "required",
    ...input,
    again: isCostly(input) ? (input.again ?? 0) : requiredAgain(input),
    explainedBy: [...(MARKED_BY[id.split(".")[0] ?? ""] ?? []), ...(input.explainedBy ?? [])],
    undecidedBy: [keyClauseOf(id)],
    accepts: true,
    judge: ([exchange], _, context) => {
      const found =
        unknownModel(exchange, context) ?? (wasServed(exchange) ? holds(returned(exchange)) : accepted(exchange));
      return id.endsWith(".minimal") ? withModelAdvice(found, exchange) : found;
    },
  });

/** The specification forbids the request, so it is not served, while its control, one field apart, is. */
export const refusal = (id: string, text: string, input: Written<Binding> & { readonly control: Probe }): Clause =>
  clause<Binding>(id, text, {
    level: "required",
    ...input,
    again: requiredAgain(input),
    undecidedBy: [keyClauseOf(id)],
    others: [input.control],
    confirmed: true,
    judge: ([exchange, ...confirmed], [control = []]) => {
      const basis = input.control.kind === "task" ? latestTask(control)[0] : control[0];
      return wasServed(basis)
        ? refused(exchange, basis, confirmed)
        : { kind: "inconclusive", why: "the control was not accepted" };
    },
  });

/** The specification leaves open what happens; it is recorded. */
export const observation = (id: string, text: string, input: Written<"observed">): Clause =>
  clause(id, text, { ...input, level: "observed", judge: outcomeOf });
