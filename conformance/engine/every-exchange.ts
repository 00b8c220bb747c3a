/** Joins what a clause came to on its own probe with what it came to on every exchange of its kind in the run. */

import type { ClauseVerdict } from "../model/findings.ts";
import type { Everywhere, InvariantChecker } from "./invariants.ts";

/**
 * The verdict of a clause on the whole run. Exchanges elsewhere can only show that it is violated: what it takes to
 * verify it is its own probe.
 */
export function withEveryExchange(own: ClauseVerdict, id: string, checker: InvariantChecker): ClauseVerdict {
  const everywhere = checker.found(id);
  const isWrong = everywhere?.isWrong === true;
  if (PREVAILS.has(own.verdict)) return own;
  // Of responses that all came from elsewhere, none can violate anything.
  if (!checker.sawService && own.verdict === "INCONCLUSIVE") return own;
  const isBad = own.verdict === "FAIL" || own.verdict === "WARN";
  const cause = isBad ? checker.causeOf(id, own.evidence) : undefined;
  if (cause !== undefined && !isWrong) {
    const reason = `${cause} must hold first, and does not for what this clause looks at: ${own.reason}`;
    return { verdict: "BLOCKED", reason, blockedBy: cause, evidence: own.evidence };
  }
  if (everywhere === undefined || !isWrong) return own;
  return isBad && cause === undefined ? counted(own, everywhere) : everywhere.verdict;
}

/** Verdicts that say why nothing else can be said. */
const PREVAILS: ReadonlySet<ClauseVerdict["verdict"]> = new Set(["BLOCKED", "HARNESS-ERROR"]);

const counted = (own: ClauseVerdict, { words, verdict }: Everywhere): ClauseVerdict => ({
  ...own,
  reason: `${own.reason}; ${words}`,
  evidence: [...new Set([...own.evidence, ...verdict.evidence])],
  ...(verdict.share && { share: verdict.share }),
});
