/** What every view of a conformance result shows, in the order in which it matters. */

import type { Verdict } from "./lines.ts";
import { VERDICTS } from "./lines.ts";
import type { ClauseResult, ConformanceResult } from "./result.ts";

export type Tone = "good" | "bad" | "unsure";

/** The verdict of a run in a word, and how it feels. */
export function conformanceVerdict({ exitCode }: Pick<ConformanceResult, "exitCode">): { word: string; tone: Tone } {
  if (exitCode === 0) return { word: "CONFORMS", tone: "good" };
  if (exitCode === 1) return { word: "FELL SHORT", tone: "bad" };
  return exitCode === 2 ? { word: "NO CONCLUSION", tone: "unsure" } : { word: "ASSAY FAILED", tone: "bad" };
}

const binding = ({ level }: ClauseResult): boolean => level === "required" || level === "compatible";

/** True of a clause that keeps the run from being green: it decides the exit code. */
export const isShortfall = (clause: ClauseResult): boolean =>
  clause.verdict === "FAIL" ||
  clause.verdict === "HARNESS-ERROR" ||
  (clause.selected && binding(clause) && (clause.verdict === "BLOCKED" || clause.verdict === "INCONCLUSIVE"));

const NOTABLE: readonly Verdict[] = ["FAIL", "HARNESS-ERROR", "WARN", "BLOCKED", "INCONCLUSIVE", "KNOWN"];

/** Clauses that somebody should read, the worst first. */
export function notable(clauses: readonly ClauseResult[]): ClauseResult[] {
  return clauses
    .filter(({ verdict }) => NOTABLE.includes(verdict))
    .sort((a, b) => Number(isShortfall(b)) - Number(isShortfall(a)) || rank(a) - rank(b));
}

const rank = ({ verdict }: ClauseResult): number => VERDICTS.indexOf(verdict);

export interface Area {
  readonly area: string;
  readonly clauses: readonly ClauseResult[];
  /** Verdicts that occur, the worst first. */
  readonly counts: readonly (readonly [Verdict, number])[];
}

/** Clauses by area, both in the order in which they are planned. */
export function areas(clauses: readonly ClauseResult[]): Area[] {
  const groups = new Map<string, ClauseResult[]>();
  for (const clause of clauses) groups.set(clause.area, [...(groups.get(clause.area) ?? []), clause]);
  return [...groups].map(([area, members]) => ({ area, clauses: members, counts: countVerdicts(members) }));
}

/** Verdicts that occur and how often, the worst first. */
export const countVerdicts = (clauses: readonly ClauseResult[]): (readonly [Verdict, number])[] =>
  VERDICTS.flatMap((verdict) => {
    const count = clauses.filter((clause) => clause.verdict === verdict).length;
    return count > 0 ? [[verdict, count] as const] : [];
  });

/** `exchange 14`, `exchanges 3, 4`. */
export const exchangeWords = (evidence: readonly number[]): string =>
  `exchange${evidence.length === 1 ? "" : "s"} ${evidence.join(", ")}`;
