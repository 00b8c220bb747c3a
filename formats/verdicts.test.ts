import { expect, test } from "vitest";
import { checkStatus, LEVELS, VERDICTS } from "./verdicts.ts";

test("a broken clause is a failure, an internal error an error, at every level", () => {
  expect(LEVELS.map((level) => checkStatus(level, "FAIL"))).toEqual(LEVELS.map(() => "failure"));
  expect(LEVELS.map((level) => checkStatus(level, "HARNESS-ERROR"))).toEqual(LEVELS.map(() => "error"));
});

test.each(["BLOCKED", "INCONCLUSIVE", "NOT-RUN"] as const)(
  "%s is an error where the clause is binding, else nothing was to be decided",
  (verdict) => {
    expect(LEVELS.map((level) => checkStatus(level, verdict))).toEqual(["error", "skip", "skip", "error"]);
  },
);

test("what was not selected, does not apply or is known decides nothing", () => {
  expect(checkStatus("required", "NOT-RUN", false)).toBe("skip");
  expect(VERDICTS.filter((verdict) => checkStatus("required", verdict) === "skip")).toEqual([
    "KNOWN",
    "NOT-APPLICABLE",
  ]);
});
