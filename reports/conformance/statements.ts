/** From the clauses of results to the statements of the specification: the verdict on each, per target. Pure. */

import { LEDGER, type LedgerRow } from "../../contract/ledger.ts";
import type { ClauseResult } from "../../formats/conformance.ts";
import { VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import { groupedBy } from "../../lib/grouped.ts";

/** A statement, and the clauses that cover it. */
export interface AnnotatedStatement {
  readonly row: LedgerRow;
  /** Per target, the worst verdict first; empty where its result has no clause for the statement. */
  readonly clauses: readonly (readonly ClauseResult[])[];
  /** Per target. */
  readonly verdicts: readonly (Verdict | undefined)[];
}

/** The groups of statements that a reader can choose. */
export const STATEMENT_GROUPS = {
  all: "All",
  lacking: "Failed or not verified",
  open: "Not specified or not checkable",
  differing: "Targets differ",
} as const;

/** The groups of a statement, apart from `all`. */
export function groupsOf({ row, verdicts }: AnnotatedStatement): readonly string[] {
  const isOpen = row.level === "observed" || row.excluded !== undefined;
  const isVerified = verdicts.every((verdict) => verdict === "PASS" || verdict === "OBSERVED");
  const groups = { lacking: !isOpen && !isVerified, open: isOpen, differing: new Set(verdicts).size > 1 };
  return Object.entries(groups).flatMap(([group, isIn]) => (isIn ? group : []));
}

/** Verdicts that say nothing of a statement which another clause decides. */
const WEAK: readonly Verdict[] = ["OBSERVED", "NOT-APPLICABLE", "NOT-RUN"];

/** What clauses come to together: the worst of those that were judged, else what was observed, else why nothing was. */
export function statementVerdict(clauses: readonly Pick<ClauseResult, "verdict">[]): Verdict | undefined {
  const has = (verdict: Verdict): boolean => clauses.some((clause) => clause.verdict === verdict);
  return VERDICTS.find((verdict) => !WEAK.includes(verdict) && has(verdict)) ?? WEAK.find(has);
}

/** Every statement of the ledger in its order, then those that only these results have, which other versions made. */
export function annotatedStatements(results: readonly (readonly ClauseResult[])[]): readonly AnnotatedStatement[] {
  const columns = results.map((clauses) => {
    const pairs = clauses.flatMap((clause) => clause.specification.map(({ row }) => ({ row, clause })));
    return groupedBy(pairs, ({ row }) => row);
  });
  return [...LEDGER, ...unknownRows(results.flat())].map((row) => {
    const clauses = columns.map((column) => byVerdict((column.get(row.id) ?? []).map(({ clause }) => clause)));
    return { row, clauses, verdicts: clauses.map(statementVerdict) };
  });
}

const byVerdict = (clauses: readonly ClauseResult[]): ClauseResult[] =>
  clauses.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict));

function unknownRows(clauses: readonly ClauseResult[]): LedgerRow[] {
  const known = new Set(LEDGER.map(({ id }) => id));
  const unknown = clauses.flatMap(({ level, specification }) =>
    specification
      .filter(({ row }) => !known.has(row))
      .map(({ row, ...more }): LedgerRow => ({ id: row, ...more, kind: "text", item: "", level })),
  );
  return [...new Map(unknown.map((row) => [row.id, row])).values()];
}
