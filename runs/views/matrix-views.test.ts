import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conformanceJson } from "../../formats/conformance.ts";
import { ALL_FORMATS, parseFormats } from "../../reports/report-formats.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { clauseOf, resultOfClauses } from "../../tests/support/results/made-results.ts";
import { EXCHANGES, LINES, verdictsOf } from "../../tests/support/results/verdict-lines.ts";
import { matrixOf, resultOf, writeMatrixViews } from "./matrix-views.ts";

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** A folder with a record, as a run leaves it. */
function recorded(name: string): string {
  const folder = join(newFolder(), name);
  mkdirSync(folder);
  writeFileSync(join(folder, "verdicts.jsonl"), textOf(verdictsOf(LINES)));
  writeFileSync(join(folder, "exchanges.jsonl"), textOf(EXCHANGES));
  return folder;
}

/** A folder with nothing but this as its conformance.json. */
function published(text: string): string {
  const folder = newFolder();
  writeFileSync(join(folder, "conformance.json"), text);
  return folder;
}

const GOOD = resultOfClauses([clauseOf("chat.status")]);

test("a result is read from its record, or as it was published where there is none", async () => {
  expect((await resultOf(recorded("a"))).clauses).toHaveLength(LINES.length + 2);
  expect(await resultOf(published(conformanceJson(GOOD)))).toEqual(GOOD);
});

test("the record of a run comes with the size and the hash of each of its files", async () => {
  const { evidence } = await resultOf(recorded("a"));
  expect(evidence?.map(({ file }) => file)).toEqual(["exchanges.jsonl", "verdicts.jsonl"]);
  expect(evidence?.[0]?.bytes).toBe(Buffer.byteLength(textOf(EXCHANGES)));
  for (const { sha256 } of evidence ?? []) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

describe("a published result is refused, with the name of its file, when it", () => {
  test.each<[string, string, RegExp]>([
    ["was cut off", conformanceJson(GOOD).slice(0, 300), /conformance\.json: it is not JSON, or was cut off\./],
    ["is empty", "", /conformance\.json: it is not JSON, or was cut off\./],
    [
      "is of a later version",
      conformanceJson(GOOD).replace("assay.conformance/1", "assay.conformance/2"),
      /conformance\.json: it is in the format assay\.conformance\/2, and this version of Assay reads assay\.conformance\/1\./,
    ],
    ["is something else", '{"schema":"assay.run/1"}', /it is in the format assay\.run\/1/],
    ["lacks a member", '{"schema":"assay.conformance/1"}', /conformance\.json: target is missing/],
    [
      "has a verdict that does not exist",
      conformanceJson(GOOD).replace('"verdict": "PASS"', '"verdict": "FINE"'),
      /conformance\.json: clauses, entry 1: verdict is not /,
    ],
    [
      "contradicts itself",
      conformanceJson(GOOD).replace('"verdict": "PASS"', '"verdict": "FAIL"'),
      /conformance\.json: it contradicts itself, for its summary does not count the required clauses that it lists\./,
    ],
  ])("%s", async (_, text, sentence) => {
    const folder = published(text);
    await expect(matrixOf([recorded("a"), folder])).rejects.toThrow(sentence);
    await expect(matrixOf([recorded("a"), folder])).rejects.toThrow(folder);
  });
});

test("a folder that is named twice is refused, by whatever path", async () => {
  const folder = recorded("a");
  const link = join(newFolder(), "link");
  symlinkSync(folder, link);
  await expect(matrixOf([folder, link])).rejects.toThrow(/^Cannot compare \S+link with itself/);
});

test("a matrix is written with a folder of reports per target, of one target too", async () => {
  const several = await matrixOf([recorded("first"), recorded("second")]);
  expect(several.matrix.targets.map(({ name }) => name)).toEqual(["127.0.0.1:8080 (first)", "127.0.0.1:8080 (second)"]);
  const out = newFolder();
  await writeMatrixViews(several, ALL_FORMATS, out);
  const own = ["1-127.0.0.1-8080-first", "2-127.0.0.1-8080-second"];
  expect(readdirSync(out).toSorted()).toEqual([
    ...own,
    "index.html",
    "matrix.json",
    "matrix.junit.xml",
    "matrix.md",
    "specification.html",
  ]);
  for (const page of ["index.html", "specification.html"]) {
    for (const [, link = "", anchor] of readFileSync(join(out, page), "utf8").matchAll(/href="([^"#]+)(?:#([^"]+))?"/g))
      expect(readFileSync(join(out, link), "utf8")).toContain(anchor === undefined ? "" : ` id="${anchor}"`);
  }
  const some = newFolder();
  await writeMatrixViews(several, parseFormats("badge,md"), some);
  expect(readdirSync(some).toSorted()).toEqual([...own, "matrix.md"]);
});
