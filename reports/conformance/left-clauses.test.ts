import { expect, test } from "vitest";
import type { ClauseResult } from "../../formats/conformance.ts";
import { leftGlobs, leftWords } from "./left-clauses.ts";

/** Clauses of one run, of which those marked with `!` have no verdict and those marked with `-` were not selected. */
const clausesOf = (...ids: readonly string[]): ClauseResult[] =>
  ids.map((marked) => ({
    ...{ id: marked.replace(/^[!-]/, ""), text: "t", level: "required", specification: [], reason: "r", evidence: [] },
    area: marked.replace(/^[!-]/, "").split(".")[0] ?? "",
    verdict: /^[!-]/.test(marked) ? "NOT-RUN" : "PASS",
    selected: !marked.startsWith("-"),
  }));

test.each([
  [["chat.a", "embeddings.b"], []],
  [["chat.a", "!chat.b", "-video.c"], ["chat.b"]],
  [
    ["chat.a", "!chat.b.x", "!chat.b.y", "!embeddings.a", "!embeddings.b.c"],
    ["chat.b.*", "embeddings.*"],
  ],
  [["chat.b", "!chat.b.x", "!chat.b.y"], ["chat.b.*"]],
  [
    ["!chat.b", "chat.b.x", "!chat.b.y"],
    ["chat.b", "chat.b.y"],
  ],
  [["chat.z", ..."abcdefghi".split("").flatMap((id) => [`!chat.${id}.x`, `chat.${id}.y`])], ["chat"]],
])("of %j, %j are left", (ids, globs) => {
  expect(leftGlobs(clausesOf(...ids))).toEqual(globs);
});

test("how far it came is said with how to go on", () => {
  expect(leftWords(clausesOf("chat.a", "!chat.b", "-video.c"), "the run was interrupted")).toBe(
    "the run was interrupted: 1 of 2 clauses decided; --only chat.b checks the others",
  );
  expect(leftWords(clausesOf("chat.a"), "the deadline had passed")).toBe(
    "the deadline had passed: 1 of 1 clause decided",
  );
});
