/** The suite as users of vitest run it: a test fails where the exit code of `assay conformance` is not 0. */

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startMock } from "../mock-server/index.ts";
import { KEY } from "../tests/support/targets/judge-target.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const TIMEOUT = 60_000;

function runSuite(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ASSAY|VITEST|NODE_ENV|FORCE_COLOR)/.test(name));
  const child = spawn(process.execPath, [vitest, "run", "--root", root, "--project", "conformance"], {
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", ...env },
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

test("a fault is one message: clause, verdict, specification, target, exchange", { timeout: TIMEOUT }, async () => {
  const mock = await startMock({ timing: "instant", apiKeys: [KEY], faults: ["chat-201"] });
  const { code, output } = await runSuite({ ASSAY_TARGET: mock.url, ASSAY_API_KEY: KEY, ASSAY_ONLY: "chat" });
  await mock.stop();
  expect(output).toMatch(/chat\.status {2}FAIL {2}the \w+ .* 200.*; the target \w+ .*201 \(exchange \d+\)/);
  expect(output).toMatch(/Tests +1 failed \| \d+ passed/);
  expect(code).toBe(1);
});

test("without a key the sentence about it is said once, and the rest is skipped", { timeout: TIMEOUT }, async () => {
  const mock = await startMock({ timing: "instant", apiKeys: [KEY] });
  const { code, output } = await runSuite({ ASSAY_TARGET: mock.url });
  await mock.stop();
  expect(output).toMatch(/no API key was given; set ASSAY_API_KEY/);
  expect(output).toMatch(/Tests +1 failed \| \d+ skipped/);
  expect(code).toBe(1);
});

test("a compatible clause that could not be checked fails its test", { timeout: TIMEOUT }, async () => {
  const target = await openaiWithoutUsage();
  const env = { ASSAY_TARGET: target, ASSAY_PROFILE: "openai", ASSAY_ONLY: "chat.stream.compatible.usage" };
  const { code, output } = await runSuite(env);
  expect(output).toMatch(/chat\.stream\.compatible\.usage {2}INCONCLUSIVE/);
  expect(code).toBe(1);
});

test("without a target there is one clear error", { timeout: TIMEOUT }, async () => {
  const { code, output } = await runSuite({});
  expect(output).toContain("No target is given.");
  expect(code).toBe(1);
});

/** A chat service that is never ready to stream usage. */
async function openaiWithoutUsage(): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      if (body.includes("stream_options")) response.writeHead(503, { "retry-after": "0" }).end();
      else if (body.includes('"stream":true')) response.end('data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n');
      else response.end('{"choices":[{"message":{}}]}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}
