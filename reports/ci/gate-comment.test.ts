import { beforeAll, expect, test } from "vitest";
import type { CompareResult } from "../../formats/compare.ts";
import type { RunResult } from "../../formats/run.ts";
import { comparedRun, variedRun } from "../../tests/support/results/compared-runs.ts";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { summarizeRun } from "../../tests/support/results/summarize-run.ts";
import { HOSTILE } from "../../tests/support/results/verdict-lines.ts";
import { compareSides } from "../compare/compare-sides.ts";
import { gateComment } from "./gate-comment.ts";
import { gateFindings, gateVerdict } from "./gate-result.ts";

let comparison: CompareResult;
let run: RunResult;
beforeAll(async () => {
  const side = async (seed: number, slower: number) => ({ runs: [await comparedRun(variedRun(seed, slower))] });
  const request = { metrics: [], limits: [{ share: 0.05 }] };
  comparison = await compareSides({ base: await side(1, 1), new: await side(3, 1.3) }, request, "assay 0.1.0");
  run = await summarizeRun();
});

const options = { name: "gate" };

test("what became worse comes first, each metric with its interval", () => {
  const text = gateComment({ runs: [], comparison }, options);
  expect(text).toMatch(/^<!-- assay gate gate -->\n\n### ❌ REGRESSION/);
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows.length).toBe(comparison.metrics.length);
  const ranks = rows.map((row) => ["❌", "⚪", "✅"].findIndex((mark) => row.includes(mark)));
  expect(ranks).toEqual(ranks.toSorted());
  expect(ranks[0]).toBe(0);
  expect(rows[0]).toMatch(/ to /);
});

test.each(["INCONCLUSIVE", "CLIENT-LIMITED"])("%s is grey, and neither red nor green", (word) => {
  const verdict = word === "INCONCLUSIVE" ? "VALID" : "CLIENT-LIMITED";
  const unsure: RunResult = { ...run, exitCode: 2, slos: [], validity: { ...run.validity, verdict } };
  const text = gateComment({ runs: [unsure] }, options);
  expect(text).toContain(`### ⚪ ${word}`);
  expect(text).not.toMatch(/❌|✅/);
});

test("a failure is one whatever else could not be decided, and nothing at all is not run", () => {
  const failed: RunResult = { ...run, exitCode: 1, conclusion: "an objective was missed" };
  const unsure: RunResult = { ...run, exitCode: 2 };
  expect(gateVerdict({ runs: [unsure, failed] })).toMatchObject({ word: "FAILED", exitCode: 1 });
  expect(gateVerdict({ runs: [], notRun: "no key" })).toMatchObject({ word: "NOT RUN", exitCode: 2, tone: "unsure" });
});

test("clauses that failed come before those that were not decided, and their text is no markup", () => {
  const clauses = [
    clauseOf("chat.a", { verdict: "INCONCLUSIVE", reason: "blocked" }),
    clauseOf("chat.b", { verdict: "FAIL", reason: HOSTILE }),
  ];
  const conformance = resultOfClauses(clauses);
  expect(gateFindings({ runs: [], conformance }).map(({ kind, title }) => [kind, title])).toEqual([
    ["error", "chat.b: FAIL"],
    ["warning", "chat.a: INCONCLUSIVE"],
  ]);
  const text = gateComment({ runs: [], conformance }, { name: "<b>", link: "https://h/a(b)" });
  expect(text).not.toMatch(/<(?!!--|\/?details|\/?summary)/);
  expect(text).toContain("(https://h/a%28b%29)");
});
