/** package-lock.json: made by npm, complete, and with a hash of the content of every package. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));

const Dependencies = z.record(z.string(), z.string()).default({});
const Entry = z.object({
  version: z.string(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  optional: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dependencies: Dependencies,
  optionalDependencies: Dependencies,
});
const Lockfile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), Entry) });
const Manifest = Entry.pick({ version: true, dependencies: true, optionalDependencies: true });

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));
const entries = Object.entries(Lockfile.parse(read("package-lock.json")).packages).filter(([folder]) => folder !== "");
const foldersWhere = (matches: (entry: z.infer<typeof Entry>) => boolean): string[] =>
  entries.filter(([, entry]) => matches(entry)).map(([folder]) => folder);

test("every package has the hash of its content", () => {
  expect(entries.length).toBeGreaterThan(300);
  expect(foldersWhere(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
});

test("no package names the address it came from, so that every registry can serve it", () => {
  expect(foldersWhere(({ resolved, link }) => resolved !== undefined || link !== undefined)).toEqual([]);
});

/**
 * Names the packages that code of the registry runs while it is installed. esbuild checks that the program for this
 * platform starts.
 */
test("only esbuild runs a script while it is installed", () => {
  expect(foldersWhere(({ hasInstallScript }) => hasInstallScript === true)).toEqual(["node_modules/esbuild"]);
});

test("npm finds every package of the lockfile needed, and every needed package in it", () => {
  const { status, stdout } = spawnSync("npm", ["ls", "--all", "--package-lock-only", "--json"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  expect(JSON.parse(stdout)).not.toHaveProperty("problems");
  expect(status).toBe(0);
});

test("the optional packages that a package names are in the lockfile too", () => {
  const folders = new Set(entries.map(([folder]) => folder));
  const found = (from: string, name: string): boolean =>
    folders.has(`${from}node_modules/${name}`) ||
    (from !== "" && found(from.replace(/node_modules\/(?:@[^/]+\/)?[^/]+\/$/, ""), name));
  const missing = entries.flatMap(([folder, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !found(`${folder}/`, name))
      .map((name) => `${folder} names ${name}`),
  );
  expect(missing).toEqual([]);
});

test("what the lockfile says of an installed package is what its own package.json says", () => {
  const installed = entries.filter(([folder]) => existsSync(join(root, folder, "package.json")));
  expect(installed.length).toBeGreaterThan(200);
  const required = (entry: z.infer<typeof Manifest>): object => ({
    version: entry.version,
    // A package.json may name an optional package in both lists.
    dependencies: { ...entry.dependencies, ...entry.optionalDependencies },
  });
  for (const [folder, entry] of installed) {
    expect([folder, required(entry)]).toEqual([folder, required(Manifest.parse(read(`${folder}/package.json`)))]);
  }
});

/** Native code with a script of its own that mockttp 4.5 and later load to imitate a client; the mock only serves. */
test("tls-impersonate is neither locked nor installed", () => {
  expect(foldersWhere(() => true).filter((folder) => folder.endsWith("/tls-impersonate"))).toEqual([]);
  const entry = createRequire(import.meta.url).resolve("mockttp");
  expect(() => createRequire(entry).resolve("tls-impersonate")).toThrow("Cannot find module");
});
