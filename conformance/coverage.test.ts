/** The ledger and the clauses fit together: nothing of the specification is left out, and nothing is checked that it lacks. */

import { expect, test } from "vitest";
import { CHAT_COMPLETION_FIELDS, EMBEDDING_LIST_FIELDS, REQUEST_FIELDS, TASK_FIELDS } from "../contract/fields.ts";
import { LEDGER } from "../contract/ledger.ts";
import { coveragePage, treatmentOf } from "../scripts/docs/coverage-page.ts";
import { loadClauses } from "./engine/load-clauses.ts";

const clauses = await loadClauses();

test("every statement is covered by clauses or excluded with a reason, and none is both or neither", () => {
  const odd = LEDGER.map((row) => `${row.id}: ${treatmentOf(row, clauses)}`).filter((line) =>
    /: (none|several)$/.test(line),
  );
  expect(odd).toEqual([]);
});

test("each rule and each row of a table has its statements, next to each other", () => {
  const itemsOf = (kind: string): string[] =>
    LEDGER.filter((row, i) => row.kind === kind && row.item !== LEDGER[i - 1]?.item).map(({ item }) => item);
  expect(itemsOf("rule").join("")).toBe("1231212123");
  expect(itemsOf("transition")).toHaveLength(5);
  expect(itemsOf("endpoint").map((item) => item.replace(/^.*generations/, ""))).toEqual([
    "POST /v1/chat/completions",
    "POST /v1/embeddings",
    "",
    "/:taskId",
    "/:taskId/cancel",
  ]);
  expect(itemsOf("limit")).toEqual(["prompt", "temperature", "duration", "polling interval"]);
  const fields = [Object.values(REQUEST_FIELDS).flat(), CHAT_COMPLETION_FIELDS, EMBEDDING_LIST_FIELDS, TASK_FIELDS];
  expect(itemsOf("field").toSorted()).toEqual(
    fields
      .flat()
      .map(({ path }) => path)
      .toSorted(),
  );
});

test("ids of rows are unique", () => {
  const ids = LEDGER.map(({ id }) => id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
});

test("clauses point at existing rows", () => {
  const ids = new Set(LEDGER.map(({ id }) => id));
  expect(
    clauses.flatMap(({ id, rows }) => rows.filter((row) => !ids.has(row)).map((row) => `${id} -> ${row}`)),
  ).toEqual([]);
});

test("a row that is observed has no clause that can fail, and a recommended row no required clause", () => {
  const rank = { observed: 0, recommended: 1, required: 2, compatible: 2 };
  const wrong = clauses.flatMap(({ id, rows, level }) => {
    const highest = Math.max(
      ...LEDGER.filter((row) => rows.includes(row.id)).map(({ level: of }) => (of === "untestable" ? -1 : rank[of])),
    );
    return rank[level] > highest ? [id] : [];
  });
  expect(wrong).toEqual([]);
});

test("the excluded are those that cannot be seen from outside", () => {
  expect(LEDGER.filter(({ level, excluded }) => (level === "untestable") !== (excluded !== undefined))).toEqual([]);
});

test("the coverage page has a row for every statement", () => {
  const rows = coveragePage(LEDGER, clauses)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| statement"));
  expect(rows).toHaveLength(LEDGER.length);
});
