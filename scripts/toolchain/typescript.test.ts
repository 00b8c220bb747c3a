import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { newFolder } from "../../tests/support/commands/assay-process.ts";

const REGISTER = new URL("./typescript.mjs", import.meta.url).href;

/** Runs TypeScript with a cache and a folder for temporary files of its own. */
function run(): { readonly shared: string; readonly cache: string; readonly printed: () => string } {
  const [shared, cache] = [newFolder(), newFolder()];
  const file = join(cache, "program.mts");
  writeFileSync(file, "const at: string | undefined = process.env['TMPDIR']; console.log(at);");
  const env = { ...process.env, TMPDIR: shared, TMP: shared, TEMP: shared, XDG_CACHE_HOME: cache };
  return {
    shared,
    cache,
    printed: () => spawnSync(process.execPath, ["--import", REGISTER, file], { env, encoding: "utf8" }).stdout.trim(),
  };
}

test("what tsx compiled is kept where nobody else can write, not among the temporary files", async () => {
  const { shared, cache, printed } = run();
  expect(printed()).toBe(shared);
  expect(readdirSync(shared)).toEqual([]);
  const folder = join(cache, "assay", "compiled");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  // tsx does not wait until it has written what it keeps: a program that ends at once may be faster.
  const kept = () => [printed(), ...readdirSync(folder, { recursive: true })].slice(1);
  await expect.poll(() => kept().length).toBeGreaterThan(1);
  expect(readdirSync(shared)).toEqual([]);
});

test("where others can write to that folder, nothing is kept", () => {
  const { shared, cache, printed } = run();
  const folder = join(cache, "assay", "compiled");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(printed()).toBe(shared);
  expect([...readdirSync(folder), ...readdirSync(shared)]).toEqual([]);
});

test("all scripts of this project load TypeScript that way", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")));
  expect(Object.values(scripts).filter((script) => /(?:^|\s)tsx\s|--import tsx/.test(script))).toEqual([]);
});
