/** Which test files import a source, directly or through others, the nearest first. */

import { dirname, join } from "node:path/posix";
import ts from "typescript";
import type { Source } from "./draw-faults.ts";

/** Finds the unit tests that are nearest to a file, up to `most`. Pure. */
export function nearTests(file: string, sources: readonly Source[], most: number): string[] {
  const importers = new Map<string, string[]>();
  for (const { file: importer, text } of sources) {
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      const imported = join(dirname(importer), fileName);
      importers.set(imported, [...(importers.get(imported) ?? []), importer]);
    }
  }
  const reached = new Set([file]);
  for (const each of reached) for (const importer of importers.get(each) ?? []) reached.add(importer);
  return [...reached].filter((each) => each.endsWith(".test.ts") && isUnit(each)).slice(0, most);
}

/** Tests of the project `unit`, without the suite that judges a target. */
const isUnit = (file: string): boolean =>
  (!file.startsWith("tests/") || file.startsWith("tests/unit/")) &&
  !file.startsWith("bench/") &&
  file !== "conformance/suite.test.ts";
