/** A conformance result as JUnit XML, a test case a clause. */

import { junit, type TestCase } from "../xml.ts";
import type { ClauseResult, ConformanceResult } from "./result.ts";

/** FAIL is a failure, what kept a required clause from being judged an error, what was not asked skipped. */
export function conformanceJunit(result: ConformanceResult): string {
  const cases = result.clauses.map((clause): TestCase => {
    const { id, area, reason, verdict, blockedBy } = clause;
    const kind = problemOf(clause);
    const message = `${verdict}: ${reason}${blockedBy === undefined ? "" : ` (waits for ${blockedBy})`}`;
    const named = { group: area, name: id };
    if (kind !== undefined) return { ...named, problem: { kind, message } };
    return verdict === "PASS" ? named : { ...named, output: message };
  });
  // A run that is not green must not look green in CI because its problem is not one clause's.
  const whole: TestCase = { group: "assay", name: "conclusion", ...wholeProblem(result) };
  return junit(`assay conformance ${result.target}`, result.startedAt, [whole, ...cases]);
}

function wholeProblem({ exitCode, conclusion, headline }: ConformanceResult): Pick<TestCase, "problem" | "output"> {
  if (exitCode === 0) return { output: headline };
  const kind = exitCode === 1 ? "failure" : "error";
  return { problem: { kind, message: `${conclusion}: ${headline}` } };
}

function problemOf({ verdict, level }: ClauseResult): "failure" | "error" | "skipped" | undefined {
  if (verdict === "FAIL") return "failure";
  if (verdict === "HARNESS-ERROR") return "error";
  if (verdict === "BLOCKED" || verdict === "INCONCLUSIVE") {
    return level === "required" || level === "compatible" ? "error" : "skipped";
  }
  if (verdict === "NOT-RUN" || verdict === "NOT-APPLICABLE" || verdict === "KNOWN") return "skipped";
  return undefined;
}
