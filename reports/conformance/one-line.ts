/** A conformance result in one line: what failed, else what was verified, else why nothing can be said. Pure. */

import type { ConformanceResult, Tally } from "../../formats/conformance.ts";

type Result = Pick<ConformanceResult, "summary" | "exitCode" | "conclusion">;

/** `5 of 129 required clauses failed`. */
export function conformanceLine({ summary, exitCode, conclusion }: Result): string {
  if (hasFailed(summary)) return `${levels(summary, "failed")} clauses failed`;
  if (exitCode === 0) return `${levels(summary, "verified")} clauses verified`;
  const [first = ""] = conclusion.split(": ");
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
}

/** Why the exit code is what it is, where the line does not say it already. */
export function furtherReason(result: Result): string | undefined {
  const isSaid = result.exitCode === 0 || (result.exitCode === 1 && hasFailed(result.summary));
  const line = conformanceLine(result);
  return isSaid || result.conclusion.toLowerCase() === line.toLowerCase() ? undefined : result.conclusion;
}

const hasFailed = ({ required, compatible }: ConformanceResult["summary"]): boolean =>
  required.failed + compatible.failed > 0;

/** The binding levels that have such clauses: `2 of 129 required and 1 of 20 compatible`. */
function levels({ required, compatible }: ConformanceResult["summary"], count: "failed" | "verified"): string {
  const all: [Tally, string][] = [
    [required, "required"],
    [compatible, "compatible"],
  ];
  const held = all.filter(([tally]) => tally[count] > 0);
  return held.map(([tally, level]) => `${tally[count]} of ${tally.total} ${level}`).join(" and ");
}
