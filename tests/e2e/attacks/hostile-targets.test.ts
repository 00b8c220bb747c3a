/** A target whose every response is an attack: the run ends and stays within memory, and every view escapes the text. */

import { readFileSync, statSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assay, type Ended, newFolder } from "../../support/commands/assay-process.ts";
import { conformanceResultOf } from "../../support/results/read-results.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";

const MIB = 1024 * 1024;
const HOSTILE = `::error::canary\n##vso[task.complete result=Succeeded]canary ##[error]canary"'><script>alert(1)</script><img src=x onerror=alert(1)>\u001b[2J\u001b]0;title\u0007\u0000\r\n\u009b31m\u202e\ud800]]>&amp;`;
const LONG = HOSTILE.repeat(Math.ceil((9 * MIB) / HOSTILE.length));
const NOT_UTF8 = Buffer.alloc(9 * MIB, Buffer.from([0xff, 0xfe, 0x00, 0x3c, 0x1b, 0xc3]));

const completion = (content: string): string =>
  JSON.stringify({
    id: HOSTILE,
    model: HOSTILE,
    choices: [{ index: HOSTILE, message: { role: HOSTILE, content } }],
    usage: HOSTILE,
  });
const task = (status: string): string =>
  JSON.stringify({ id: `${HOSTILE}/../${HOSTILE}`, status, model: HOSTILE, created_at: HOSTILE });

/** The response of each path; `n` counts requests, so that errors, long texts and invalid ones alternate. */
function hostileResponse(path: string, method: string, n: number): { status: number; body: string | Buffer } {
  if (path.includes("/chat/")) {
    const bodies = [completion(HOSTILE), completion(LONG), LONG, NOT_UTF8];
    return { status: n % 5 === 4 ? 400 : 200, body: bodies[n % bodies.length] ?? HOSTILE };
  }
  if (path.includes("/embeddings")) return { status: n % 2 === 0 ? 200 : 422, body: n % 3 === 0 ? NOT_UTF8 : HOSTILE };
  if (method === "GET") return { status: 200, body: task(HOSTILE) };
  return path.endsWith("/cancel") ? { status: 500, body: LONG } : { status: 202, body: task("processing") };
}

let server: Server;
let url: string;
let folder: string;
let run: Ended;
let load: Ended;
beforeAll(async () => {
  let n = 0;
  const listener: RequestListener = (request, response) => {
    request.resume().on("end", () => {
      n += 1;
      const { status, body } = hostileResponse(request.url ?? "", request.method ?? "", n);
      response
        .writeHead(status, { "content-type": "application/json", "x-evil": "<script>alert(1)</script>" })
        .end(body);
    });
  };
  server = createServer(listener);
  url = await listenOnLoopback(server);
  folder = newFolder();
  // Nothing here hangs: the deadline gives each response a minute, of which a busy machine needs some seconds for 9 MB.
  const flags = [
    ...["--video", "--poll-interval", "10ms", "--deadline", "10m"],
    ...["--failing-prompt", HOSTILE.replaceAll("\u0000", "")],
  ];
  run = await assay(["conformance", "--target", url, ...flags, "--out", folder]);
  const short = [
    "--duration",
    "1s",
    "--warmup",
    "0",
    "--set",
    "drain=10s",
    "--poll-interval",
    "50ms",
    "--set",
    "task-timeout=1s",
  ];
  load = await assay(["load", "mixed", "--mix", "chat=1,video=1", "--target", url, "--rate", "8", ...short]);
});
afterAll(() => void server.close());

const view = (name: string): string => readFileSync(join(folder, name), "utf8");
const CONTROL = /(?!\n)[\p{Cc}\u202e]/u;
/** What Azure Pipelines and GitHub take for a command. */
const CI_COMMAND = /##(?:vso)?\[|^\s*::|::error::/m;

test("the run ends by itself and reports failures of the target, none of its own", () => {
  expect(run.code, run.stderr).toBe(1);
  const result = conformanceResultOf(folder);
  expect(result.finishedAt).toBeDefined();
  expect(result.clauses.filter(({ verdict }) => verdict === "HARNESS-ERROR")).toEqual([]);
  expect(result.summary.required.failed).toBeGreaterThan(3);
});

test("the size of the recorded exchanges is bounded", () => {
  expect(statSync(join(folder, "exchanges.jsonl")).size).toBeLessThan(400 * MIB);
});

test("the output has neither control characters nor commands to a CI system", () => {
  expect(run.stdout).toContain("DOES NOT CONFORM");
  expect(run.stdout).toContain("canary");
  // The load names the tasks that it could not cancel by what the target called them, and quotes its errors.
  expect(load.stderr).toContain("# #vso[task.complete result=Succeeded]canary");
  expect(load.stdout).toContain("canary");
  for (const text of [run.stdout, run.stderr, load.stdout, load.stderr]) {
    expect(CONTROL.exec(text)?.index).toBeUndefined();
    expect(CI_COMMAND.exec(text)?.index).toBeUndefined();
  }
});

test("the page has no element from the target, and its size is bounded", () => {
  expect(view("conformance.html")).toContain("&lt;script&gt;alert(1)");
  expect(view("conformance.html")).not.toMatch(/<script>alert|<img/);
  expect(view("conformance.html").length).toBeLessThan(20 * MIB);
});

test("the JUnit file is well formed", () => {
  const xml = view("conformance.junit.xml");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
  expect(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml)).toBe(false);
  const outside = xml.replaceAll(
    /<[/?]?(?:xml|testsuites?|testcase|failure|error|skipped|system-out)(?:\s+[\w-]+="[^"<]*")*\s*[/?]?>/g,
    "",
  );
  expect(outside).not.toMatch(/[<>]|&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);)/i);
});

test("the Markdown has no element from the target", () => {
  expect(view("conformance.md")).not.toMatch(/<script|<img/);
});

test("a replay of the recorded exchanges gives the same verdicts", async () => {
  const { stdout, code } = await assay(["replay", folder]);
  expect(stdout).toContain("All verdicts are unchanged.");
  expect(code).toBe(1);
});
