/** Counting verdicts: the headline, the exit code, and the sentence that explains it. */

import type { ClauseResult, ConformanceResult, Tally } from "../../formats/conformance.ts";
import { isBinding, isVideoClause, type Level, type Verdict } from "../../formats/verdicts.ts";
import { plural } from "../numbers.ts";
import { statusOf } from "./clause-groups.ts";

/** Verdicts that take a clause out of the count: it does not apply here, or its failure is known. */
const NOT_COUNTED: readonly Verdict[] = ["NOT-APPLICABLE", "KNOWN"];

const counted = (clauses: readonly ClauseResult[], level: Level): ClauseResult[] =>
  clauses.filter((clause) => clause.level === level && clause.selected && !NOT_COUNTED.includes(clause.verdict));

function tally(clauses: readonly ClauseResult[], level: Level): Tally {
  const all = counted(clauses, level);
  const verified = all.filter((clause) => statusOf(clause) === "pass").length;
  const failed = all.filter((clause) => statusOf(clause) === "failure" || clause.verdict === "WARN").length;
  return { total: all.length, verified, failed, unverified: all.length - verified - failed };
}

export function summarize(clauses: readonly ClauseResult[]): ConformanceResult["summary"] {
  return {
    required: tally(clauses, "required"),
    compatible: tally(clauses, "compatible"),
    recommended: tally(clauses, "recommended"),
    observed: clauses.filter(({ verdict }) => verdict === "OBSERVED").length,
  };
}

/** How the required clauses stand, in one line: `118 of 118 required verified, 4 not applicable, 2 known, 31 video not run`. */
export function headline(
  clauses: readonly ClauseResult[],
  { required, compatible }: ConformanceResult["summary"],
  isTraffic = false,
): string {
  const binding = clauses.filter(({ level }) => isBinding(level));
  const count = (test: (clause: ClauseResult) => boolean) => binding.filter(test).length;
  const being = (verdict: Verdict) => count((clause) => clause.selected && clause.verdict === verdict);
  const parts: [number, string][] = [
    [being("FAIL"), "failed"],
    [being("HARNESS-ERROR"), "not checked because of an internal error"],
    [being("BLOCKED"), "blocked"],
    [being("INCONCLUSIVE"), "inconclusive"],
    [being("NOT-RUN"), "not run"],
    [being("NOT-APPLICABLE"), isTraffic ? "not in the traffic" : "not applicable"],
    [being("KNOWN"), "known"],
    ...(isTraffic
      ? [[count(({ selected }) => !selected), "that take a probe or were not selected"] as [number, string]]
      : [
          [count((clause) => !clause.selected && isVideoClause(clause.id)), "video not run"] as [number, string],
          [count((clause) => !clause.selected && !isVideoClause(clause.id)), "not selected"] as [number, string],
        ]),
  ];
  return [
    `${required.verified} of ${required.total} required verified`,
    ...(compatible.total > 0 ? [`${compatible.verified} of ${compatible.total} compatible verified`] : []),
    ...parts.flatMap(([amount, words]) => (amount > 0 ? [`${amount} ${words}`] : [])),
  ].join(", ");
}

export interface Circumstances {
  readonly finished: boolean;
  /** Sentences about lines that could not be read. */
  readonly damage: readonly string[];
  /** Entries of the baseline that have expired or now pass. */
  readonly staleBaseline: readonly string[];
}

/** A failure (1) comes before an internal error (3), which does not undo it, and that before an inconclusive run (2). */
export function conclude(
  clauses: readonly ClauseResult[],
  { required, compatible }: ConformanceResult["summary"],
  { finished, damage, staleBaseline }: Circumstances,
): Pick<ConformanceResult, "exitCode" | "conclusion"> {
  const failed = required.failed + compatible.failed;
  const faults = clauses.filter(({ verdict }) => verdict === "HARNESS-ERROR").length;
  const unchecked = `${plural(faults, "clause")} could not be checked because of an internal error`;
  if (failed > 0) {
    return { exitCode: 1, conclusion: `${clausesOf(failed)} failed${faults > 0 ? `; ${unchecked}` : ""}` };
  }
  if (faults > 0) return { exitCode: 3, conclusion: unchecked };
  if (staleBaseline.length > 0) {
    return { exitCode: 1, conclusion: `the baseline is out of date: ${staleBaseline.join("; ")}` };
  }
  if (damage.length > 0) return { exitCode: 2, conclusion: `the record is damaged: ${damage[0]}` };
  if (!finished) return { exitCode: 2, conclusion: "the run was interrupted" };
  const unverified = required.unverified + compatible.unverified;
  if (unverified > 0) return { exitCode: 2, conclusion: `${clausesOf(unverified)} could not be verified` };
  if (required.verified + compatible.verified === 0) return { exitCode: 2, conclusion: "nothing was verified" };
  return { exitCode: 0, conclusion: "every selected required clause is verified" };
}

const clausesOf = (count: number): string => (count === 1 ? "1 required clause" : `${count} required clauses`);
