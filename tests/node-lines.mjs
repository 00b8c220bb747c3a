/**
 * Runs Assay on every line of Node that it is tested on: `node tests/node-lines.mjs`, or with lines, `node tests/node-lines.mjs 26`.
 * Without lines, it leaves out the line that runs it: `npm test` runs all tests there. Plain Node, no dependency.
 *
 * The binary of a line is the npm package `node-<system>-<processor>@<line>`. It is kept in the user's cache, in `node-lines/`, about
 * 200 MB per line; remove that folder for a newer release. On each line run unit tests, a short load, a check of conformance and a
 * request through `assay proxy`, the last three against the bundled mock. k6 is built before if it is not there.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notify } from "../scripts/cli/console.mjs";
import { toolEnvironment } from "../scripts/cli/tool-environment.mjs";
import { ensureDependencies } from "../scripts/toolchain/dependencies.mjs";
import { cacheFolder, ensureK6 } from "../scripts/toolchain/find-k6.mjs";
import { lineOf, NODE_LINES } from "../scripts/toolchain/tested-node.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ASSAY = join(ROOT, "scripts/assay.mjs");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

/** Folders whose tests use what changes between lines of Node: HTTP, streams, processes, files. The others compute. */
const NODE_APIS = [
  "proxy/",
  "mock-server/http/",
  "conformance/engine/",
  "lib/",
  "scripts/cli/",
  "scripts/load/scrape/",
  "scripts/proxy/",
];

/**
 * Which unit tests run on a line, and why those.
 * @type {ReadonlyMap<number, { folders: readonly string[], why: string }>}
 */
const UNIT_TESTS = new Map([
  [20, { folders: NODE_APIS, why: "all take minutes: 300 s of CPU and more, these 54 s" }],
  [22, { folders: NODE_APIS, why: "all take minutes: 300 s of CPU and more, these 54 s" }],
  [24, { folders: NODE_APIS, why: "all take minutes: 300 s of CPU and more, these 54 s" }],
  [26, { folders: [], why: "all: what Node changes comes here first" }],
]);

/** Milliseconds that a step may take: only one that hangs takes as many. */
const MOST_MS = 900_000;

/**
 * What the steps of a line have.
 * @typedef {{ node: string, env: NodeJS.ProcessEnv, folder: string, mock: string }} Place
 */

/**
 * A program that was started, with all that it has printed.
 * @typedef {{ child: import("node:child_process").ChildProcess, output: () => string, ended: Promise<number | null> }} Started
 */

/** Programs that have not ended; they end with this one. */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, shell?: boolean }} options
 * @returns {Started}
 */
function start(program, args, options) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const late = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(data));
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once("error", (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.once("close", (code) => {
      clearTimeout(late);
      running.delete(child);
      resolve(code);
    });
  });
  return { child, output: () => Buffer.concat(output).toString(), ended };
}

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, shell?: boolean }} options
 * @param {(code: number | null, output: string) => boolean} isPassed
 * @throws Error with all that it printed, when it fails
 */
async function run(program, args, options, isPassed = (code) => code === 0) {
  const { output, ended } = start(program, args, options);
  const code = await ended;
  if (!isPassed(code, output())) throw new Error(`${output()}\nIt ended with exit code ${code}.`);
}

/** Every request has ended well. 20 are too few to decide an objective, as a busy machine can be too: then the exit code is 2. */
const hasLoaded = (/** @type {number | null} */ code, /** @type {string} */ output) =>
  (code === 0 || code === 2) && /^ +ok +20 +100%$/m.test(output);

/**
 * Runs a command of Assay that serves, for as long as something needs it.
 * @template T
 * @param {Place} place
 * @param {readonly string[]} args
 * @param {(url: string) => Promise<T>} use what is done while it serves
 * @returns {Promise<T>}
 */
async function serving({ node, env, folder }, args, use) {
  const { child, output, ended } = start(node, [ASSAY, ...args], { cwd: folder, env });
  try {
    /** @type {string} */
    const url = await new Promise((resolve, reject) => {
      const look = () => {
        const [, found] = /^ready (http:\S+)/m.exec(output()) ?? [];
        if (found !== undefined) resolve(found);
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
      void ended.then(() => reject(new Error(`assay ${args[0]} ended before it served:\n${output()}`)));
    });
    const result = await use(url);
    child.kill("SIGTERM");
    const code = await ended;
    if (code !== 0) throw new Error(`${output()}\nassay ${args[0]} ended with exit code ${code}.`);
    return result;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/**
 * Asks for a streamed chat completion through `assay proxy`.
 * @param {Place} place
 */
const requestThroughProxy = (place) =>
  serving(place, ["proxy", "--target", place.mock], async (url) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer any", "content-type": "application/json" },
      body: JSON.stringify({ model: "assay-chat", stream: true, messages: [{ role: "user", content: "Say hello." }] }),
      signal: AbortSignal.timeout(MOST_MS),
    });
    const body = await response.text();
    if (response.status !== 200 || !body.endsWith("data: [DONE]\n\n"))
      throw new Error(`The response through the proxy has status ${response.status} and this body:\n${body}`);
  });

