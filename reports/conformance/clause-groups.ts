/** What every view of a conformance result shows, in the order in which it matters. */

import type { ClauseResult } from "../../formats/conformance.ts";
import { checkStatus, VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import type { Tone } from "../verdict-words.ts";

export const statusOf = ({ level, verdict, selected }: ClauseResult) => checkStatus(level, verdict, selected);

/** True of a clause that keeps the run from being green: it decides the exit code. */
export const isDecisive = (clause: ClauseResult): boolean => ["failure", "error"].includes(statusOf(clause));

/** The tone in which a verdict is shown. */
export const TONES: Readonly<Record<Verdict, Tone>> = {
  PASS: "good",
  FAIL: "bad",
  "HARNESS-ERROR": "bad",
  WARN: "unsure",
  BLOCKED: "unsure",
  INCONCLUSIVE: "unsure",
  KNOWN: "none",
  OBSERVED: "none",
  "NOT-APPLICABLE": "none",
  "NOT-RUN": "none",
};

/** Verdicts that somebody should read about. */
const NOTABLE: readonly Verdict[] = ["FAIL", "HARNESS-ERROR", "WARN", "BLOCKED", "INCONCLUSIVE", "KNOWN"];

/** Clauses that somebody should read about, the worst first. */
export function findings(clauses: readonly ClauseResult[]): ClauseResult[] {
  return clauses
    .filter(({ verdict }) => NOTABLE.includes(verdict))
    .sort((a, b) => Number(isDecisive(b)) - Number(isDecisive(a)) || rank(a) - rank(b));
}

const rank = ({ verdict }: ClauseResult): number => VERDICTS.indexOf(verdict);

/** Each statement that a clause checks, with its section; none in records that were written without them. */
export const specificationOf = ({ specification }: ClauseResult): readonly string[] =>
  specification.map(({ section, text }) => `${text} (section "${section}")`);

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
