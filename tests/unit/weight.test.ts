/** The guard against weight sees what it has to see: a slow import, a flag, an allocation, a file that grew. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { expect, test } from "vitest";
import { parseGoBenchmarks } from "../../bench/weight/go-benchmarks.ts";
import { loadedModules } from "../../bench/weight/loaded-modules.ts";
import { flagCounts } from "../../bench/weight/measures.ts";
import {
  readWeights,
  updatedWeights,
  weightChanges,
  weightTable,
  writeWeights,
} from "../../bench/weight/weight-changes.ts";
import { newFolder } from "../support/commands/assay-process.ts";

const RECORDS = [
  { what: "lines of lib", value: 1_000, reason: "first measured" },
  { what: "flags of assay load", value: 61, reason: "first measured" },
  { what: "allocs/op of Chunk", value: 0, reason: "first measured" },
];

const measured = (lines: number, flags: number, allocations: number) => [
  { what: "lines of lib", value: lines, share: 0.03 },
  { what: "flags of assay load", value: flags, share: 0 },
  { what: "allocs/op of Chunk", value: allocations, share: 0 },
];

const problemsOf = (lines: number, flags: number, allocations: number) =>
  weightChanges(measured(lines, flags, allocations), RECORDS).flatMap(({ problem }) => problem ?? []);

test("a change within its share passes, and one beyond it is named, in both directions", () => {
  expect(problemsOf(1_030, 61, 0)).toEqual([]);
  expect(problemsOf(1_031, 62, 1)).toEqual([
    "lines of lib grew from 1,000 to 1,031 (+3.1 %, 3 % is allowed)",
    "flags of assay load grew from 61 to 62 (+1.6 %, no change is allowed)",
    "allocs/op of Chunk grew from 0 to 1 (no change is allowed)",
  ]);
  expect(problemsOf(900, 61, 0)).toEqual(["lines of lib shrank from 1,000 to 900 (-10 %, 3 % is allowed)"]);
});

test("what is not recorded, and what is recorded but gone, is named", () => {
  const changes = weightChanges([{ what: "MB of k6", value: 65.4, share: 0.02 }], RECORDS.slice(0, 1));
  expect(changes.map(({ problem }) => problem)).toEqual([
    "MB of k6: 65.4, not recorded yet",
    "lines of lib: recorded, but no longer measured",
  ]);
  expect(updatedWeights(changes, RECORDS, "now")).toEqual([{ what: "MB of k6", value: 65.4, reason: "now" }]);
});

test("what is only shown may have any value, and none", () => {
  const last = [{ what: "seconds of CPU", value: 600, reason: "first measured" }];
  const changesTo = (value: number) =>
    weightChanges([{ what: "seconds of CPU", value, share: Number.POSITIVE_INFINITY }], last);
  expect([...changesTo(10), ...changesTo(Number.NaN)].map(({ problem }) => problem)).toEqual([undefined, undefined]);
  expect(weightTable(changesTo(Number.NaN))).toMatch(/seconds of CPU +600 +- +any$/);
});

test("an update keeps the value and the reason of what did not change beyond its share", () => {
  const changes = weightChanges(measured(1_010, 62, 0), RECORDS);
  const updated = updatedWeights(changes, RECORDS, "a flag for the seed");
  expect(updated).toEqual([
    RECORDS[0],
    { what: "flags of assay load", value: 62, reason: "a flag for the seed" },
    RECORDS[2],
  ]);
  expect(readWeights(writeWeights(updated))).toEqual(updated);
});

test("a damaged record names its line", () => {
  expect(() => readWeights(`${writeWeights(RECORDS)}{}\n`)).toThrow("line 4 is not");
});

test("the table marks what is not allowed", () => {
  expect(weightTable(weightChanges(measured(1_010, 62, 0), RECORDS))).toBe(
    [
      "                       recorded  measured  change  allowed",
      "  lines of lib            1,000     1,010    +1 %      3 %",
      "✗ flags of assay load        61        62  +1.6 %     none",
      "  allocs/op of Chunk          0         0             none",
    ].join("\n"),
  );
});

test("a module that a program imports is seen, with its size", () => {
  const file = join(newFolder(), "program.mjs");
  const heavy = fileURLToPath(import.meta.resolve("zod"));
  writeFileSync(file, "");
  const before = loadedModules([file]);
  writeFileSync(file, `import ${JSON.stringify(heavy)};`);
  const after = loadedModules([file]);
  expect(after.modules).toBeGreaterThan(before.modules);
  expect(after.bytes - before.bytes).toBeGreaterThan(100_000);
});

test("the folder of the checkout, which compiled modules name, weighs nothing", () => {
  const file = join(newFolder(), "program.mjs");
  const sizeAt = (folder: string): number => {
    writeFileSync(file, `// ${folder}`);
    return loadedModules([file]).bytes;
  };
  expect(sizeAt(fileURLToPath(new URL("../../", import.meta.url)))).toBe(sizeAt(""));
});

test("flags are counted per command, without hidden ones", () => {
  const program = new Command("k8s").option("--one").option("--two <n>");
  program.command("run").option("--three");
  for (const option of program.options.slice(1)) option.hideHelp();
  expect(flagCounts(program, "assay")).toEqual([
    ["flags of assay k8s", 1],
    ["flags of assay k8s run", 1],
  ]);
});

test("the output of Go's benchmarks is read without the times", () => {
  const output = [
    "goos: linux",
    "BenchmarkChunk-2   \t    2000\t       310.5 ns/op\t       1.000 chunks/op\t       0 B/op\t       0 allocs/op",
    "BenchmarkPlainRequest \t    2000\t     52310 ns/op\t    4096 B/op\t      38 allocs/op",
    "PASS",
  ].join("\n");
  expect(Object.fromEntries(parseGoBenchmarks(output))).toEqual({
    Chunk: { "ns/op": 310.5, "chunks/op": 1, "B/op": 0, "allocs/op": 0 },
    PlainRequest: { "ns/op": 52_310, "B/op": 4_096, "allocs/op": 38 },
  });
});
