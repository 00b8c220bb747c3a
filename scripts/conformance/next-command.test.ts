import { expect, test } from "vitest";
import { clauseOf, resultOfClauses } from "../../tests/support/made-results.ts";
import { nextCommand } from "./next-command.ts";

const FAILED = ["chat.a", "video.b", "chat.c", "chat.d"].map((id) => clauseOf(id, { verdict: "FAIL" }));

test.each([
  [
    "a target that conforms is loaded",
    [clauseOf("chat.a")],
    "assay load chat-stream --target http://t --rate 5 --duration 1m",
  ],
  [
    "what failed is checked again, the first of many",
    FAILED,
    "assay conformance --target http://t --video --only chat.a,video.b,chat.c",
  ],
  ["an inconclusive run has its reason only", [clauseOf("chat.a", { verdict: "INCONCLUSIVE" })], undefined],
])("%s", (_, clauses, command) => {
  expect(nextCommand(resultOfClauses(clauses))).toBe(command);
});
