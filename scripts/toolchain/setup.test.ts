import { chmodSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { dependenciesAreStale } from "./dependencies.mjs";
import { ensureK6, findK6 } from "./find-k6.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-setup-"));
});

const touch = (file: string, second: number): void => {
  writeFileSync(file, "{}");
  utimesSync(file, second, second);
};

describe("packages are installed", () => {
  const installedAt = (second: number): void => {
    mkdirSync(join(folder, "node_modules"));
    touch(join(folder, "node_modules", ".package-lock.json"), second);
  };

  test("when there are none", () => {
    touch(join(folder, "package-lock.json"), 1_000);
    expect(dependenciesAreStale(folder)).toBe(true);
  });

  test("when they are older than the lockfile", () => {
    touch(join(folder, "package-lock.json"), 1_000);
    installedAt(999);
    expect(dependenciesAreStale(folder)).toBe(true);
  });

  test("not when they are newer", () => {
    touch(join(folder, "package-lock.json"), 1_000);
    installedAt(1_001);
    expect(dependenciesAreStale(folder)).toBe(false);
  });

  test("not when they are linked from elsewhere, however old", () => {
    touch(join(folder, "package-lock.json"), 1_000);
    mkdirSync(join(folder, "elsewhere"));
    touch(join(folder, "elsewhere", ".package-lock.json"), 1);
    symlinkSync(join(folder, "elsewhere"), join(folder, "node_modules"));
    expect(dependenciesAreStale(folder)).toBe(false);
  });

  test("not in an installed package, which has no lockfile", () => expect(dependenciesAreStale(folder)).toBe(false));
});

describe("k6", () => {
  const program = (name: string, script: string): string => {
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
    return join(bin, name);
  };
  const sources = (): string => {
    const extension = join(folder, "extension");
    mkdirSync(extension, { recursive: true });
    writeFileSync(join(extension, "go.mod"), "module x\nrequire go.k6.io/k6/v2 v2.2.0\n");
    writeFileSync(join(extension, "main.go"), "package main");
    return extension;
  };
  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    PATH: join(folder, "bin"),
    HOME: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    ...more,
  });
  const GO_THAT_BUILDS = `case "$1" in env) echo go1.26.0;; build) for last; do :; done; while [ "$1" != -o ]; do shift; done; echo k6 > "$2";; esac`;

  test("named by ASSAY_K6 comes first, and its extension is looked for", async () => {
    const withExtension = program("mine", 'echo "k6 v2.2.0"; echo "Extensions:"; echo "  x, k6/x/assay [js]"');
    const stock = program("plain", 'echo "k6 v2.2.0"');
    expect(await ensureK6(sources(), environment({ ASSAY_K6: withExtension }))).toMatchObject({
      kind: "assay",
      version: "2.2.0",
    });
    expect(await ensureK6(sources(), environment({ ASSAY_K6: stock }))).toMatchObject({ kind: "stock", path: stock });
  });

  test("named by ASSAY_K6 that is not k6 is an error", async () => {
    const other = program("other", "exit 1");
    await expect(ensureK6(sources(), environment({ ASSAY_K6: other }))).rejects.toThrow(`Cannot use ASSAY_K6=${other}`);
  });

  test("is built once and found the next time", async () => {
    program("go", GO_THAT_BUILDS);
    const first = await ensureK6(sources(), environment());
    expect(first.origin).toBe("built now");
    expect(findK6(sources(), environment())).toMatchObject({ path: first.path, origin: "cached build" });
    expect(readdirSync(join(folder, "cache", "assay"))).toHaveLength(1);
  });

  test("is built anew when a source or the Go version has changed, but not for a test", async () => {
    program("go", GO_THAT_BUILDS);
    const extension = sources();
    await ensureK6(extension, environment());
    writeFileSync(join(extension, "main_test.go"), "package main");
    expect(findK6(extension, environment())).not.toBeNull();
    writeFileSync(join(extension, "main.go"), "package main // changed");
    expect(findK6(extension, environment())).toBeNull();
    await ensureK6(extension, environment());
    program("go", GO_THAT_BUILDS.replace("1.26.0", "1.26.1"));
    expect(findK6(extension, environment())).toBeNull();
  });

  test("on PATH is the last resort", async () => {
    program("k6", 'echo "k6 v2.2.0"');
    expect(await ensureK6(sources(), environment())).toMatchObject({ kind: "stock", origin: "PATH" });
  });

  test("that is nowhere gives one error that lists what was tried", async () => {
    program("go", `case "$1" in env) echo go1.26.0;; build) echo 'main.go:1: broken' >&2; exit 1;; esac`);
    const attempt = ensureK6(sources(), environment());
    await expect(attempt).rejects.toThrow("ASSAY_K6: not set");
    await expect(attempt).rejects.toThrow("cached build: none");
    await expect(attempt).rejects.toThrow("main.go:1: broken");
    await expect(attempt).rejects.toThrow("stock k6: no k6 on PATH");
    expect(readdirSync(join(folder, "cache", "assay"))).toEqual([]);
  });
});
