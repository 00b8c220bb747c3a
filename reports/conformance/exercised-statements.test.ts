import { expect, test } from "vitest";
import type { ClauseResult } from "../../formats/conformance.ts";
import { exercisedStatements, neverBySection, statementWords, trafficWords } from "./exercised-statements.ts";

const clause = (
  id: string,
  verdict: ClauseResult["verdict"],
  rows: readonly string[],
  selected = true,
): ClauseResult => ({
  id,
  area: "chat",
  level: "required",
  text: id,
  specification: rows.map((row) => ({ row, section: `section ${row}`, text: `text of ${row}` })),
  verdict,
  reason: `reason of ${id}`,
  evidence: [],
  selected,
});

test("a statement is exercised when anything was judged for one of its clauses", () => {
  const statements = exercisedStatements([
    clause("passed", "PASS", ["a", "b"]),
    clause("failed", "FAIL", ["c"]),
    clause("probed", "NOT-RUN", ["a", "d", "e"], false),
    clause("unseen", "NOT-APPLICABLE", ["b", "d"]),
  ]);
  expect(statements).toEqual({
    total: 5,
    exercised: 3,
    never: [
      { row: "d", section: "section d", text: "text of d", reason: "reason of unseen", checkable: true },
      { row: "e", section: "section e", text: "text of e", reason: "reason of probed", checkable: false },
    ],
  });
  expect(statementWords(statements)).toBe(
    "3 of 5 statements of the specification exercised, 1 not in the traffic, 1 not checkable from traffic",
  );
  expect(neverBySection(statements)).toEqual([["section d", 1]]);
});

test("the traffic in words says what was not judged", () => {
  const statements = exercisedStatements([]);
  const counts = { requests: 4, judged: 4, clientLeft: 0, unchecked: 0, unrecorded: 0, statements };
  expect(trafficWords(counts)).toBe("4 requests, 4 judged");
  expect(trafficWords({ ...counts, judged: 3, clientLeft: 1 })).toBe(
    "4 requests, 3 judged, 1 whose client left, or whose request could not be passed on",
  );
});
