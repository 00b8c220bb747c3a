import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { VERSION } from "../cli/tool.mjs";
import { newFolder } from "../tests/support/commands/assay-process.ts";
import { dependenciesAreStale, ensureDependencies } from "./dependencies.mjs";
import { ensureK6, findK6, goForBuild, sha256Of } from "./find-k6.mjs";
import { k6ForLoads } from "./k6.ts";
import { packageOf, programOf, SOURCE_PACKAGE, THIS_PLATFORM } from "./platform-package.mjs";

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
  const cache = (): string => join(folder, "cache", "assay");
  const place = (more: NodeJS.ProcessEnv = {}) => ({
    extension: join(folder, "extension"),
    env: { PATH: join(folder, "bin"), HOME: folder, XDG_CACHE_HOME: join(folder, "cache"), ...more },
  });
  beforeEach(() => void sources());
  const GO_THAT_BUILDS = `case "$1" in env) echo go1.26.0;; build) for last; do :; done; while [ "$1" != -o ]; do shift; done; echo k6 > "$2";; esac`;
  const GO_THAT_FAILS = `case "$1" in env) echo go1.26.0;; build) echo 'main.go:1: broken' >&2; exit 1;; esac`;

  describe("of the platform package", () => {
    const name = packageOf(THIS_PLATFORM);
    /** Installs one, with what its package.json says, and returns what resolves it. */
    const install = (stated: { readonly version?: string; readonly sha256?: string } = {}) => {
      const at = join(folder, "node_modules", name);
      const program = join(at, programOf(process.platform));
      mkdirSync(dirname(program), { recursive: true });
      writeFileSync(program, "the program");
      const { version = VERSION, sha256 = sha256Of(program) } = stated;
      writeFileSync(join(at, "package.json"), JSON.stringify({ name, version, assay: { k6: "2.2.0", sha256 } }));
      return { program, resolvePackage: (asked: string) => (asked === name ? join(at, "package.json") : undefined) };
    };

    test("comes before a build, with its version", () => {
      const { program, resolvePackage } = install();
      expect(findK6({ ...place(), resolvePackage })).toEqual({
        path: program,
        version: "2.2.0",
        origin: `${name} ${VERSION}`,
      });
    });

    test("of another version is refused", () => {
      const { resolvePackage } = install({ version: "0.0.9" });
      expect(() => findK6({ ...place(), resolvePackage })).toThrow(
        `Cannot use ${name}: it has version 0.0.9, and Assay has ${VERSION}. Install ${name}@${VERSION} again.`,
      );
    });

    test("that is damaged or incomplete is refused", () => {
      const { program, resolvePackage } = install();
      const place = { resolvePackage };
      writeFileSync(program, "the prog");
      expect(() => findK6(place)).toThrow(`Cannot use ${program}: its SHA-256 is ${sha256Of(program)}, and should be `);
      rmSync(program);
      expect(() => findK6(place)).toThrow("is nothing: the file is missing");
    });

    test("that is missing is named, with the reasons that there can be and what helps", async () => {
      const attempt = ensureK6({ ...place(), resolvePackage: () => undefined });
      await expect(attempt).rejects.toThrow(`${name} is not installed`);
      for (const reason of ["--omit=optional", "another platform", "issues/4828", "issues/8320"])
        await expect(attempt).rejects.toThrow(reason);
      await expect(attempt).rejects.toThrow(`run npm install ${name}@${VERSION}`);
    });

    test("that is missing leaves a build of the source package, where that is installed, with the modules in it", async () => {
      program("go", GO_THAT_BUILDS);
      const { extension, ...ofUser } = place();
      const installSources = (version: string): void => {
        mkdirSync(join(extension, "vendor"), { recursive: true });
        writeFileSync(join(extension, "vendor", "other.go"), version);
        writeFileSync(join(extension, "package.json"), JSON.stringify({ version }));
      };
      const manifest = join(extension, "package.json");
      const resolvePackage = (asked: string) =>
        asked === SOURCE_PACKAGE && existsSync(manifest) ? manifest : undefined;
      const without = `the sources, ${SOURCE_PACKAGE}@${VERSION}, are not installed`;
      await expect(ensureK6({ ...ofUser, resolvePackage })).rejects.toThrow(without);
      installSources("0.0.9");
      await expect(ensureK6({ ...ofUser, resolvePackage })).rejects.toThrow(without);
      expect(goForBuild({ ...ofUser, resolvePackage })).toBeNull();
      installSources(VERSION);
      const built = await ensureK6({ ...ofUser, resolvePackage });
      expect(built.origin).toBe("built now");
      expect(findK6(place())).toMatchObject({ path: built.path });
    });

    test("is not looked for in a checkout, whose sources may have changed", () => {
      const tried: string[] = [];
      expect(findK6(place(), tried)).toBeNull();
      expect(tried.join()).toContain("platform package: not used in a checkout");
    });
  });

  test("named by ASSAY_K6 comes first", () => {
    const mine = program("mine", 'echo "k6 v2.2.0"; echo "Extensions:"; echo "  x, k6/x/assay [js]"');
    const resolvePackage = () => expect.fail("the platform package was looked for");
    expect(findK6({ ...place({ ASSAY_K6: mine }), resolvePackage })).toEqual({
      path: mine,
      version: "2.2.0",
      origin: "ASSAY_K6",
    });
  });

  test("is looked for once per process, until the environment names another or it was removed", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const log = join(folder, "log");
    const script = `echo asked >> ${log}; echo "k6 v2.2.0"; echo "  x, k6/x/assay [js]"`;
    const [one, other] = [program("one", script), program("two", script)];
    for (const path of [one, one, other, one]) {
      vi.stubEnv("ASSAY_K6", path);
      expect((await k6ForLoads()).path).toBe(path);
    }
    expect(readFileSync(log, "utf8")).toBe("asked\n".repeat(2));
    rmSync(one);
    await expect(k6ForLoads()).rejects.toThrow(`Cannot use ASSAY_K6=${one}`);
  });

  test.each([
    ["is not k6", "exit 1", "did not print the version of k6"],
    ["lacks the extension", 'echo "k6 v2.2.0"', "it is k6 2.2.0 without Assay's extension"],
  ])("named by ASSAY_K6 that %s is an error", async (_, script, observed) => {
    const other = program("other", script);
    const attempt = ensureK6(place({ ASSAY_K6: other }));
    await expect(attempt).rejects.toThrow(`Cannot use ASSAY_K6=${other}`);
    await expect(attempt).rejects.toThrow(observed);
  });

  test("is built once and found the next time", async () => {
    program("go", GO_THAT_BUILDS);
    const first = await ensureK6(place());
    expect(first.origin).toBe("built now");
    expect(findK6(place())).toMatchObject({ path: first.path, origin: "cached build" });
    expect(readdirSync(cache())).toHaveLength(1);
  });

  test("is built anew when a source or the Go version has changed, but not for a test", async () => {
    program("go", GO_THAT_BUILDS);
    await ensureK6(place());
    writeFileSync(join(folder, "extension", "main_test.go"), "package main");
    expect(findK6(place())).not.toBeNull();
    writeFileSync(join(folder, "extension", "main.go"), "package main // changed");
    expect(findK6(place())).toBeNull();
    await ensureK6(place());
    program("go", GO_THAT_BUILDS.replace("1.26.0", "1.26.1"));
    expect(findK6(place())).toBeNull();
  });

  test("that another checkout uses is kept, however many builds follow, and those that nobody uses are not", async () => {
    program("go", GO_THAT_BUILDS);
    const [aMonthAgo, anHourAgo] = [30 * 24, 1].map((hours) => Date.now() / 1_000 - hours * 3_600);
    mkdirSync(cache(), { recursive: true });
    const build = (name: string, used = 0): void => {
      writeFileSync(join(cache(), name), "");
      utimesSync(join(cache(), name), used, used);
    };
    for (let nth = 0; nth < 8; nth++) build(`k6-used-${nth}`, anHourAgo);
    build("k6-unused", aMonthAgo);
    const { path } = await ensureK6(place());
    expect(readdirSync(cache()).filter((name) => name.startsWith("k6-used"))).toHaveLength(8);
    expect(readdirSync(cache())).not.toContain("k6-unused");
    utimesSync(path, 1, 1);
    findK6(place());
    expect(statSync(path).mtimeMs).toBeGreaterThan(1_000);
  });

  test("that is nowhere gives one error that lists what was tried", async () => {
    program("go", GO_THAT_FAILS);
    program("k6", 'echo "k6 v2.2.0"');
    const attempt = ensureK6(place());
    await expect(attempt).rejects.toThrow("ASSAY_K6: not set");
    await expect(attempt).rejects.toThrow("platform package: ");
    await expect(attempt).rejects.toThrow("cached build: none");
    await expect(attempt).rejects.toThrow("main.go:1: broken");
    expect(readdirSync(cache())).toEqual([]);
  });
});
