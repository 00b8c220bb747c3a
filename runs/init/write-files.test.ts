import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { writeAll } from "./write-files.ts";

const folder = newFolder();

test("where one file cannot be written none is left, and what was there is not touched", () => {
  writeFileSync(join(folder, "b.yaml"), "mine");
  expect(() => writeAll(folder, { "a.yaml": "a", "b.yaml": "b", "c.yaml": "c" })).toThrow("Cannot write");
  expect([readdirSync(folder), readFileSync(join(folder, "b.yaml"), "utf8")]).toEqual([["b.yaml"], "mine"]);
  writeAll(folder, { "a.yaml": "a", "d/e.yaml": "e" });
  expect(readFileSync(join(folder, "d/e.yaml"), "utf8")).toBe("e");
});
