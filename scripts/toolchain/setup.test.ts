import { chmodSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { newFolder } from "../../tests/support/assay-process.ts";
import { dependenciesAreStale, ensureDependencies } from "./dependencies.mjs";
import { ensureK6, findK6 } from "./find-k6.mjs";

let folder = "";
beforeEach(() => {
  folder = newFolder();
});

describe("packages are installed", () => {
  type Entries = Readonly<Record<string, object>>;
  const write = (file: string, packages: Entries): void => writeFileSync(file, JSON.stringify({ packages }));
  const locked = (packages: Entries): void => write(join(folder, "package-lock.json"), { "": {}, ...packages });
  const installed = (packages: Entries, to = join(folder, "node_modules")): void => {
    mkdirSync(to);
    write(join(to, ".package-lock.json"), packages);
  };
  const stale = (development = true): boolean => dependenciesAreStale(folder, { development });

  const zod = { "node_modules/zod": { version: "4.0.0", integrity: "sha512-a" } };
  const ofDarwin = { "node_modules/darwin": { version: "1.0.0", integrity: "sha512-b", optional: true } };
  const knip = { "node_modules/knip": { version: "6.0.0", integrity: "sha512-c", dev: true } };

  test("when there are none", () => {
    locked(zod);
    expect(stale()).toBe(true);
  });

  test("when one is missing, of another version or of another content", () => {
    locked(zod);
    installed({});
    expect(stale()).toBe(true);
    for (const other of [{ version: "4.0.1" }, { integrity: "sha512-z" }]) {
      write(join(folder, "node_modules", ".package-lock.json"), {
        "node_modules/zod": { ...zod["node_modules/zod"], ...other },
      });
      expect(stale()).toBe(true);
    }
  });

  test("not when they are those of the lockfile, however old the files are", () => {
    locked({ ...zod, ...ofDarwin });
    installed(zod);
    utimesSync(join(folder, "node_modules", ".package-lock.json"), 1, 1);
    expect(stale()).toBe(false);
  });

  test("when the list of what is installed is damaged", () => {
    locked(zod);
    installed(zod);
    writeFileSync(join(folder, "node_modules", ".package-lock.json"), '{"packages":');
    expect(stale()).toBe(true);
  });

  test("for tests, but not for a command, when those for development were left out", () => {
    locked({ ...zod, ...knip });
    installed(zod);
    expect([stale(true), stale(false)]).toEqual([true, false]);
  });

  test("not when they are linked from elsewhere", () => {
    locked(zod);
    installed({}, join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "node_modules"));
    expect(stale()).toBe(false);
  });

  test("not in an installed package, which has no lockfile", () => expect(stale()).toBe(false));

  test("beside, and then take the place of the former ones, whatever other commands do meanwhile", () => {
    const npm = join(folder, "bin", "npm");
    mkdirSync(join(folder, "bin"));
    writeFileSync(
      npm,
      `#!/bin/sh\nmkdir node_modules && cp "$PWD/package-lock.json" node_modules/.package-lock.json\n`,
    );
    chmodSync(npm, 0o755);
    locked(zod);
    installed({});
    writeFileSync(join(folder, "node_modules", "former"), "");
    vi.stubEnv("PATH", `${join(folder, "bin")}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    ensureDependencies(folder, { development: true });
    expect(readdirSync(join(folder, "node_modules"))).toEqual([".package-lock.json"]);
    expect(readdirSync(folder).filter((name) => name.startsWith(".install-"))).toEqual([]);
    expect(stale()).toBe(false);
  });

  test("or the reason is said, and those that are there stay", () => {
    const npm = join(folder, "bin", "npm");
    mkdirSync(join(folder, "bin"));
    writeFileSync(npm, "#!/bin/sh\nexit 7\n");
    chmodSync(npm, 0o755);
    locked(zod);
    installed({});
    vi.stubEnv("PATH", `${join(folder, "bin")}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => ensureDependencies(folder, { development: true })).toThrow("ended with exit code 7");
    expect(readdirSync(join(folder, "node_modules"))).toEqual([".package-lock.json"]);
    expect(readdirSync(folder).filter((name) => name.startsWith(".install-"))).toEqual([]);
  });
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
