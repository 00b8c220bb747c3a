/** The tables of docs/outcomes.md list every outcome, and say of each what a report makes of it. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FLAGS, OUTCOMES, TASK_ENDS } from "../../formats/outcomes.ts";
import { isFailure, outcomeOfTask, UNIT_OUTCOMES, type UnitOutcome } from "../../reports/load/read/unit-outcomes.ts";
import { tableRows } from "../../tests/support/pages/markdown-tables.ts";

const page = readFileSync(new URL("../../docs/outcomes.md", import.meta.url), "utf8");
const column = (name: string, columns: readonly string[]): (string | undefined)[] =>
  tableRows(page, columns).map((row) => row[name]);
const ofRequests = tableRows(page, ["outcome", "meaning"]).filter((row) => row["counts as"] === undefined);

test("the outcomes and the flags of requests", () => {
  expect(ofRequests.map(({ outcome }) => outcome)).toEqual([...OUTCOMES]);
  expect(column("flag", ["flag"])).toEqual([...FLAGS]);
});

const ANY = "any of the others";
const countsAs = (outcome: UnitOutcome): string =>
  isFailure(outcome) ? "failed" : outcome === "ok" ? "ok" : "neither";

test("the outcomes of arrivals", () => {
  const rows = tableRows(page, ["outcome", "counts as"]);
  const own = UNIT_OUTCOMES.filter((outcome) => !isFailure(outcome) || !OUTCOMES.some((other) => other === outcome));
  const expected = own.map((outcome) => [outcome, countsAs(outcome)]);
  expect(rows.filter(({ outcome }) => outcome !== ANY).map((row) => [row["outcome"], row["counts as"]])).toEqual(
    expected,
  );
  const others = UNIT_OUTCOMES.filter((outcome) => !own.includes(outcome));
  expect([...new Set(others.map(countsAs))]).toEqual([rows.find(({ outcome }) => outcome === ANY)?.["counts as"]]);
});

test("the ends of video tasks, and what each makes of its arrival", () => {
  const expected = TASK_ENDS.map((end) => [end, outcomeOfTask(end)]);
  expect(tableRows(page, ["end", "outcome of arrival"]).map((row) => [row["end"], row["outcome of arrival"]])).toEqual(
    expected,
  );
});
