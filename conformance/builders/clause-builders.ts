/** How clauses are written: `clause`, and `acceptance`, `refusal` and `observation` on top of it. */

import type { Exchanges } from "../../formats/exchanges.ts";
import type { Level } from "../../formats/verdicts.ts";
import { accepted, outcomeOf, refused, wasAccepted } from "../judges/acceptance.ts";
import { latestTask } from "../judges/task-history.ts";
import { unknownModel } from "../judges/unknown-model.ts";
import { AREAS, type Clause, type ClauseInput } from "../model/clause.ts";
import { inconclusive } from "../model/findings.ts";
import { isCompatible } from "../model/ledger-links.ts";
import type { Probe } from "../model/probe.ts";

const clauses = new WeakSet<object>();

/** Whether a value was made by `clause`. */
export const isClause = (value: unknown): value is Clause =>
  typeof value === "object" && value !== null && clauses.has(value);

/** Makes a clause. The level types what its judge may find: an observed clause cannot fail. */
export function clause<L extends Level>(input: ClauseInput<L>): Clause {
  const area = AREAS.find((name) => input.id.startsWith(`${name}.`));
  if (area === undefined) throw new Error(`Cannot place clause "${input.id}": its id begins with no known area.`);
  const rows = typeof input.row === "string" ? [input.row] : input.row;
  const made: Clause = {
    id: input.id,
    rows,
    level: input.level,
    area,
    text: input.text,
    needs: input.needs ?? [],
    probes: [input.probe, ...(input.others ?? [])],
    besides: input.besides ?? [],
    provenBy: input.provenBy ?? [],
    pick: input.pick ?? ownExchanges(input.probe),
    unmet: inconclusive(input.unmet ?? "what the clause is about was not observed"),
    anyResponse: input.anyResponse ?? false,
    accepts: input.accepts ?? false,
    ...(isCompatible(rows) && { profile: "openai" as const }),
    ...(input.control && { control: input.control }),
    ...(input.over && { over: input.over }),
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

/** The specification allows the request, so it is served. */
export const acceptance = (input: Written<Binding>): Clause =>
  clause<Binding>({
    level: "required",
    ...input,
    accepts: true,
    judge: ([exchange], _, context) => unknownModel(exchange, context) ?? accepted(exchange),
  });

/** The specification forbids the request, so it is not served, while its control, one field apart, is. */
export const refusal = (input: Written<Binding> & { readonly control: Probe }): Clause =>
  clause<Binding>({
    level: "required",
    ...input,
    others: [input.control],
    judge: ([exchange], [control = []]) => {
      const basis = input.control.kind === "task" ? latestTask(control)[0] : control[0];
      return wasAccepted(basis)
        ? refused(exchange, basis)
        : { kind: "inconclusive", why: "the control was not accepted" };
    },
  });

/** The specification leaves open what happens; it is recorded. */
export const observation = (input: Written<"observed">): Clause =>
  clause({ ...input, level: "observed", judge: outcomeOf });
