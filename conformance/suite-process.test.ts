/** The suite as a process: what a user of vitest or of the command line sees. */

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startMock } from "../mock-server/index.ts";
import { KEY } from "../tests/support/judge-target.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const TIMEOUT = 60_000;

function runSuite(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ASSAY|VITEST|NODE_ENV|FORCE_COLOR)/.test(name));
  const args = [
    vitest,
    "run",
    "--root",
    root,
    "--project",
    "conformance",
    "--reporter",
    join(root, "conformance/reporter.ts"),
  ];
  const child = spawn(process.execPath, args, { env: { ...Object.fromEntries(inherited), ...env } });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

test("a fault is one plain line: clause, verdict, document, target, exchange", { timeout: TIMEOUT }, async () => {
  const mock = await startMock({ timing: "instant", apiKeys: [KEY], faults: ["chat-201"] });
  const { code, output } = await runSuite({ ASSAY_TARGET: mock.url, ASSAY_API_KEY: KEY, ASSAY_ONLY: "chat" });
  await mock.stop();
  const [line, last, ...more] = output.trim().split("\n");
  expect(line).toMatch(
    /^chat\.status {2}FAIL {2}the document answers .* with 200; the target answered 201 \(exchange \d+\)$/,
  );
  expect(last).toMatch(/^\d+ clauses, [\d.]+ s$/);
  expect([code, more]).toEqual([1, []]);
});

test("without a target there is one clear error", { timeout: TIMEOUT }, async () => {
  const { code, output } = await runSuite({});
  expect(output.trim().split("\n")).toEqual([expect.stringMatching(/^No target was given\. Set ASSAY_TARGET/)]);
  expect(code).toBe(1);
});
