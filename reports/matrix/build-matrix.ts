/** From several conformance results to one matrix: a row per clause, a column per target. Pure. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import type { ConformanceMatrix, MatrixCell, MatrixRow } from "../../formats/conformance-matrix.ts";
import { AGREEMENTS, type Agreement } from "../../formats/conformance-matrix.ts";
import { VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import { NOTABLE, profileOf } from "../conformance/clause-groups.ts";
import { formatNumber, plural } from "../numbers.ts";
import { comparability } from "./comparability.ts";
import { folderNames, targetNames } from "./target-names.ts";

/** A result, and where it is from. */
export interface MatrixSource {
  readonly result: ConformanceResult;
  /** The folder as the user named it. */
  readonly source: string;
  /** The folder, absolute. */
  readonly path: string;
}

/** @param tool name and version of what makes the matrix */
export function buildMatrix(sources: readonly MatrixSource[], tool: string): ConformanceMatrix {
  const results = sources.map(({ result }) => result);
  const names = targetNames(sources.map(({ result: { target }, path }) => ({ target, path })));
  const folders = folderNames(names);
  const clauses = rowsOf(results).toSorted(byImportance);
  const conform = results.filter(({ exitCode }) => exitCode === 0).length;
  const differ = clauses.filter(({ agreement }) => agreement === "differs").length;
  return {
    schema: "assay.conformance-matrix/1",
    tool,
    exitCode: exitCodeOf(results),
    conclusion: `${formatNumber(conform)} of ${plural(results.length, "target")} conform${conform === 1 ? "s" : ""}; ${differ === 0 ? "no clause differs" : `${formatNumber(differ)} of ${plural(clauses.length, "clause")} differ${differ === 1 ? "s" : ""}`}`,
    notes: comparability(results.map((result, index) => ({ name: names[index] ?? "", result }))),
    targets: sources.map(({ result, source }, index) => ({
      name: names[index] ?? "",
      folder: folders[index] ?? "",
      source,
      profile: profileOf(result),
      target: result.target,
      startedAt: result.startedAt,
      ...(result.finishedAt !== undefined && { finishedAt: result.finishedAt }),
      tool: result.tool,
      exitCode: result.exitCode,
      verdict: result.verdict,
      conclusion: result.conclusion,
      headline: result.headline,
      problems: result.problems,
      summary: result.summary,
      ...(result.evidence !== undefined && { evidence: result.evidence }),
    })),
    clauses,
  };
}

/** As for the clauses of one run: an internal error before a failure, a failure before what is inconclusive. */
function exitCodeOf(results: readonly ConformanceResult[]): ConformanceResult["exitCode"] {
  const codes = results.map(({ exitCode }) => exitCode);
  return ([3, 1, 2] as const).find((code) => codes.includes(code)) ?? 0;
}

/** One row per clause that any result has, in the order in which they were planned. */
function rowsOf(results: readonly ConformanceResult[]): MatrixRow[] {
  const columns = results.map(({ clauses }) => new Map(clauses.map((clause) => [clause.id, clause])));
  const ids = new Set(results.flatMap(({ clauses }) => clauses.map(({ id }) => id)));
  return [...ids].flatMap((id) => {
    const found = columns.map((column) => column.get(id));
    const first = found.find((clause) => clause !== undefined);
    if (first === undefined) return [];
    const cells = found.map((clause) => (clause === undefined ? null : cellOf(clause)));
    const { area, level, text, specification } = first;
    return [{ id, area, level, text, specification, agreement: agreementOf(cells), cells }];
  });
}

const cellOf = ({ verdict, reason, blockedBy, evidence, selected }: ClauseResult): MatrixCell => ({
  verdict,
  reason,
  ...(blockedBy !== undefined && { blockedBy }),
  evidence,
  selected,
});

/** Verdicts of a clause that was not checked on a target. */
const UNCHECKED: readonly Verdict[] = ["NOT-RUN", "NOT-APPLICABLE"];

/** How the targets stand to each other in a clause. */
export function agreementOf(cells: readonly (Pick<MatrixCell, "verdict"> | null)[]): Agreement {
  const all = new Set(cells.map((cell) => cell?.verdict));
  if (all.size <= 1) return "same";
  const checked = [...all].filter((verdict) => verdict !== undefined && !UNCHECKED.includes(verdict));
  return checked.length > 1 ? "differs" : "partly";
}

/** The worst verdict of a row. */
export const worstVerdict = ({ cells }: Pick<MatrixRow, "cells">): Verdict =>
  VERDICTS.find((verdict) => cells.some((cell) => cell?.verdict === verdict)) ?? "NOT-RUN";

/** True of a row that somebody should read although the targets do not differ in it: none of them passes it. */
export const isShared = (row: MatrixRow): boolean => row.agreement !== "differs" && NOTABLE.includes(worstVerdict(row));

const rankOf = (row: MatrixRow): number =>
  row.agreement === "differs" ? 0 : isShared(row) ? 1 : 1 + AGREEMENTS.indexOf(row.agreement);

/** What differs first, then what nobody passes, then what some did not check; among these the worst verdict first. */
const byImportance = (a: MatrixRow, b: MatrixRow): number =>
  rankOf(a) - rankOf(b) || (rankOf(a) > 1 ? 0 : VERDICTS.indexOf(worstVerdict(a)) - VERDICTS.indexOf(worstVerdict(b)));
