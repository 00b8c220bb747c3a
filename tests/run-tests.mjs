/**
 * Runs the tests. `npm test`: what a change is developed against, which needs Node and Go only. `npm run test:all` (`--all`): all the
 * rest too; with `--rest` that alone, after `npm test`. Parts run side by side where they mostly wait; one that fails does not
 * stop the others, except with `--bail`. Plain Node.
 */

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { notify } from "../cli/console.mjs";
import { ensureDependencies } from "../toolchain/dependencies.mjs";
import { CPU_TIMES_FOLDER, cpuTimesFile } from "./support/cpu-times.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [all, rest, bail] = ["--all", "--rest", "--bail"].map((flag) => process.argv.includes(flag));

/** @type {{ name: string, seconds: number, passed: boolean }[]} */
const ended = [];
const failed = () => ended.some(({ passed }) => !passed);

/**
 * Runs a part of the tests to its end.
 * @param {string} name what the table of times calls it
 * @param {readonly string[]} args arguments of Node
 * @param {{ beside?: boolean }} how `beside`: another part runs meanwhile, whose output is not interrupted
 * @returns {Promise<boolean>} whether it passed
 */
function part(name, args, { beside = false } = {}) {
  if (bail && failed()) return Promise.resolve(false);
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

const vitest = (/** @type {string[]} */ ...projects) => [
  "node_modules/vitest/vitest.mjs",
  "run",
  ...projects.flatMap((project) => ["--project", project]),
  ...(bail ? ["--bail", "1"] : []),
];

/** What a change is developed against. */
async function quick() {
  const isBuilt = await part("build of k6", ["scripts/setup.mjs"]);
  const go = part("Go tests", ["scripts/go-test.mjs"], { beside: true });
  if (isBuilt) await part("unit tests, end-to-end tests of each command", vitest("unit", "commands"));
  else await part("unit tests", vitest("unit"));
  await go;
}

/** All that is left. */
async function remaining() {
  const race = part("Go tests with the race detector", ["scripts/go-test.mjs", "--race"], { beside: true });
  await part("long unit tests, system tests, other end-to-end tests", vitest("long", "system", "e2e"));
  await race;
  await part("end-to-end tests that judge time", vitest("time"));
}

/** Seconds that all CPUs of the machine were busy since its start, as the kernel counts them; undefined where it does not tell. */
function busySeconds() {
  try {
    const [, user, nice, system, , , irq, softirq] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "")
      .split(/\s+/)
      .map(Number);
    return [user, nice, system, irq, softirq].reduce((/** @type {number} */ sum, ticks = 0) => sum + ticks, 0) / 100;
  } catch {
    return undefined;
  }
}

const begun = { atMs: performance.now(), busy: busySeconds() };
ensureDependencies(ROOT, { development: true });
if (!rest) await quick();
if (all || rest) {
  if (rest) await part("build of k6", ["scripts/setup.mjs"]);
  if (!(bail && failed())) await remaining();
}

notify("\nTimes of the parts, some of which ran side by side:");
for (const { name, seconds, passed } of ended) {
  notify(`${seconds.toFixed(0).padStart(6)} s  ${name}${passed ? "" : ": FAILED"}`);
}
const busy = busySeconds();
const suite = rest ? "test:all -- --rest" : all ? "test:all" : "test";
const cpu = busy !== undefined && begun.busy !== undefined ? Math.round(busy - begun.busy) : undefined;
notify(
  `${((performance.now() - begun.atMs) / 1_000).toFixed(0).padStart(6)} s  npm run ${suite}${cpu === undefined ? "" : `, ${cpu} s of CPU on this machine`}`,
);
if (failed()) process.exitCode = 1;
else if (cpu !== undefined) {
  mkdirSync(CPU_TIMES_FOLDER, { recursive: true });
  writeFileSync(cpuTimesFile(suite), `${cpu}\n`);
}
