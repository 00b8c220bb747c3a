/** A conformance result as JUnit XML, one test case per clause. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import { failOnOf } from "../verdict-words.ts";
import { junit, type TestCase } from "../xml.ts";
import { basisLabel, specificationOf, statusOf } from "./clause-groups.ts";

export const conformanceJunit = (result: ConformanceResult): string =>
  junit(`assay conformance ${result.target}`, result.startedAt, conformanceCases(result));

/** One test case per clause, with the status that its verdict has everywhere, and one for the run as a whole. */
export function conformanceCases(result: ConformanceResult): TestCase[] {
  const cases = result.clauses.map((clause): TestCase => {
    const { id, area, reason, verdict, blockedBy } = clause;
    const status = statusOf(clause, failOnOf(result));
    const message = `${verdict}: ${reason}${blockedBy === undefined ? "" : ` (blocked by ${blockedBy})`}`;
    const named = { group: area, name: id };
    if (status === "skip") return { ...named, problem: { kind: "skipped", message } };
    if (status === "failure" || status === "error") {
      const details = specificationOf(clause).map((statement) => `${basisLabel(clause)}: ${statement}`);
      return { ...named, problem: { kind: status, message, details: details.join("\n") } };
    }
    return status === "pass" ? named : { ...named, output: message };
  });
  // A run that is not green must not look green in CI because its problem is not one clause's.
  const whole: TestCase = { group: "assay", name: "conclusion", ...wholeProblem(result) };
  return [whole, ...cases];
}

function wholeProblem({
  exitCode,
  verdict,
  conclusion,
  headline,
}: ConformanceResult): Pick<TestCase, "problem" | "output"> {
  if (exitCode === 0) return { output: `${verdict}: ${headline}` };
  const kind = exitCode === 1 ? "failure" : "error";
  return { problem: { kind, message: `${verdict}: ${conclusion}: ${headline}` } };
}
