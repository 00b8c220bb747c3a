/** Which statements of the specification the traffic of others exercised, and why the others were not. Pure. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import type { Verdict } from "../../formats/verdicts.ts";
import { plural } from "../numbers.ts";

type Traffic = NonNullable<ConformanceResult["traffic"]>;
type Statements = Traffic["statements"];

/** Verdicts of clauses that nothing was judged for. */
const IDLE: readonly Verdict[] = ["NOT-RUN", "NOT-APPLICABLE"];

/** Counts the statements behind clauses; one is exercised when anything was judged for one of its clauses. */
export function exercisedStatements(clauses: readonly ClauseResult[]): Statements {
  const rows = new Map<
    string,
    { readonly clauses: ClauseResult[]; readonly statement: ClauseResult["specification"][0] }
  >();
  for (const clause of clauses) {
    for (const statement of clause.specification) {
      const row = rows.get(statement.row) ?? { clauses: [], statement };
      row.clauses.push(clause);
      rows.set(statement.row, row);
    }
  }
  const never = [...rows.values()].filter((row) => row.clauses.every(({ verdict }) => IDLE.includes(verdict)));
  return {
    total: rows.size,
    exercised: rows.size - never.length,
    never: never.map((row) => ({
      ...row.statement,
      reason: reasonOf(row.clauses),
      checkable: row.clauses.some(({ selected }) => selected),
    })),
  };
}

/** That of a clause that the traffic could have exercised, or else of one that takes a probe. */
const reasonOf = (clauses: readonly ClauseResult[]): string =>
  (clauses.find(({ selected }) => selected) ?? clauses[0])?.reason ?? "";

/** `4 requests, 3 judged, 1 whose client left, or whose request could not be passed on` */
export function trafficWords({ requests, judged, clientLeft, unchecked, unrecorded, cached = 0 }: Traffic): string {
  const parts: [number, string][] = [
    [clientLeft, "whose client left, or whose request could not be passed on"],
    [unchecked, "passed on without a check, because more came than could be taken"],
    [unrecorded, "not in exchanges.jsonl, whose size is bounded"],
    [cached, "returned by a cache, by their headers"],
  ];
  const more = parts.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : []));
  return [plural(requests, "request"), `${judged} judged`, ...more].join(", ");
}

/** The statements that the traffic could have exercised and did not, and those that no traffic exercises. */
const neverExercised = ({ never }: Statements): Record<"absent" | "uncheckable", Statements["never"]> => ({
  absent: never.filter(({ checkable }) => checkable !== false),
  uncheckable: never.filter(({ checkable }) => checkable === false),
});

/** `31 of 180 statements of the specification exercised, 49 not in the traffic, 100 not checkable from traffic` */
export function statementWords(statements: Statements): string {
  const { absent, uncheckable } = neverExercised(statements);
  return [
    `${statements.exercised} of ${statements.total} statements of the specification exercised`,
    ...(absent.length > 0 ? [`${absent.length} not in the traffic`] : []),
    ...(uncheckable.length > 0 ? [`${uncheckable.length} not checkable from traffic`] : []),
  ].join(", ");
}

/** How many statements of each section the traffic could have exercised and did not, in the order of the specification. */
export function neverBySection(statements: Statements): readonly (readonly [section: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { section } of neverExercised(statements).absent) counts.set(section, (counts.get(section) ?? 0) + 1);
  return [...counts];
}
