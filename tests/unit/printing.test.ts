/** Everything that Assay prints leaves at one place, which makes it harmless: nothing else writes to a terminal. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = [
  "lib",
  "contract",
  "formats",
  "settings",
  "conformance",
  "mock-server",
  "scenarios",
  "reports",
  "scripts",
  "bench",
];

/** Files that may write, and why. */
const WRITERS: Readonly<Record<string, string>> = {
  "scripts/cli/console.mjs": "the place where text leaves",
  "scenarios/profiles/index.ts": "runs inside k6, whose console is the log of k6, a file",
  "scenarios/stock/k6-runtime.ts": "runs inside k6, whose console is the log of k6, a file",
};

const WRITES =
  /\bconsole\s*\.|\bprocess\s*\.\s*(?:stdout|stderr)\s*(?:\.\s*write|\)|,)|\b(?:stdout|stderr)\s*\}\s*=\s*process|writeSync\(\s*[12]\b|\bfs\.writeSync\(\s*[12]\b/;

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter(
      (file) => /\.(ts|mjs|cjs|js)$/.test(file) && !/\.test\.ts$|\/(?:golden|testdata|node_modules)\//.test(file),
    ),
);

/** A file without its comments and the specifiers of its imports, which may name either stream. */
const code = (file: string): string =>
  readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|from "[^"]*"/gm, "");

test("only one place prints", () => {
  expect(sources.filter((file) => WRITES.test(code(file)))).toEqual(Object.keys(WRITERS).toSorted());
});

test.each([
  "console.log(1)",
  "process.stdout.write(text)",
  "print(process.stderr, text)",
  "const { stdout } = process",
  "writeSync(2, text)",
])("%s would be found", (text) => expect(text).toMatch(WRITES));
