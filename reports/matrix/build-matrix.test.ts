import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { LEVELS, VERDICTS } from "../../formats/verdicts.ts";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { agreementOf, buildMatrix, worstVerdict } from "./build-matrix.ts";
import { comparability } from "./comparability.ts";
import { groupRows } from "./row-groups.ts";
import { folderNames, targetNames } from "./target-names.ts";

fc.configureGlobal({ seed: 1 });

const verdict = fc.constantFrom(...VERDICTS);
const clauses = fc.uniqueArray(
  fc
    .record({
      id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      level: fc.constantFrom(...LEVELS),
      text: fc.constantFrom("one", "two"),
      verdict,
    })
    .map(({ id, ...more }) => clauseOf(id, more)),
  { selector: ({ id }) => id },
);
const path = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join("/")}`);
const sources = fc
  .uniqueArray(fc.record({ path, target: fc.constantFrom("http://t", "https://u/x") }), {
    minLength: 1,
    maxLength: 6,
    selector: (source) => source.path,
  })
  .chain((named) =>
    fc.array(clauses, { minLength: named.length, maxLength: named.length }).map((all) =>
      named.map(({ path, target }, index) => ({
        path,
        source: path,
        result: resultOfClauses(all[index] ?? [], { target }),
      })),
    ),
  );

test("every clause of every result is a row once, with the verdict of each target in its column", () => {
  fc.assert(
    fc.property(sources, (several) => {
      const { clauses: rows, targets } = buildMatrix(several, "assay");
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(targets.map(({ source }) => source)).toEqual(several.map(({ source }) => source));
      for (const [index, { result }] of several.entries()) {
        const column = rows.flatMap(({ id, cells }) => {
          const cell = cells[index];
          return cell ? [`${id} ${cell.verdict}`] : [];
        });
        expect(column.toSorted()).toEqual(result.clauses.map(({ id, verdict }) => `${id} ${verdict}`).toSorted());
      }
    }),
  );
});

test("no row that differs stands below one that does not, and each row is in one group", () => {
  fc.assert(
    fc.property(sources, (several) => {
      const matrix = buildMatrix(several, "assay");
      const differs = matrix.clauses.map(({ agreement }) => agreement === "differs");
      expect(differs.lastIndexOf(true)).toBeLessThan(
        differs.indexOf(false) < 0 ? differs.length : differs.indexOf(false),
      );
      const { different, blocked, shared, partly, same } = groupRows(matrix);
      const grouped = [different, blocked, shared, partly, same].flat();
      expect(grouped).toHaveLength(matrix.clauses.length);
      expect(new Set(grouped)).toEqual(new Set(matrix.clauses));
      // What fails anywhere is never folded away.
      for (const row of [...partly, ...same])
        expect(["FAIL", "WARN", "HARNESS-ERROR"]).not.toContain(worstVerdict(row));
    }),
  );
});

test("the exit code is 0 only when each target conforms, and a failure comes before what is inconclusive", () => {
  fc.assert(
    fc.property(sources, (several) => {
      const codes = several.map(({ result }) => result.exitCode);
      const { exitCode } = buildMatrix(several, "assay");
      expect(codes).toContain(exitCode);
      expect(exitCode === 0).toBe(codes.every((code) => code === 0));
      if (exitCode === 2) expect(codes).not.toContain(1);
    }),
  );
});

test("columns of different folders have different names, also of one target", () => {
  fc.assert(
    fc.property(sources, (several) => {
      const names = targetNames(several.map(({ path, result: { target } }) => ({ path, target })));
      expect(new Set(names).size).toBe(names.length);
      const folders = folderNames(names);
      expect(new Set(folders).size).toBe(folders.length);
      for (const folder of folders) expect(folder).toMatch(/^\d+-[A-Za-z0-9.-]*$|^\d+$/);
    }),
  );
});

test.each([
  ["differs", ["PASS", "FAIL"]],
  ["differs", ["PASS", "WARN", "NOT-RUN"]],
  ["differs", ["PASS", "BLOCKED"]],
  ["differs", ["FAIL", "KNOWN"]],
  ["partly", ["PASS", "NOT-RUN"]],
  ["partly", ["PASS", "NOT-APPLICABLE", "PASS"]],
  ["partly", ["NOT-RUN", "NOT-APPLICABLE"]],
  ["partly", ["FAIL", undefined]],
  ["same", ["PASS", "PASS"]],
  ["same", ["NOT-RUN", "NOT-RUN"]],
] as const)("targets stand as %s in %j", (agreement, verdicts) => {
  expect(agreementOf(verdicts.map((verdict) => (verdict === undefined ? null : { verdict })))).toBe(agreement);
});

const clause = (more: Partial<ClauseResult> = {}): ClauseResult => clauseOf("chat.status", more);

test.each<[string, Partial<ConformanceResult>, RegExp]>([
  ["profiles", { settings: { profile: "openai" } }, /^The profiles differ: service \(a\); openai \(b\)\./],
  [
    "versions of Assay",
    { tool: "assay 0.2.0" },
    /made by different versions: assay 0\.1\.0 \(a\); assay 0\.2\.0 \(b\)/,
  ],
  [
    "statements under one id",
    { clauses: [clause({ level: "recommended" })] },
    /^1 clause of b states something else than for a: chat\.status\.$/,
  ],
  [
    "clauses",
    { clauses: [clause(), clause({ id: "chat.new" })] },
    /^The result of a does not have 1 clause that others have: chat\.new\.$/,
  ],
  ["what fails a run", { settings: { profile: "service", failOn: "warn" } }, /^Warnings count differently/],
])("different %s are said", (_, more, sentence) => {
  const named = (name: string, result: ConformanceResult) => ({ name, result });
  const one = named("a", resultOfClauses([clause()]));
  expect(comparability([one, named("b", resultOfClauses([clause()]))])).toEqual([]);
  const [note, ...others] = comparability([one, named("b", resultOfClauses([clause()], more))]);
  expect(note).toMatch(sentence);
  expect(others).toEqual([]);
});
