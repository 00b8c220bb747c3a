/** What a test run prints about its slowest files. */

import { expect, test } from "vitest";
import { type EndedFile, slowestFiles } from "../support/slowest-files.ts";

const file = (project: string, name: string, startedAt: number, endedAt: number): EndedFile => ({
  project,
  name,
  startedAt,
  endedAt,
});

test("projects last from their first file to their last, and files are listed by what they took", () => {
  const files = [
    file("unit", "a.test.ts", 1_000, 2_500),
    file("unit", "b.test.ts", 1_500, 13_000),
    file("e2e", "c.test.ts", 14_000, 134_250),
  ];
  expect(slowestFiles(files)).toBe(
    [
      "Projects",
      "   12.0 s  unit, 2 files",
      "  120.3 s  e2e, 1 file",
      "Slowest files",
      "  120.3 s  c.test.ts",
      "   11.5 s  b.test.ts",
      "    1.5 s  a.test.ts",
      "",
    ].join("\n"),
  );
});

test("ten files are listed at most", () => {
  const files = Array.from({ length: 30 }, (_, nth) => file("unit", `${nth}.test.ts`, 0, nth * 1_000));
  const listed = slowestFiles(files).split("Slowest files\n")[1]?.trimEnd().split("\n");
  expect(listed).toHaveLength(10);
  expect(listed?.[0]).toContain("29.0 s  29.test.ts");
  expect(listed?.[9]).toContain("20.0 s  20.test.ts");
});

test("of a single file, or of none, nothing is printed", () => {
  expect(slowestFiles([file("unit", "a.test.ts", 0, 1)])).toBe("");
  expect(slowestFiles([])).toBe("");
});
