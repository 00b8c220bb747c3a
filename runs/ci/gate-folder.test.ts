/** What a folder of a gate says is sent to a pull request: nothing outside of it may be. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gateComment } from "../../reports/ci/gate-comment.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { gateResultsIn } from "./gate-folder.ts";

const outside = newFolder();
for (const name of ["secret.txt", "compare.json", "run.json"])
  writeFileSync(join(outside, name), "a secret of this user");

test.each([
  ["not-run.txt", "secret.txt"],
  ["new-1/run.json", "run.json"],
  ["new-1/repeat.json", "run.json"],
  ["new-1/conformance.json", "run.json"],
  ["new-1/search.json", "run.json"],
  ["compare/compare.json", "compare.json"],
])("%s is not read through a link", (name, target) => {
  const folder = newFolder();
  mkdirSync(join(folder, name, ".."), { recursive: true });
  symlinkSync(join(outside, target), join(folder, name));
  expect(() => gateResultsIn(folder)).toThrow("it is a link, which may lead to any file");
});

test.each(["compare", "new-1"])("a folder %s that is a link is none of the gate", (name) => {
  const folder = newFolder();
  symlinkSync(outside, join(folder, name));
  expect(gateResultsIn(folder).notRun).toContain("there is no result");
});

test("a comment of texts without end fits into one", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "not-run.txt"), "<".repeat(1_000_000));
  expect(gateComment(gateResultsIn(folder), { name: "gate" }).length).toBeLessThan(65_536);
});
