/** What a judge finds, and the verdict that comes of it. The types keep an observed clause from failing and a recommended one to a warning. */

import type { Level, Share, Verdict } from "../../formats/verdicts.ts";

interface Holds {
  readonly kind: "holds";
  readonly observed: string;
}
interface Broken {
  readonly kind: "broken";
  readonly expected: string;
  readonly observed: string;
  /** The exchanges that show it; all of the probe's when absent. */
  readonly evidence?: readonly number[];
  /** The part of the response that came shows it, whatever would have followed. */
  readonly already?: true;
}
interface Noted {
  readonly kind: "noted";
  readonly observed: string;
}
interface Undecided {
  readonly kind: "not-applicable" | "inconclusive";
  readonly why: string;
  /** The response says nothing about the subject of the clause: what is wrong with it is the subject of another one. */
  readonly elsewhere?: true;
}
export type Finding = Holds | Broken | Noted | Undecided;

/** What the judge of a clause of level `L` may find. */
export type FindingOf<L extends Level> = L extends "observed" ? Noted | Undecided : Holds | Broken | Undecided;

/** The statement was verified. */
export const holds = (observed: string): Holds => ({ kind: "holds", observed });
/** The statement is violated: what the specification says, and what the target did. */
export const broken = (expected: string, observed: string, evidence?: readonly number[]): Broken =>
  evidence === undefined ? { kind: "broken", expected, observed } : { kind: "broken", expected, observed, evidence };
/** The statement is violated by what came first: also where the response was cut later. */
export const brokenAlready = (expected: string, observed: string, evidence?: readonly number[]): Broken => ({
  ...broken(expected, observed, evidence),
  already: true,
});
/** What was observed where the specification leaves it open. */
export const noted = (observed: string): Noted => ({ kind: "noted", observed });
/** The clause's condition cannot be met here. */
export const notApplicable = (why: string): Undecided => ({ kind: "not-applicable", why });
/** A judgement was prevented. */
export const inconclusive = (why: string): Undecided => ({ kind: "inconclusive", why });

/** A judgement was prevented by what another clause is about: the clause is BLOCKED under that one. */
export const elsewhere = (why: string): Undecided => ({ kind: "inconclusive", why, elsewhere: true });

/** What a clause came to, and why. */
export interface ClauseVerdict {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly blockedBy?: string;
  readonly evidence: readonly number[];
  readonly share?: Share;
}

/** Turns what a judge found into the verdict of a clause of that level. */
export function verdictFrom(level: Level, finding: Finding, evidence: readonly number[]): ClauseVerdict {
  if (finding.kind === "broken") {
    const shown = finding.evidence ?? evidence;
    const reason = `${finding.expected}; ${finding.observed}${cite(shown)}`;
    return { verdict: level === "recommended" ? "WARN" : "FAIL", reason, evidence: shown };
  }
  if (finding.kind === "noted")
    return { verdict: "OBSERVED", reason: `${finding.observed}${cite(evidence)}`, evidence };
  if (finding.kind === "holds") return { verdict: "PASS", reason: finding.observed, evidence };
  const verdict = finding.kind === "not-applicable" ? "NOT-APPLICABLE" : "INCONCLUSIVE";
  return { verdict, reason: `${finding.why}${cite(evidence)}`, evidence };
}

const MOST_CITED = 4;

/** ` (exchange 14)`, ` (exchanges 3, 4)`, or nothing. */
function cite(evidence: readonly number[]): string {
  if (evidence.length === 0) return "";
  const cited = evidence.slice(0, MOST_CITED).join(", ");
  const more = evidence.length > MOST_CITED ? " and more" : "";
  return ` (exchange${evidence.length === 1 ? "" : "s"} ${cited}${more})`;
}
