import { expect, test } from "vitest";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { conformanceLine, furtherReason } from "./one-line.ts";

const PASS = clauseOf("chat.status");
const FAIL = clauseOf("chat.x", { verdict: "FAIL" });
const COMPATIBLE = clauseOf("chat.y", { verdict: "FAIL", level: "compatible" });
const OPEN = clauseOf("chat.z", { verdict: "INCONCLUSIVE", reason: "the target returned 503" });
const BROKEN = clauseOf("chat.w", { verdict: "HARNESS-ERROR" });

test.each([
  ["what failed of how much", [PASS, FAIL], "1 of 2 required clauses failed", undefined],
  [
    "failures of each level",
    [PASS, FAIL, COMPATIBLE],
    "1 of 2 required and 1 of 1 compatible clauses failed",
    undefined,
  ],
  ["only the level that failed", [PASS, COMPATIBLE], "1 of 1 compatible clauses failed", undefined],
  ["what was verified", [PASS], "1 of 1 required clauses verified", undefined],
  [
    "what could not be verified, and why",
    [PASS, OPEN],
    "1 required clause could not be verified",
    "1 required clause could not be verified: chat.z is INCONCLUSIVE, the target returned 503",
  ],
  [
    "a failure before an internal error",
    [FAIL, BROKEN],
    "1 of 2 required clauses failed",
    "1 required clause failed; 1 clause could not be checked because of an internal error",
  ],
])("one line says %s", (_, clauses, line, reason) => {
  const result = resultOfClauses(clauses);
  expect(conformanceLine(result)).toBe(line);
  expect(furtherReason(result)).toBe(reason);
});
