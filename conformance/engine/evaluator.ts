/** Evaluates clauses on exchanges, wherever these come from: a target that is probed, or the record of a run. */

import type { Exchanges } from "../../formats/exchanges.ts";
import { wasAccepted } from "../judges/acceptance.ts";
import { latestTask } from "../judges/task-history.ts";
import type { Clause, Context } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import type { Probe } from "../model/probe.ts";
import { blockedBy, harnessError, inapplicable, judgeClause } from "./judge-clause.ts";

/** A probe that was not carried out, and why. */
export interface NotRun {
  readonly notRun: string;
}
const isNotRun = (exchanges: Exchanges | NotRun): exchanges is NotRun => "notRun" in exchanges;

/** Whether no request of a probe was left open: more of these would use up the time of the run. */
const wasAnswered = (exchanges: Exchanges | NotRun): boolean =>
  !isNotRun(exchanges) && exchanges.every(({ failure }) => failure?.kind !== "timeout");

/** Gives the exchanges of a probe. */
export type ExchangeSource = (probe: Probe) => Promise<Exchanges | NotRun>;

/** The verdict of a clause that was not checked. */
export const notRun = (reason: string): ClauseVerdict => ({ verdict: "NOT-RUN", reason, evidence: [] });

/**
 * Makes the function that evaluates a clause by its id: once, and its needs before it.
 * @param clauses linked clauses, as `loadClauses` gives them
 * @param tooLate why nothing more is checked, though its exchanges may be there
 */
export function evaluator(
  clauses: readonly Clause[],
  source: ExchangeSource,
  context: Context,
  tooLate: () => string | undefined = () => undefined,
): (id: string) => Promise<ClauseVerdict> {
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const verdicts = new Map<string, Promise<ClauseVerdict>>();

  const verdictOf = (id: string): Promise<ClauseVerdict> => {
    const before = verdicts.get(id);
    if (before !== undefined) return before;
    const clause = byId.get(id);
    if (clause === undefined) throw new Error(`Cannot check clause "${id}": there is no clause of that id.`);
    const verdict = evaluate(clause).catch((error: unknown) => harnessError(`checking ${id} failed`, error));
    verdicts.set(id, verdict);
    return verdict;
  };

  const evaluate = async (clause: Clause): Promise<ClauseVerdict> => {
    const beside = inapplicable(clause, context);
    if (beside !== undefined) return beside;
    const known = clause.needs.filter((id) => byId.has(id));
    const blocked = blockedBy(await Promise.all(known.map(async (id) => ({ id, verdict: await verdictOf(id) }))));
    if (blocked !== undefined) return blocked;
    const exchanges = await Promise.all(clause.probes.map(packedOrOwn));
    if (exchanges.every(wasAnswered)) await Promise.all(clause.besides.map(source));
    const missing = exchanges.find(isNotRun);
    const why = missing?.notRun ?? tooLate();
    if (why !== undefined) return notRun(why);
    return judgeClause(
      clause,
      exchanges.filter((one): one is Exchanges => !isNotRun(one)),
      context,
    );
  };

  /** A packed job that was accepted stands for the job of each of its fields; a probe for after a refusal waits for it. */
  const packedOrOwn: ExchangeSource = async (probe) => {
    if (probe.kind === "task" && probe.packedIn !== undefined) {
      const packed = await source(probe.packedIn);
      if (!isNotRun(packed) && wasAccepted(latestTask(packed)[0])) return packed;
    }
    if (probe.kind === "request" && probe.afterRefused !== undefined) {
      const before = await source(probe.afterRefused);
      if (!context.keyGiven || isNotRun(before) || before[0]?.answer?.status !== 401) return [];
    }
    return source(probe);
  };

  return verdictOf;
}
