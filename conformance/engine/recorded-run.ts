/** Judges recorded exchanges again, without any network: the same verdicts as the run that recorded them. */

import { z } from "zod";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import type { Clause, Context } from "../model/clause.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import type { Probe } from "../model/probe.ts";
import { blockedBy, inapplicable, isPackedAccepted, judgeClause } from "./judge-clause.ts";

const settingsShape = z.looseObject({ keyGiven: z.boolean().default(false), failingPrompt: z.string().optional() });

/** What the judges may know of a recorded run, from the settings in the header of its files. */
export function contextOf(settings: unknown): Context {
  const { keyGiven, failingPrompt } = settingsShape.parse(settings);
  return { keyGiven, failingPrompt: failingPrompt !== undefined };
}

/**
 * Judges every clause on recorded exchanges; a clause whose probes were not recorded is NOT-RUN.
 * @param clauses linked clauses, as `loadClauses` gives them
 */
export function judgeAll(
  clauses: readonly Clause[],
  exchanges: readonly Exchange[],
  context: Context,
): ReadonlyMap<string, ClauseVerdict> {
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const recorded = byProbe(exchanges);
  const rulings = new Map<string, ClauseVerdict>();
  const exchangesOf = (probe: Probe): Exchanges | undefined => {
    if (probe.kind === "task" && probe.packedIn !== undefined) {
      const packed = recorded.get(probe.packedIn.name);
      if (packed !== undefined && isPackedAccepted(packed)) return packed;
    }
    return recorded.get(probe.name);
  };
  const verdictOf = (clause: Clause): ClauseVerdict => {
    const before = rulings.get(clause.id);
    if (before !== undefined) return before;
    const needs = clause.needs.flatMap((id) => {
      const need = byId.get(id);
      return need === undefined ? [] : [{ id, ruling: verdictOf(need) }];
    });
    const ruling =
      inapplicable(clause, context) ??
      blockedBy(needs) ??
      judgeRecorded(clause, clause.probes.map(exchangesOf), context);
    rulings.set(clause.id, ruling);
    return ruling;
  };
  for (const clause of clauses) verdictOf(clause);
  return rulings;
}

function byProbe(exchanges: readonly Exchange[]): ReadonlyMap<string, Exchanges> {
  const groups = new Map<string, Exchange[]>();
  for (const exchange of exchanges.filter(({ retried }) => retried === undefined)) {
    const group = groups.get(exchange.probe) ?? [];
    groups.set(exchange.probe, [...group, exchange]);
  }
  return groups;
}

function judgeRecorded(clause: Clause, seen: readonly (Exchanges | undefined)[], context: Context): ClauseVerdict {
  const known = seen.filter((exchanges) => exchanges !== undefined);
  if (known.length === seen.length) return judgeClause(clause, known, context);
  return { verdict: "NOT-RUN", reason: "its exchanges were not recorded", evidence: [] };
}
