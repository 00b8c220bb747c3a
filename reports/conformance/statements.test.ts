import { expect, test } from "vitest";
import { LEDGER } from "../../contract/ledger.ts";
import type { ClauseResult } from "../../formats/conformance.ts";
import type { Verdict } from "../../formats/verdicts.ts";
import { clauseOf } from "../../tests/support/results/made-results.ts";
import { annotatedStatements, groupsOf, statementVerdict } from "./statements.ts";

const verdictOf = (...verdicts: readonly Verdict[]) => statementVerdict(verdicts.map((verdict) => ({ verdict })));

test("a statement has the worst verdict of the clauses that were judged, whatever was observed or left out", () => {
  expect(verdictOf("PASS", "FAIL", "WARN")).toBe("FAIL");
  expect(verdictOf("NOT-RUN", "PASS", "OBSERVED", "NOT-APPLICABLE")).toBe("PASS");
  expect(verdictOf("PASS", "BLOCKED", "INCONCLUSIVE")).toBe("BLOCKED");
  expect(verdictOf("NOT-RUN", "OBSERVED", "NOT-APPLICABLE")).toBe("OBSERVED");
  expect(verdictOf("NOT-RUN", "NOT-APPLICABLE")).toBe("NOT-APPLICABLE");
  expect(verdictOf("NOT-RUN")).toBe("NOT-RUN");
  expect(verdictOf()).toBeUndefined();
});

const about = (row: string, id: string, verdict: Verdict): ClauseResult =>
  clauseOf(id, { verdict, specification: [{ row, section: "A section", text: "a statement" }] });

test("every statement of the ledger is there in its order, then those of other versions", () => {
  const rows = annotatedStatements([[about("gone.row", "a", "PASS")], [about("gone.row", "a", "FAIL")]]);
  expect(rows.map(({ row }) => row.id)).toEqual([...LEDGER.map(({ id }) => id), "gone.row"]);
  expect(rows.at(-1)).toMatchObject({ row: { section: "A section", text: "a statement" }, verdicts: ["PASS", "FAIL"] });
});

test("the clauses of a statement are given per target, the worst first", () => {
  const first = [about("limits.temperature", "a", "PASS"), about("limits.temperature", "b", "FAIL")];
  const found = annotatedStatements([first, []]).find(({ row }) => row.id === "limits.temperature");
  expect(found?.clauses.map((clauses) => clauses.map(({ id }) => id))).toEqual([["b", "a"], []]);
});

test.each<[string, string, readonly Verdict[], readonly string[]]>([
  ["verified on every target", "limits.temperature", ["PASS", "PASS"], []],
  ["failed by one", "limits.temperature", ["PASS", "FAIL"], ["lacking", "differing"]],
  ["not run", "limits.temperature", ["NOT-RUN", "NOT-RUN"], ["lacking"]],
  ["left open by the specification", "chat.request.roles.other", ["OBSERVED", "NOT-RUN"], ["open", "differing"]],
  ["not checkable", "service.prices", [], ["open"]],
])("a statement that is %s", (_, row, verdicts, groups) => {
  const results = [0, 1].map((target) => verdicts.slice(target, target + 1).map((verdict) => about(row, "a", verdict)));
  const found = annotatedStatements(results).find((statement) => statement.row.id === row);
  expect(found && groupsOf(found)).toEqual(groups);
});
