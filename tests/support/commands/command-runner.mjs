/**
 * Runs many `assay` commands one after another in this process, whose start takes longer than most of them: reads a list of
 * commands as JSON from standard input, and writes what came of each as JSON. For commands that end with a usage error.
 */

import { readFileSync } from "node:fs";
import { importEntry } from "../../../scripts/toolchain/import-entry.mjs";

/** @type {typeof import("../../../scripts/cli/program.ts")} */
const { main } = await importEntry("scripts/cli/program.ts");

/** @type {{ args: string[], env: Record<string, string>, cwd: string }[]} */
const commands = JSON.parse(readFileSync(0, "utf8"));
for (const each of [process, process.stdout, process.stderr]) each.setMaxListeners(0);
const { stdout, stderr } = process;
const writeResults = stdout.write.bind(stdout);
const before = { ...process.env };
const ended = [];
for (const { args, env, cwd } of commands) {
  const texts = { stdout: "", stderr: "" };
  const taking = (/** @type {keyof texts} */ name) => (/** @type {string} */ text) => {
    texts[name] += text;
    return true;
  };
  stdout.write = taking("stdout");
  stderr.write = taking("stderr");
  process.env = { ...before, ...env };
  process.chdir(cwd);
  process.exitCode = 0;
  await main(["node", "assay", ...args]);
  ended.push({ code: process.exitCode, ...texts });
}
process.exitCode = 0;
writeResults(JSON.stringify(ended));
