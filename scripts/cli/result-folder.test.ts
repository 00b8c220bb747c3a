import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { wholeLines } from "./file-lines.ts";
import { prepareFolder } from "./result-folder.ts";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "assay-test-"));

describe("a result folder", () => {
  test("loses an earlier run's files", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "run.json"), "{}");
    expect(prepareFolder(folder, "load")).toBe(folder);
    expect(wholeLines(join(folder, "run.json"))).toEqual([]);
  });

  test("with files of somebody else's is refused and left alone", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "thesis.doc"), "mine\n");
    expect(() => prepareFolder(folder, "load")).toThrow(
      "it contains files that do not belong to a run, such as thesis.doc",
    );
    expect(wholeLines(join(folder, "thesis.doc"))).toEqual(["mine"]);
  });

  test("that cannot be made is refused with the reason", () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    expect(() => prepareFolder(join(file, "below"), "load")).toThrow("Name a writable folder with --out");
  });
});
