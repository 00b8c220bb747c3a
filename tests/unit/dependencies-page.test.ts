/** docs/dependencies.md names every direct dependency once, with its licence and the reason for it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { npmPackages, ROOT } from "../../scripts/supply-chain/components.ts";
import { licenceProblems } from "../../scripts/supply-chain/licence-policy.ts";
import { tableRows } from "../support/pages/markdown-tables.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const rows = tableRows(read("docs/dependencies.md"), ["dependency", "part", "licence", "reason"]);
const named = (part: string): (string | undefined)[] =>
  rows.filter((row) => row["part"] === part).map((row) => row["dependency"]);

const Names = z.record(z.string(), z.string()).transform(Object.keys);
const manifest = z.object({ dependencies: Names, devDependencies: Names }).parse(JSON.parse(read("package.json")));

/** The modules that a go.mod requires directly, and those of its tools. */
function requiredBy(file: string): string[] {
  const lines = read(file)
    .split("\n")
    .map((line) => line.trim().replace(/^(require|tool) /, ""));
  const modules = lines.filter((line) => / v\d/.test(line)).map((line) => line.split(" ")[0] ?? "");
  const direct = lines.filter((line) => / v\d/.test(line) && !line.endsWith("// indirect"));
  const tools = lines.filter((line) => line.includes("/cmd/"));
  return [
    ...direct.map((line) => line.split(" ")[0] ?? ""),
    ...tools.map((tool) => modules.find((module) => tool.startsWith(`${module}/`)) ?? tool),
  ];
}

test.each([
  ["program", manifest.dependencies],
  ["development", manifest.devDependencies],
  ["k6", requiredBy("extension/go.mod")],
  ["tool", requiredBy("scripts/supply-chain/go.mod")],
  [
    "system test",
    [
      ...read("tests/system/requirements.txt")
        .trim()
        .split("\n")
        .map((line) => `${line.split("==")[0]} (Python)`),
      ...requiredBy("tests/system/otlp-decoder/go.mod"),
      ...requiredBy("tests/system/openai-go/go.mod"),
    ],
  ],
])("the rows of part '%s' are the direct dependencies", (part, dependencies) => {
  expect(named(part).sort()).toEqual([...dependencies].sort());
});

test("every row is of one of these parts and says why", () => {
  expect(rows.filter(({ reason }) => (reason ?? "").length < 10)).toEqual([]);
  expect([...new Set(rows.map(({ part }) => part))].sort()).toEqual([
    "development",
    "k6",
    "program",
    "system test",
    "tool",
  ]);
});

test("the licence of each npm package is the one in the lockfile", () => {
  const locked = new Map(npmPackages().map(({ name, licences }) => [name, licences.join(", ")]));
  const stated = rows.filter(({ part }) => part === "program" || part === "development");
  for (const { dependency, licence } of stated)
    expect([dependency, licence]).toEqual([dependency, locked.get(dependency ?? "")]);
});

test("every npm package has a licence that is allowed", () => {
  expect(licenceProblems(npmPackages())).toEqual([]);
});

test("a licence that is not allowed, or none, is named", () => {
  const component = (licences: string[], part: "node" | "k6" = "node") => ({
    part,
    name: "a",
    version: "1.0.0",
    licences,
  });
  expect(licenceProblems([component(["MIT"]), component(["MIT OR GPL-3.0"]), component(["AGPL-3.0"], "k6")])).toEqual(
    [],
  );
  expect(
    licenceProblems([
      component([]),
      component(["AGPL-3.0"]),
      component(["MIT", "SSPL-1.0"]),
      component(["(MIT AND GPL-2.0)"], "k6"),
    ]),
  ).toEqual(["a 1.0.0: no licence found", "a 1.0.0: AGPL-3.0", "a 1.0.0: MIT, SSPL-1.0", "a 1.0.0: (MIT AND GPL-2.0)"]);
});
