import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { newFile, newFolder } from "../tests/support/commands/assay-process.ts";

const PROGRAM = fileURLToPath(new URL("../scripts/assay.mjs", import.meta.url));
const compiled = z.object({ folder: z.string(), sources: z.array(z.tuple([z.string(), z.number(), z.number()])) });

/** A program with a cache and a folder for temporary files of its own. */
function place() {
  const [shared, cache] = [newFolder(), newFolder()];
  const env = { ...process.env, TMPDIR: shared, TMP: shared, TEMP: shared, XDG_CACHE_HOME: cache };
  const folder = join(cache, "assay", "compiled");
  return {
    shared,
    cache,
    folder,
    run: () => spawnSync(process.execPath, [PROGRAM, "--version"], { env, encoding: "utf8" }),
    list: () => readdirSync(folder).find((name) => name.endsWith(".json")) ?? "",
  };
}

test("what was compiled is kept where nobody else can write, until a source changes", () => {
  const { shared, folder, run, list } = place();
  expect(run().status).toBe(0);
  expect(readdirSync(shared)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const file = join(folder, list());
  const kept = () => compiled.parse(JSON.parse(readFileSync(file, "utf8")));
  const first = kept();
  expect(first.sources.map(([path]) => path)).toEqual(
    expect.arrayContaining(["cli/program.ts", "cli/console.mjs", "package-lock.json"]),
  );
  expect(run().status).toBe(0);
  expect(kept()).toEqual(first);

  const [[path = "", changedMs = 0, bytes = 0] = [], ...others] = first.sources;
  writeFileSync(file, JSON.stringify({ ...first, sources: [[path, changedMs, bytes + 1], ...others] }));
  expect(run().status).toBe(0);
  expect(kept()).toEqual({ ...first, folder: expect.not.stringContaining(first.folder) });
});

test("what no process has begun with for days is removed at the next change, of any checkout", () => {
  const { folder, run } = place();
  const [unused, used] = [join(folder, "another-unused"), join(folder, "another-used")];
  for (const each of [unused, used]) mkdirSync(each, { recursive: true });
  const longAgo = new Date("2026-01-02T03:04:05Z");
  utimesSync(unused, longAgo, longAgo);
  expect(run().status).toBe(0);
  expect([existsSync(unused), existsSync(used)]).toEqual([false, true]);
});

const VERSION = { status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) };

test("where others can write to that folder, nothing is kept", () => {
  const { shared, folder, run } = place();
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(run()).toMatchObject(VERSION);
  expect([...readdirSync(folder), ...readdirSync(shared)]).toEqual([]);
});

test("where nothing can be kept, the program runs", () => {
  const { cache, run } = place();
  writeFileSync(join(cache, "assay"), "a file in place of the folder");
  expect(run()).toMatchObject(VERSION);
});

test("scripts run TypeScript without a trace, in files and in their environment", () => {
  const [shared, cache] = [newFolder(), newFolder()];
  const file = newFile("program.mts", "const set: boolean = 'TSX_DISABLE_CACHE' in process.env; console.log(set);");
  const env = { ...process.env, TMPDIR: shared, TMP: shared, TEMP: shared, XDG_CACHE_HOME: cache };
  const register = new URL("./typescript.mjs", import.meta.url).href;
  const { stdout } = spawnSync(process.execPath, ["--import", register, file], { env, encoding: "utf8" });
  expect(stdout).toBe("false\n");
  expect([...readdirSync(shared), ...readdirSync(cache)]).toEqual([]);
});

test("all scripts of this project load TypeScript without a folder that all users share", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")));
  expect(Object.values(scripts).filter((script) => /(?:^|\s)tsx\s|--import tsx/.test(script))).toEqual([]);
});
