/** Everything that Assay prints leaves at one place, which makes it harmless: nothing else writes to a terminal. */

import { expect, test } from "vitest";
import { SHIPPED, sourcesIn, textOf } from "../support/pages/source-files.ts";

/** Files that may write, and why. */
const WRITERS: Readonly<Record<string, string>> = {
  "cli/console.mjs": "the place where text leaves",
  "scenarios/load-shape.ts": "runs inside k6, whose console is the log of k6, a file",
};

const WRITES =
  /\bconsole\s*\.|\bprocess\s*\.\s*(?:stdout|stderr)\s*(?:\.\s*write|\)|,)|\b(?:stdout|stderr)\s*\}\s*=\s*process|writeSync\(\s*[12]\b|\bfs\.writeSync\(\s*[12]\b/;

const sources = sourcesIn([...SHIPPED, "bench"]);

/** A file without its comments and the specifiers of its imports, which may name either stream. */
const code = (file: string): string => textOf(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|from "[^"]*"/gm, "");

test("only one place prints", () => {
  expect(sources.filter((file) => WRITES.test(code(file))).toSorted()).toEqual(Object.keys(WRITERS).toSorted());
});

test.each([
  "console.log(1)",
  "process.stdout.write(text)",
  "print(process.stderr, text)",
  "const { stdout } = process",
  "writeSync(2, text)",
])("%s would be found", (text) => expect(text).toMatch(WRITES));
