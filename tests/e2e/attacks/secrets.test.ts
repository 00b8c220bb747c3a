/**
 * The API key and the values of headers are nowhere in what Assay writes, whatever a target makes of them, and nobody else
 * can read what it writes.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assay, type Ended, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { CANARY, encodingsOf } from "../../support/secrets/secret-encodings.ts";
import { commandLines, filesBelow, leaksIn, programsKnowing } from "../../support/secrets/secret-scan.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { echoingTarget } from "./echoing-target.ts";

const TEAM = `team"Zy8&/x<k>+W0`;
const SECRETS = [CANARY, TEAM];
/** White space around the values, which no header has. */
const KEYS = { ASSAY_API_KEY: `${CANARY}\t`, TEAM_TOKEN: ` ${TEAM}\n` };
const HEADER = ["--header", "x-team=TEAM_TOKEN"];

const server = echoingTarget();
const work = newFolder();
const temporary = join(work, "tmp");
const runs = new Map<string, Ended>();
const watched: string[] = [];
const knowing: string[] = [];
let url: string;
let watch: NodeJS.Timeout;

/** Runs `assay` where all that it writes is scanned afterwards. */
async function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  runs.set(name, await assay(args, { ...KEYS, TMPDIR: temporary, ...env }, work));
}

/** Passes a client's requests to the target. */
async function runProxy(): Promise<void> {
  const { child, ended, until } = startAssay(["proxy", "--target", url, "--out", "proxy"], { TMPDIR: temporary }, work);
  const base = await until(/ready (\S+)/);
  const headers = { authorization: `Bearer ${CANARY}`, "content-type": "application/json" };
  for (let sent = 0; sent < 24; sent += 1) {
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: CANARY }], stream: sent % 2 === 0 });
    await fetch(`${base}/v1/chat/completions`, { method: "POST", headers, body })
      .then((response) => response.text())
      .catch(() => "");
  }
  child.kill("SIGINT");
  runs.set("proxy", await ended);
}

/** Loads a mock of its own, which gets none of the user's secrets; ended before its last load. */
async function runDemo(): Promise<void> {
  const { child, ended, until } = startAssay(["demo", "--out", "demo"], { ...KEYS, TMPDIR: temporary }, work);
  await until(/Loading it with/);
  child.kill("SIGINT");
  runs.set("demo", await ended);
}

/** Calibrates against the target, whose ground truth has nothing. */
async function runCalibrate(): Promise<void> {
  writeFileSync(join(work, "truth.jsonl"), "", { mode: 0o600 });
  const own = ["--target", url, "--ground-truth", "truth.jsonl", ...HEADER];
  const env = { XDG_STATE_HOME: temporary };
  await run("calibrate", ["calibrate", ...own, "--streams", "1", "--out", "calibrate"], env);
}

/** A scenario that tells its log, and whoever catches its error, what it knows. */
const OWN_SCENARIO = `
import { sleep } from "k6";
const key = __ENV.ASSAY_API_KEY;
export default function () {
  console.log("log", key, encodeURIComponent(key), JSON.stringify({ key }));
  console.error("error " + key);
  sleep(0.2);
  throw new Error("x".repeat((__ITER * 7) % 290) + " key " + key);
}`;

