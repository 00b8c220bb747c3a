/** A load run as JUnit XML: one test case for its validity, and one per objective. */

import type { RunResult } from "../../../formats/run.ts";
import { junit, type TestCase } from "../../xml.ts";
import { checkedText, uncheckedIn } from "../metrics/sample-check.ts";
import { abortedInWords, figuresOnlyInWords } from "../validity/conclude.ts";
import { failureLines } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { outageSentence, sloRows } from "./table-rows.ts";

const howItEnded = ({ aborted }: RunResult): string =>
  aborted === undefined ? "interrupted" : abortedInWords(aborted);

/** A missed objective is a failure; an undecided one, and a run that is not VALID or was interrupted, are errors. */
export function loadJunit(run: RunResult): string {
  const { verdict, reasons } = run.validity;
  const output = [...(verdict === "VALID" ? reasons : []), ...figuresOnlyInWords(run), ...notesOf(run)];
  const validity: TestCase = {
    group: "run",
    name: "valid",
    ...(verdict === "VALID" ? {} : { problem: { kind: "error", message: `${verdict}: ${reasons.join("; ")}` } }),
    ...(output.length > 0 ? { output: output.join("; ") } : {}),
  };
  const complete: TestCase = {
    group: "run",
    name: "complete",
    ...(run.interrupted ? { problem: { kind: "error", message: `the run was ${howItEnded(run)}` } } : {}),
  };
  const last = run.outages.find(({ recovered }) => !recovered);
  const silence = run.unanswered ?? (last && outageSentence(last));
  const responses: TestCase = {
    group: "target",
    name: "responds until the end",
    ...(silence === undefined ? {} : { problem: { kind: "failure", message: silence } }),
  };
  const failures = failureLines(run);
  const accepts: TestCase = {
    group: "target",
    name: "accepts requests",
    ...(run.refused !== undefined
      ? { problem: { kind: "error", message: run.refused, details: failures.join("\n") } }
      : { output: failures.join("\n") }),
  };
  const slos = sloRows(run).map(({ expr, observed, word, cause }): TestCase => {
    if (word === "met" || word === "used for goodput")
      return { group: "slo", name: expr, output: `observed ${observed}` };
    const message = `${word}: ${observed}${cause === undefined ? "" : `; ${cause}`}`;
    return { group: "slo", name: expr, problem: { kind: word === "missed" ? "failure" : "error", message } };
  });
  return junit(`assay load ${run.scenario} ${run.target}`, run.startedAt, [
    validity,
    complete,
    responses,
    accepts,
    ...checkCases(run),
    ...slos,
  ]);
}

/** One test case for the check of a sample as a whole, and one per clause that does not hold. */
function checkCases({ check }: RunResult): readonly TestCase[] {
  if (check === undefined) return [];
  const [unchecked] = uncheckedIn(check);
  const output = checkedText(check);
  return [
    {
      group: "specification",
      name: "checked",
      ...(unchecked === undefined ? { output } : { problem: { kind: "error", message: unchecked } }),
    },
    ...check.findings.map(
      ({ id, verdict, reason }): TestCase => ({
        group: "specification",
        name: id,
        ...(verdict === "WARN"
          ? { output: `WARN: ${reason}` }
          : { problem: { kind: verdict === "FAIL" ? "failure" : "error", message: reason } }),
      }),
    ),
  ];
}
