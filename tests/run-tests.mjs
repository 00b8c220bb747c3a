/**
 * Runs all tests that need only Node and Go: `npm test`. k6 and then the Go tests are built and run beside the unit tests and
 * the end-to-end tests, which mostly wait. A part that fails does not stop the others. Plain Node.
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { notify } from "../scripts/cli/console.mjs";
import { ensureDependencies } from "../scripts/toolchain/dependencies.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** @type {{ name: string, seconds: number, passed: boolean }[]} */
const ended = [];

/**
 * Runs a part of the tests to its end.
 * @param {string} name what the table of times calls it
 * @param {readonly string[]} args arguments of Node
 * @param {{ beside?: boolean }} how `beside`: another part runs meanwhile, whose output is not interrupted
 * @returns {Promise<boolean>} whether it passed
 */
function part(name, args, { beside = false } = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ["ignore", beside ? "pipe" : "inherit", beside ? "pipe" : "inherit"],
  });
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => output.push(data));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (beside) process.stderr.write(`\n== ${name}\n${Buffer.concat(output)}\n`);
      ended.push({ name, seconds: (performance.now() - started) / 1_000, passed: code === 0 });
      resolve(code === 0);
    });
  });
}

const vitest = (/** @type {string} */ project) => ["node_modules/vitest/vitest.mjs", "run", "--project", project];

ensureDependencies(ROOT, { development: true });
const built = part("build of k6", ["scripts/setup.mjs"], { beside: true });
const go = built.then(() => part("Go tests", ["scripts/go-test.mjs"], { beside: true }));
await part("unit tests", vitest("unit"));
const isBuilt = await built;
if (isBuilt) await part("end-to-end tests", vitest("e2e"));
await go;
if (isBuilt) await part("end-to-end tests that judge time", vitest("time"));

notify("\nTimes of the parts, some of which ran side by side:");
for (const { name, seconds, passed } of ended) {
  notify(`${seconds.toFixed(0).padStart(6)} s  ${name}${passed ? "" : ": FAILED"}`);
}
if (ended.some(({ passed }) => !passed)) process.exitCode = 1;
