/** Conformance results of made-up clauses. */

import type { ClauseResult, ConformanceResult } from "../../../formats/conformance.ts";
import { conclude, headline, scope, summarize } from "../../../reports/conformance/tally.ts";
import { conformanceVerdict } from "../../../reports/verdict-words.ts";

/** A clause that passed. */
export const clauseOf = (id: string, more: Partial<ClauseResult> = {}): ClauseResult => ({
  id,
  area: "chat",
  level: "required",
  text: "a statement",
  specification: [],
  verdict: "PASS",
  reason: "as the specification says",
  evidence: [],
  selected: true,
  ...more,
});

/** The result of a run of these clauses that came to its end. */
export function resultOfClauses(
  clauses: readonly ClauseResult[],
  more: Partial<ConformanceResult> = {},
): ConformanceResult {
  const summary = summarize(clauses);
  const settings = { profile: "service" };
  const circumstances = { finished: true, damage: [], staleBaseline: [], failOn: "fail", require: [] } as const;
  const conclusion = conclude(clauses, summary, circumstances);
  const { word } = conformanceVerdict({ ...conclusion, summary, settings });
  const about = scope(clauses);
  return {
    schema: "assay.conformance/1",
    target: "http://t",
    startedAt: "2026-01-02T03:04:05.000Z",
    finishedAt: "2026-01-02T03:04:06.000Z",
    tool: "assay 0.1.0",
    settings,
    ...conclusion,
    verdict: about === "" ? word : `${word} (${about})`,
    headline: headline(clauses, summary),
    problems: [],
    summary,
    clauses: [...clauses],
    ...more,
  };
}
