/** The workflow that publishes: what it runs exists, and it may do no more than it must. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { VERSION } from "../../cli/tool.mjs";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { ROOT } from "./components.ts";
import { originOf } from "./k6-source.ts";

const permissions = z.record(z.string(), z.string());
const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const { publish, ...workflow } = (() => {
  const text = readFileSync(join(ROOT, ".github", "workflows", "release.yml"), "utf8");
  const read = z.object({
    on: z.object({ push: z.object({ tags: z.array(z.string()) }) }),
    permissions,
    jobs: z.object({ publish: z.object({ permissions, steps: z.array(step) }) }),
  });
  const parsed = read.parse(parse(text));
  return { ...parsed, publish: parsed.jobs.publish };
})();

test("it runs on tags alone, and writes nothing but the proof of where a package is from", () => {
  expect(workflow.on).toEqual({ push: { tags: ["v*"] } });
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(publish.permissions).toEqual({ contents: "read", "id-token": "write" });
});

test("the scripts and files that it names exist", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const run = publish.steps.flatMap((each) => /^npm run (\S+)$/.exec(each.run ?? "")?.[1] ?? []);
  expect(run).toEqual(["release"]);
  expect(Object.keys(scripts)).toContain("release");
  const files = publish.steps.flatMap((each) => [each.with?.["go-version-file"], each.with?.["cache-dependency-path"]]);
  const missing = files.filter((file) => typeof file === "string" && !existsSync(join(ROOT, file)));
  expect(missing).toEqual([]);
});

test.each([
  [`v${VERSION}`, 0],
  ["v9.9.9", 1],
])("the tag %s ends the comparison with the version with %i", (tag, code) => {
  const compare = publish.steps.find(({ run }) => run?.includes("GITHUB_REF_NAME"))?.run ?? "exit 9";
  const env = { ...process.env, GITHUB_REF_NAME: tag };
  expect(spawnSync("sh", ["-c", compare], { cwd: ROOT, env }).status).toBe(code);
});

test("nothing is published, or made, without the repository that provenance names; the workflow names its own", () => {
  const release = [join(ROOT, "scripts/supply-chain/release.ts"), "--out", join(newFolder(), "release")];
  const args = ["--import", new URL("../../toolchain/typescript.mjs", import.meta.url).href, ...release];
  // Whatever it would do, it finds no npm.
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: { PATH: "/nowhere" }, encoding: "utf8" });
  expect([status, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("Cannot make a release: package.json names no repository");

  const folder = newFolder();
  const manifest = join(folder, "package.json");
  writeFileSync(manifest, '{ "name": "any" }');
  expect(originOf(readFileSync(manifest, "utf8"))).toEqual({});
  const name = publish.steps.find(({ run }) => run?.startsWith("npm pkg set "))?.run ?? "exit 9";
  const env = { ...process.env, GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "a/b" };
  expect(spawnSync("sh", ["-c", name], { cwd: folder, env }).status).toBe(0);
  expect(originOf(readFileSync(manifest, "utf8"))).toEqual({ repository: { url: "git+https://git.example/a/b.git" } });
});
