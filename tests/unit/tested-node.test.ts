/** The lines of Node that are tested stand in one place, and what repeats them agrees. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { LEAST_NODE, listOfLines, NODE_LINES, untestedNode } from "../../toolchain/tested-node.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const manifest = z.object({
  engines: z.object({ node: z.string() }),
  devDependencies: z.record(z.string(), z.string()),
});

test("engines and the README name the oldest Node that works, and the README the lines that are tested", () => {
  const { engines, devDependencies } = manifest.parse(JSON.parse(read("package.json")));
  expect(engines.node).toBe(`>=${LEAST_NODE}`);
  expect(read("README.md")).toContain(
    `need [Node](https://nodejs.org) ${LEAST_NODE} or newer (tested: ${listOfLines()})`,
  );
  expect(read("toolchain/compile.mjs")).toContain(`target: "node${LEAST_NODE}"`);
  expect(devDependencies["@types/node"]?.startsWith(LEAST_NODE)).toBe(true);
});

test("what users are given runs on a line that is tested", () => {
  const lines = ["action.yml", ".github/workflows/release.yml"].flatMap((file) =>
    Array.from(read(file).matchAll(/node-version: "?(\d+)/g), ([, line]) => Number(line)),
  );
  expect(lines.length).toBeGreaterThan(1);
  expect(NODE_LINES).toEqual(expect.arrayContaining(lines));
});

test.each([
  ["v20.20.2", undefined],
  ["v26.0.0", undefined],
  ["v21.7.3", expect.stringContaining(`tested on Node ${listOfLines()}, and not on this line`)],
  ["v27.1.0", expect.stringContaining(`the oldest that works is ${LEAST_NODE}`)],
])("of %s it is said: %s", (version, said) => {
  expect(untestedNode(version)).toEqual(said);
});
