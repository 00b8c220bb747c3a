/**
 * Every line of Node that is tested, less the one that runs the tests: unit tests, a load, a conformance run and a request through the
 * proxy. The binary of a line is an npm package, kept in the user's cache; remove `node-lines` there for a newer release.
 */

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { cacheFolder } from "../../toolchain/find-k6.mjs";
import { lineOf, NODE_LINES } from "../../toolchain/tested-node.mjs";
import { cleanEnvironment, newFolder } from "../support/commands/assay-process.ts";
import { startMockProcess } from "../support/targets/spawned-mock.ts";

const run = promisify(execFile);
const ASSAY = join(ROOT, "scripts/assay.mjs");
const NEWEST = Math.max(...NODE_LINES);

/**
 * What uses Node's own interfaces: HTTP, streams, processes, files. The other tests compute, or judge a target as the conformance run of
 * each line does: they run on the line of the suite alone.
 */
const NODE_APIS = [
  "proxy/",
  "mock-server/http/",
  ...["http-client", "request-sender", "body-reader", "handshake"].map((name) => `conformance/engine/${name}`),
  "lib/",
  "cli/",
  "runs/load/scraper",
];
/** What uses more of them, for longer: on the newest line, where interfaces end first. */
const MORE_APIS = ["runs/", "toolchain/", "route/"];

/** Unit tests may take this long beside the other system tests. */
const WHOLE_SUITE_MS = 1_200_000;

const others = NODE_LINES.filter((line) => line !== lineOf(process.version));

describe.each(others)("Node %d", (line) => {
  let node: string;
  let env: NodeJS.ProcessEnv;
  let mock: string;

  beforeAll(async () => {
    const folder = join(cacheFolder(process.env), "node-lines", String(line));
    const name = `node-${process.platform}-${process.arch}`;
    node = join(folder, "node_modules", name, "bin", "node");
    mkdirSync(folder, { recursive: true });
    if (!existsSync(node)) {
      const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
      await run("npm", [...args, `${name}@${line}`], { cwd: folder, env: cleanEnvironment() });
    }
    env = { ...cleanEnvironment(), PATH: `${dirname(node)}${delimiter}${process.env["PATH"]}` };
    mock = (await startMockProcess("--timing", "instant")).url;
  });

  const assay = (...args: readonly string[]) => run(node, [ASSAY, ...args], { cwd: newFolder(), env });

  test(
    "is of its line, and runs the unit tests of what uses Node",
    async () => {
      expect(lineOf((await run(node, ["--version"])).stdout)).toBe(line);
      const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--project", "unit", "--reporter=dot"];
      const ended = run(node, [...vitest, ...NODE_APIS, ...(line === NEWEST ? MORE_APIS : [])], {
        cwd: ROOT,
        env,
        maxBuffer: 1 << 28,
      });
      const output = await ended.catch(({ stdout, stderr }) => expect.fail(`${stdout}${stderr}`));
      expect(output.stdout).toMatch(/Tests +\d+ passed/);
    },
    WHOLE_SUITE_MS,
  );

  test("loads a target, and checks it", async () => {
    const shape = ["--rate", "20", "--duration", "1s", "--warmup", "0", "--set", "no-default-slos", "--slo", "ok>=20"];
    const load = await assay("load", "chat-stream", "--target", mock, ...shape).catch(({ stdout }) => ({ stdout }));
    expect(load.stdout).toMatch(/^ +ok +20 +100%$/m);
    expect((await assay("conformance", "--target", mock)).stdout).toMatch(/^CONFORMS/m);
  });

  test("passes a stream on through the proxy", async () => {
    const proxy = spawn(node, [ASSAY, "proxy", "--target", mock], { cwd: newFolder(), env });
    const ended = new Promise((resolve) => proxy.once("close", resolve));
    const url = await new Promise<string>((resolve) =>
      proxy.stdout.setEncoding("utf8").on("data", (text: string) => resolve(/ready (\S+)/.exec(text)?.[1] ?? "")),
    );
    const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] });
    const headers = { "content-type": "application/json", authorization: "Bearer any" };
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/);
    proxy.kill("SIGINT");
    expect(await ended).toBe(0);
  });
});