/**
 * What runs on each line, in this order.
 * @type {readonly { name: string, run: (place: Place, line: number) => Promise<void> }[]}
 */
const STEPS = [
  {
    name: "unit tests",
    run: ({ node, env }, line) =>
      run(node, [VITEST, "run", "--project", "unit", "--reporter=dot", ...unitTestsOf(line).folders], {
        cwd: ROOT,
        env,
      }),
  },
  {
    name: "load of 1 s",
    run: ({ node, env, folder, mock }) =>
      run(
        node,
        [ASSAY, "load", "chat-stream", "--target", mock, "--rate", "20", "--duration", "1s", "--warmup", "0s"],
        { cwd: folder, env },
        hasLoaded,
      ),
  },
  {
    name: "conformance",
    run: ({ node, env, folder, mock }) => run(node, [ASSAY, "conformance", "--target", mock], { cwd: folder, env }),
  },
  { name: "request through the proxy", run: requestThroughProxy },
];

/** @throws Error for a line that the table lacks */
function unitTestsOf(/** @type {number} */ line) {
  const row = UNIT_TESTS.get(line);
  if (row === undefined)
    throw new Error(`Cannot test Node ${line}: UNIT_TESTS in tests/node-lines.mjs has no row for it.`);
  return row;
}

/**
 * The binary of a line, from the cache or from the npm registry.
 * @param {number} line
 * @returns {Promise<string>}
 * @throws Error with what npm printed
 */
async function binaryOf(line) {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  const lines = join(cacheFolder(process.env), "node-lines");
  const installed = join(lines, String(line));
  const binary = join("node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(join(installed, binary))) return join(installed, binary);
  mkdirSync(lines, { recursive: true });
  // It is installed beside and then moved, so that half of it is never found later.
  const beside = mkdtempSync(join(lines, `${line}.`));
  try {
    const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", beside];
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    await run(npm, [...args, `${name}@${line}`], {
      cwd: beside,
      env: toolEnvironment(),
      shell: process.platform === "win32",
    });
    rmSync(installed, { recursive: true, force: true });
    renameSync(beside, installed);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return join(installed, binary);
}

/**
 * The environment of what runs on a line: what starts `node` gets that line too. Of Assay's own variables only the k6 stays.
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
function environmentOf(node) {
  const k6 = process.env.ASSAY_K6;
  const env = { ...toolEnvironment(), ...(k6 !== undefined && { ASSAY_K6: k6 }) };
  return { ...env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`, NO_COLOR: "1" };
}

let failed = 0;

/**
 * Runs a step and prints a line about it; a step that fails does not stop the others.
 * @template T
 * @param {number} line
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T | undefined>} undefined when it failed
 */
async function step(line, name, work) {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1_000).toFixed(1).padStart(7);
  try {
    const result = await work();
    notify(`${seconds()} s  Node ${line}  ${name}`);
    return result;
  } catch (error) {
    failed += 1;
    notify(error instanceof Error ? error.message : String(error));
    notify(`${seconds()} s  Node ${line}  ${name}: FAILED`);
    return undefined;
  }
}

/** Runs all steps on a line. */
async function testLine(/** @type {number} */ line) {
  const node = await step(line, "installation", () => binaryOf(line));
  if (node === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "assay-node-"));
  const env = environmentOf(node);
  try {
    await serving({ node, env, folder, mock: "" }, ["mock"], async (mock) => {
      for (const { name, run } of STEPS) await step(line, name, () => run({ node, env, folder, mock }, line));
    });
  } catch (error) {
    await step(line, "mock", () => Promise.reject(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2).map(Number);
const unknown = asked.filter((line) => !NODE_LINES.includes(line));
if (unknown.length > 0)
  throw new Error(`Not a tested line of Node: ${unknown.join(", ")}. Tested are ${NODE_LINES.join(", ")}.`);
const own = lineOf(process.version);
ensureDependencies(ROOT, { development: true });
await ensureK6();
for (const line of asked.length > 0 ? asked : NODE_LINES.filter((line) => line !== own)) await testLine(line);
if (failed > 0) process.exitCode = 1;
