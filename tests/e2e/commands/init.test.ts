/** The starter files are true for the target that was probed: the next commands run on it as they are. */

import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { PATHS } from "../../../contract/service.ts";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { serveInTest } from "../../support/targets/serve-in-test.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const env = { ASSAY_API_KEY: "key-of-the-starter" };

test("the files hold what was given and found, and the next commands take them", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const folder = newFolder();
  const init = ["init", "--target", url, "--chat-model", "a-model"];
  const { code, stdout, stderr } = await assay(init, env, folder);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Wrote assay.yaml, workload.yaml, baseline.yaml, .github/workflows/assay.yml");
  const settings = readFileSync(join(folder, "assay.yaml"), "utf8");
  expect(parse(settings)).toEqual({
    target: url,
    "chat-model": "a-model",
    "embedding-model": "assay-embedding",
    baseline: "baseline.yaml",
  });
  const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(settings) ?? [];
  expect(readFileSync(join(folder, schema), "utf8")).toContain('"title": "assay.yaml"');
  expect(readFileSync(join(folder, ".github/workflows/assay.yml"), "utf8")).toContain(`target: ${url}\n`);
  expect(readdirSync(folder).join()).not.toContain("key-of");

  const conformance = await assay(["conformance", "--quiet"], env, folder);
  expect(conformance.code, conformance.stderr).toBe(0);
  const plan = await assay(["load", "--workload", "workload.yaml", "--plan"], env, folder);
  expect(plan.code, plan.stderr).toBe(0);
  expect(plan.stdout).toContain("370");

  writeFileSync(join(folder, "assay.yaml"), "# mine\n");
  const again = await assay(init, env, folder);
  expect(again.code).toBe(3);
  expect(again.stderr).toContain(
    "assay.yaml, workload.yaml, baseline.yaml, .github/workflows/assay.yml are there already",
  );
  expect(readFileSync(join(folder, "assay.yaml"), "utf8")).toBe("# mine\n");
});

test("a folder that does not exist is made once the target has responded as it should", async () => {
  const server = createServer((_, response) => void response.writeHead(307, { location: "http://127.0.0.1:9" }).end());
  const [folder, target] = [join(newFolder(), "new"), await serveInTest(server)];
  const { code, stderr } = await assay(["init", "--target", target, "--out", folder], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining("307")]);
  expect(existsSync(folder)).toBe(false);
});

test("a link is not followed, and where one is nothing is written", async () => {
  const [folder, outside] = [newFolder(), newFolder()];
  symlinkSync(outside, join(folder, ".github"));
  symlinkSync(join(outside, "workload"), join(folder, "workload.yaml"));
  const { code, stderr } = await assay(["init", "--target", "http://127.0.0.1:9"], env, folder);
  expect([code, stderr]).toEqual([3, expect.stringContaining("workload.yaml, .github are there already")]);
  expect([readdirSync(folder).toSorted(), readdirSync(outside)]).toEqual([[".github", "workload.yaml"], []]);
});

test("what the target refuses is left out, and a target that serves neither gets no files", async () => {
  const served = new Set<string>([PATHS.chat]);
  const server = createServer((request, response) => {
    const status = served.has(request.url ?? "") ? 200 : 400;
    response.writeHead(status, { "content-type": "application/json" }).end('{"error":{"message":"no such model"}}');
  });
  const target = await serveInTest(server);
  const folder = newFolder();
  const { code, stderr } = await assay(["init", "--target", target], env, folder);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("/v1/embeddings with the model assay-embedding returned 400; name a model that it serves");
  const { workloads } = parse(readFileSync(join(folder, "workload.yaml"), "utf8"));
  expect(workloads).toEqual([expect.objectContaining({ operation: "chat-stream" })]);

  served.clear();
  const empty = newFolder();
  expect((await assay(["init", "--target", target], env, empty)).code).toBe(2);
  expect(readdirSync(empty)).toEqual([]);
});

test("without a target, with a variable that a found file may not name, or without a folder nothing is written", async () => {
  const folder = newFolder();
  const none = await assay(["init"], env, folder);
  expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("no target is given. Name it with --target")]);
  const other = await assay(["init", "--target", "http://127.0.0.1:9", "--api-key-env", "HOME"], env, folder);
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining("api-key-env")]);
  expect(readdirSync(folder)).toEqual([]);
});
