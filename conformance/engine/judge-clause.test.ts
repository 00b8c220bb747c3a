import { expect, test } from "vitest";
import { clause } from "../builders/clause-builders.ts";
import { broken, holds, verdictFrom } from "../model/findings.ts";
import { chat } from "../probes/chat.ts";
import { judgeClause } from "./judge-clause.ts";

const context = { keyGiven: true, failingPrompt: false };
const answer = { status: 200, headers: {}, body: "{}", truncated: false, chunks: [], headersMs: 1, endMs: 2 };
const exchange = { id: 14, probe: "p", request: { method: "GET", url: "http://h/", headers: {} }, startedAt: "" };
const finding = broken("the specification requires status 202 for an accepted submission", "the target returned 200");

test("a required statement that is broken FAILs, with document, target and exchange in one line", () => {
  expect(verdictFrom("required", finding, [14])).toEqual({
    verdict: "FAIL",
    reason: "the specification requires status 202 for an accepted submission; the target returned 200 (exchange 14)",
    evidence: [14],
  });
});

test("a recommended one WARNs", () => {
  expect(verdictFrom("recommended", finding, [14]).verdict).toBe("WARN");
});

test("an observed clause cannot be written so that it fails", () => {
  const input = { row: "r", level: "observed", probe: chat() } as const;
  // @ts-expect-error: a judge of an observed clause may not find anything broken
  const written = clause("chat.open.x", "t", { ...input, judge: () => finding });
  expect(judgeClause(written, [[{ ...exchange, answer }]], context).verdict).toBe("HARNESS-ERROR");
});

test("a judge that throws is our own error", () => {
  const input = { row: "r", level: "required", probe: chat() } as const;
  const throwing = clause("chat.x", "t", {
    ...input,
    judge: () => {
      throw new Error("oops");
    },
  });
  const verdict = judgeClause(throwing, [[{ ...exchange, answer }]], context);
  expect(verdict).toMatchObject({ verdict: "HARNESS-ERROR", reason: expect.stringContaining("oops") });
});

test.each([408, 429, 503])("%i is no evidence for any clause", (status) => {
  const made = clause("chat.x", "t", {
    row: "r",
    level: "required",
    probe: chat(),
    judge: () => holds("fine"),
  });
  expect(judgeClause(made, [[{ ...exchange, answer: { ...answer, status } }]], context).verdict).toBe("INCONCLUSIVE");
});

test("a response that was cut is no evidence", () => {
  const made = clause("chat.x", "t", {
    row: "r",
    level: "required",
    probe: chat(),
    judge: () => holds("fine"),
  });
  const reasonOf = (afterMs: number): string => {
    const cut = { ...exchange, answer, failure: { kind: "reset", message: "gone", afterMs } } as const;
    const { verdict, reason = "" } = judgeClause(made, [[cut]], context);
    expect(verdict).toBe("INCONCLUSIVE");
    return reason;
  };
  expect(reasonOf(40)).toContain("the response was cut (reset: gone)");
  // As a time limit of a gateway cuts it.
  expect(reasonOf(15_004)).toContain("the response was cut (reset after 15 s: gone)");
});