beforeAll(async () => {
  mkdirSync(temporary);
  writeFileSync(join(work, "own.js"), OWN_SCENARIO);
  url = await listenOnLoopback(server);
  watch = setInterval(() => {
    watched.push(...commandLines());
    knowing.push(...programsKnowing(CANARY));
  }, 500);
  const check = ["conformance", "--target", url, ...HEADER, "--failing-prompt", CANARY, "--chat-model", CANARY];
  // First of all: the target's first two responses are whole, and a profile is given up when its first is not.
  await run("openai", [...check, "--profile", "openai", "--only", "chat.*", "--out", "openai"]);
  const load = ["--target", url, ...HEADER, "--warmup", "0", "--set", "drain=2s", "--poll-interval", "50ms"];
  const short = [...load, "--duration", "2s", "--rate", "40", "--max-in-flight", "20"];
  await run("load", ["load", "mixed", ...short, "--tag", `team=${CANARY}`, "--check", "50%", "--out", "load"]);
  const video = ["--video", "--poll-interval", "20ms", "--deadline", "10s"];
  await Promise.all([
    run("conformance", [...check, ...video, "--out", "conformance"]),
    run("own", ["load", "own.js", ...load, "--duration", "1s", "--rate", "20", "--out", "own"]),
    runDemo(),
    runCalibrate(),
  ]);
  await runProxy();
  await Promise.all([
    run("report of a load", ["report", "load", "--out", "load-report"]),
    run("report of clauses", ["report", "conformance", "--out", "conformance-report"]),
    run("replay", ["replay", "conformance", "--out", "replay"]),
    run("clean-up", ["clean-up", "load", "--target", url, ...HEADER]),
  ]);
  await Promise.all([
    run("doctor", ["doctor"]),
    run("refused query", ["conformance", "--target", `${url}/?key=${encodeURIComponent(CANARY)}`, "--out", "b"]),
    run("refused option", ["load", "chat", `--api-key=${CANARY}`]),
    run("no target", ["conformance", "--target", `http://127.0.0.1:9/${encodeURIComponent(CANARY)}`, "--out", "d"]),
  ]);
});
afterAll(() => {
  clearInterval(watch);
  server.closeAllConnections();
  server.close();
});

test("the scan finds a secret in each encoding", () => {
  for (const [name, encoded] of Object.entries(encodingsOf(CANARY)))
    expect(leaksIn(Buffer.from(`{"a":${encoded}}`), SECRETS), name).not.toEqual([]);
  expect(leaksIn(readFileSync(join(work, "own.js")), SECRETS)).toEqual([]);
});

test("every command came to its end, and the target's responses were measured and judged", () => {
  for (const [name, { code, stderr }] of runs) expect([0, 1, 2, 3], `${name}: ${stderr}`).toContain(code);
  for (const name of ["load", "conformance"]) expect(runs.get(name)?.code, runs.get(name)?.stderr).toBe(1);
  expect([runs.get("calibrate")?.code, runs.get("demo")?.code]).toEqual([2, 2]);
  expect(readFileSync(join(work, "calibrate", "one-stream", "records.jsonl"), "utf8")).toContain("<redacted>");
  expect(filesBelow(join(work, "demo")).map(({ path }) => path)).toContain(
    join(work, "demo", "conformance", "conformance.html"),
  );
  for (const name of ["refused query", "refused option"]) expect(runs.get(name)?.code, name).toBe(3);
  expect(readFileSync(join(work, "load", "records.jsonl"), "utf8")).toContain("<redacted>");
});

/** The texts of a recorded stream, as a reader puts them together. */
const streamedTexts = (file: string): string =>
  [...readFileSync(file, "utf8").matchAll(/\\"content\\":\\"(.*?)\\"/g)].map(([, text]) => text).join("");

test("no file contains a secret, in any encoding", () => {
  const files = filesBelow(work).filter(({ isFolder }) => !isFolder);
  expect(files.length).toBeGreaterThan(40);
  for (const { path } of files) expect([path, leaksIn(readFileSync(path), SECRETS)]).toEqual([path, []]);
  const texts = ["conformance", "openai", "proxy"].map((name) => streamedTexts(join(work, name, "exchanges.jsonl")));
  for (const text of texts) expect(text).toContain("<redacted>");
  for (const text of texts) expect([leaksIn(Buffer.from(text), SECRETS), text]).toEqual([[], text]);
});

test("nothing that is printed contains a secret, in any encoding", () => {
  for (const [name, { stdout, stderr }] of runs)
    expect([name, leaksIn(Buffer.from(stdout + stderr), SECRETS)]).toEqual([name, []]);
});

test("no command line of a child contains a secret, and only k6 and assay itself are given it", () => {
  const own = watched.filter((line) => !line.includes("assay.mjs"));
  expect(own.filter((line) => leaksIn(Buffer.from(line), SECRETS).length > 0)).toEqual([]);
  if (process.platform !== "linux") return;
  expect(knowing.length).toBeGreaterThan(0);
  for (const program of new Set(knowing)) expect(program).toMatch(/node$|k6[^/]*$|esbuild$/);
});

test("files and folders are this user's alone", () => {
  for (const { path, mode, isFolder } of filesBelow(work)) {
    if (path === join(work, "own.js") || path === temporary) continue;
    expect([path, mode]).toEqual([path, isFolder ? 0o700 : 0o600]);
  }
});
