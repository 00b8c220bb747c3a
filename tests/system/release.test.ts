/**
 * What is made of a release: as package managers install its packages from their files and the registry, without scripts and without
 * Go; and the steps of the Dockerfiles, one by one and outside a container, from a clean copy of what is under version control.
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { loadedModules } from "../../bench/weight/loaded-modules.ts";
import { PACKAGE, VERSION } from "../../cli/tool.mjs";
import { goModules, npmPackages, ROOT } from "../../scripts/supply-chain/components.ts";
import { sha256Of } from "../../toolchain/find-k6.mjs";
import { ENTRIES } from "../../toolchain/installed.mjs";
import { packageOf, programOf, SOURCE_PACKAGE, THIS_PLATFORM } from "../../toolchain/platform-package.mjs";
import { cleanEnvironment, newFolder } from "../support/commands/assay-process.ts";
import { type Built, buildInFolders, filesBelow, stagesOf } from "../support/pages/dockerfile.ts";
import { startMockProcess } from "../support/targets/spawned-mock.ts";

/** A build of k6 without a cache takes minutes. */
const LONG_MS = 1_200_000;
/** All that is installed, without k6; 72 MB of it are the database. */
const MOST_BYTES = 118e6;
const K6 = packageOf(THIS_PLATFORM);
const PROGRAM = join("node_modules", PACKAGE, "scripts", "assay.mjs");

const packedFile = (name: string): string => `${name.slice(1).replace("/", "-")}-${VERSION}.tgz`;

let [release, assay, k6] = ["", "", ""];
beforeAll(() => {
  release = join(newFolder(), "release");
  const { os, cpu } = THIS_PLATFORM;
  const args = ["--dry-run", "--out", relative(ROOT, release), `${os}-${cpu}`];
  const made = execFileSync("npm", ["run", "--silent", "release", "--", ...args], { cwd: ROOT, encoding: "utf8" });
  expect(made).toMatch(/\ninstalled in an empty folder, without Go: the demo runs, \d+ s\n$/);
  assay = join(release, packedFile(PACKAGE));
  k6 = join(release, packedFile(K6));
}, LONG_MS);

/** A project that needs Assay. */
function project(more: object = {}): string {
  const folder = newFolder();
  const manifest = { private: true, dependencies: { [PACKAGE]: `file:${assay}` }, ...more };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

const env = { ...cleanEnvironment(), npm_config_loglevel: "error", npm_config_yes: "true" };
const npx = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("npx", [...args], { cwd, env, encoding: "utf8" });

/** Node alone is on the PATH. */
function withoutGo(): NodeJS.ProcessEnv {
  const bin = newFolder();
  symlinkSync(process.execPath, join(bin, "node"));
  return { ...cleanEnvironment(), PATH: bin, XDG_CACHE_HOME: newFolder(), ASSAY_K6: "" };
}

function doctor(cwd: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "doctor"], {
    cwd,
    env: withoutGo(),
    encoding: "utf8",
  });
  return stdout + stderr;
}

const FOUND = `(${K6} ${VERSION})`;

const Bill = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(
    z.object({ name: z.string(), version: z.string(), purl: z.string(), licenses: z.array(z.unknown()).min(1) }),
  ),
});

test("its bills of materials have every package and every module, each with its licence", () => {
  const named = (file: string): string[] => {
    const { components } = Bill.parse(JSON.parse(readFileSync(join(release, file), "utf8")));
    return components.map(({ name, version }) => `${name}@${version}`);
  };
  const all = (components: ReturnType<typeof goModules>): string[] => [
    ...new Set(components.map(({ name, version }) => `${name}@${version}`)),
  ];
  expect(named("assay-npm.cdx.json").sort()).toEqual(all(npmPackages()).sort());
  expect(named("assay-k6.cdx.json").sort()).toEqual(all(goModules()).sort());
});

test("npm, without scripts: k6 of the platform package is found, and the rest is less than 118 MB", () => {
  const folder = project({ overrides: { [K6]: `file:${k6}` } });
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, env });
  const modules = join(folder, "node_modules");
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(K6));
  const bytes = files.map((name) => statSync(join(modules, name))).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeGreaterThan(1e6);
  expect(bytes).toBeLessThan(MOST_BYTES);
  expect(doctor(folder)).toContain(FOUND);
});

test("pnpm", () => {
  const folder = project();
  writeFileSync(join(folder, "pnpm-workspace.yaml"), `overrides:\n  "${K6}": "file:${k6}"\n`);
  npx(folder, "pnpm@10.34.9", "install");
  expect(doctor(folder)).toContain(FOUND);
});

test("Yarn with Plug'n'Play, which unpacks k6", () => {
  const folder = project({ resolutions: { [K6]: `file:${k6}` } });
  const registry = execFileSync("npm", ["config", "get", "registry"], { env, encoding: "utf8" }).trim();
  const host = JSON.stringify(new URL(registry).hostname);
  const server = JSON.stringify(registry.replace(/\/$/, ""));
  writeFileSync(join(folder, "yarn.lock"), "");
  writeFileSync(
    join(folder, ".yarnrc.yml"),
    `nodeLinker: pnp\nenableTelemetry: false\nenableScripts: false\nenableImmutableInstalls: false\nnpmRegistryServer: ${server}\nunsafeHttpWhitelist: [${host}]\n`,
  );
  npx(folder, "@yarnpkg/cli-dist@4.9.2", "install");
  expect(npx(folder, "@yarnpkg/cli-dist@4.9.2", "assay", "doctor")).toContain(FOUND);
});

test("publint and arethetypeswrong find nothing wrong with the package", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "types"));
  expect(npx(folder, "publint@0.3.25", "--strict", assay)).toContain("All good!");
  // It is for ESM only: what ends with an error is a problem of ESM or of a bundler.
  npx(join(folder, "types"), "@arethetypeswrong/cli@0.18.5", assay, "--profile", "esm-only");
});

const DOCKER_ARCH: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64" };
const target = { TARGETARCH: DOCKER_ARCH[process.arch] ?? process.arch };

/** What a builder would send: the files of the checkout, without those that `.dockerignore` names, and the packages of a release. */
function cleanContext(): string {
  const context = newFolder();
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  for (const file of listed.toString().split("\n")) {
    if (file === "" || ignored.includes(file.split("/")[0] ?? "") || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(context, file)), { recursive: true });
    cpSync(join(ROOT, file), join(context, file));
  }
  expect(ignored).toContain("!out/release");
  cpSync(release, join(context, "out", "release"), { recursive: true });
  return context;
}

function build(name: string, context = cleanContext()): ReadonlyMap<string, Built> {
  const stages = stagesOf(readFileSync(join(ROOT, name), "utf8"));
  const env = { ...cleanEnvironment(), ...target, npm_config_loglevel: "error" };
  return buildInFolders(stages, context, newFolder(), env);
}

test("hadolint finds nothing in the Dockerfiles", () => {
  const hadolint = join(ROOT, "tests", "system", ".venv", "bin", "hadolint");
  const { status, stdout, stderr } = spawnSync(hadolint, ["Dockerfile", "Dockerfile.cli"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});

describe("the image of runners", () => {
  let root = "";
  beforeAll(() => {
    root = build("Dockerfile").get("image")?.root ?? "";
  }, LONG_MS);

  test("holds k6 with the extension, certificates, licences, and nothing else", () => {
    const { stdout } = spawnSync(join(root, "usr/bin/k6"), ["version"], { encoding: "utf8", env: cleanEnvironment() });
    expect(stdout).toMatch(/^k6 v2\./);
    expect(stdout).toContain("k6/x/assay");
    const others = filesBelow(root).filter((name) => !name.startsWith("licenses/"));
    expect(others).toEqual(["etc/ssl/certs/ca-certificates.crt", "usr/bin/k6"]);
  });

  test("has the licence of k6, the notice of every module in it, and says where the source is", () => {
    const { stdout } = spawnSync("go", ["version", "-m", join(root, "usr/bin/k6")], { encoding: "utf8" });
    const modules = [...stdout.matchAll(/^\tdep\t(\S+)\t(\S+)/gm)].map(([, name, version]) => `${name} ${version}\n`);
    expect(modules.length).toBeGreaterThan(20);
    const notices = readFileSync(join(root, "licenses/THIRD-PARTY-NOTICES"), "utf8");
    expect(modules.filter((module) => !notices.includes(module))).toEqual([]);
    expect(readFileSync(join(root, "licenses/LICENSE"), "utf8")).toContain("GNU AFFERO GENERAL PUBLIC LICENSE");
    expect(readFileSync(join(root, "licenses/README.md"), "utf8")).toContain(`npm pack ${SOURCE_PACKAGE}@${VERSION}`);
  });
});

test.each(["Dockerfile", "Dockerfile.cli"])("%s takes no package that differs from SHA256SUMS", (name) => {
  const context = cleanContext();
  const folder = join(context, "out", "release");
  for (const file of readdirSync(folder)) if (file.includes("-linux-")) appendFileSync(join(folder, file), "x");
  expect(() => build(name, context)).toThrow(/sha256sum|FAILED/);
});

describe("the image of the command", () => {
  let stages: ReadonlyMap<string, Built>;
  beforeAll(() => {
    stages = build("Dockerfile.cli");
  }, LONG_MS);

  test("runs the command with its k6, and needs no write access to its files", () => {
    const { root = "", env = {} } = stages.get("image") ?? {};
    const program = "app/node_modules/@assay-load/assay/scripts/assay.mjs";
    const assay = (...args: readonly string[]) =>
      spawnSync(process.execPath, [join(root, program), ...args], {
        cwd: newFolder(),
        env: { ...cleanEnvironment(), ...env, PATH: "/nowhere", XDG_CACHE_HOME: newFolder(), ASSAY_K6: "" },
        encoding: "utf8",
      });
    const before = filesBelow(join(root, "app"));
    expect(assay("--version").stdout).toBe(`${VERSION}\n`);
    const { stdout, stderr, status } = assay("doctor");
    expect(stdout + stderr).toContain(`(${packageOf(THIS_PLATFORM)} ${VERSION})`);
    expect(status, stdout + stderr).toBe(0);
    expect(filesBelow(join(root, "app"))).toEqual(before);
    expect(filesBelow(join(root, "licenses/k6"))).toEqual(["LICENSE", "README.md", "THIRD-PARTY-NOTICES"]);
    expect(before.some((name) => /^node_modules\/(?:typescript|vitest)\//.test(name))).toBe(false);
  });
});

const folder = newFolder();
const modules = join(folder, "node_modules");
const installed = join(modules, "@assay-load", "assay");
const k6Package = join(modules, K6);
const k6Program = join(k6Package, programOf(process.platform));
const program = join(installed, "scripts", "assay.mjs");
/** There is no Go, and no k6 that was built before. */
const noGo = { ...cleanEnvironment(), ASSAY_API_KEY: "k", PATH: "/nowhere", XDG_CACHE_HOME: newFolder() };
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, env: noGo, encoding: "utf8" });

/** The packages that npm installs with Assay: what is for development only, such as the compiler of a checkout, is not. */
const lock = z
  .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
const dependencies = Object.entries(lock.packages)
  .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
  .map(([path]) => path);

describe("unpacked beside the packages that it depends on", () => {
  beforeAll(() => {
    for (const name of [PACKAGE, K6, SOURCE_PACKAGE]) {
      mkdirSync(join(modules, name), { recursive: true });
      execFileSync("tar", ["-xzf", join(release, packedFile(name)), "-C", join(modules, name), "--strip-components=1"]);
    }
    for (const path of dependencies.filter((path) => existsSync(join(ROOT, path)))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(ROOT, path), join(folder, path));
    }
  });

  test("it has what plain Node imports compiled, with the licences of what is part of it, and a checkout keeps nothing of that", () => {
    const compiled = join(installed, "compiled");
    expect(ENTRIES.filter((path) => !existsSync(join(compiled, path.replace(/ts$/, "js"))))).toEqual([]);
    const licences = readFileSync(join(compiled, "LICENSES.txt"), "utf8");
    for (const name of ["mockttp", "zod", "commander"]) expect(licences).toContain(`\n${name} `);
    expect(existsSync(join(ROOT, "compiled"))).toBe(false);
  });

  test("it is under Apache-2.0 as a whole, and has nothing that only a checkout runs", () => {
    expect(readFileSync(join(installed, "package.json"), "utf8")).toContain('"license": "Apache-2.0"');
    const others = ["extension", "scripts/docs", "scripts/supply-chain", "toolchain/dependencies.mjs"];
    expect(others.filter((path) => existsSync(join(installed, path)))).toEqual([]);
    expect(others.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("its program reads no source, so that each command is one compiled file with what it shares", () => {
    const { modules } = loadedModules([program, "load", "--help"]);
    expect(modules).toBeLessThan(100);
  });

  test.each([
    ["nodenext", ["--module", "nodenext"]],
    ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("a scenario type-checks in an empty project, with the globals of k6 and its modules (%s)", (name, flags) => {
    const docs = readFileSync(join(ROOT, "docs", "own-scenarios.md"), "utf8");
    const examples = [...docs.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
    expect(examples.length).toBeGreaterThan(1);
    const wrong = 'import { chat } from "@assay-load/assay/scenarios";\nchat(3);\nexport default __VU + settings;\n';
    const files = [...examples, wrong].map((code, index) => {
      const file = join(folder, `${name}-${index}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(
      process.execPath,
      [tsc, "--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", ...flags, ...files],
      { cwd: folder, encoding: "utf8" },
    );
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(
        /\(2,6\): error TS2345: Argument of type 'number' is not assignable to parameter of type 'Prompt'/,
      ),
      expect.stringMatching(/\(3,23\): error TS2304: Cannot find name 'settings'/),
    ]);
  });

  test("its help is that of a checkout", () => {
    const { status, stdout, stderr } = run("--help");
    expect([status, stderr]).toEqual([0, ""]);
    const here = spawnSync(process.execPath, [join(ROOT, "scripts", "assay.mjs"), "--help"], {
      env: noGo,
      encoding: "utf8",
    });
    expect(stdout).toBe(here.stdout);
  });

  test("it finds the k6 of the platform package, and says which package is missing", () => {
    expect(run("doctor").stdout).toContain(`${k6Program}, 2.`);
    const hidden = `${k6Package}-hidden`;
    renameSync(k6Package, hidden);
    const { status, stdout } = run("doctor");
    renameSync(hidden, k6Package);
    expect(status).toBe(3);
    expect(stdout).toContain(`${K6} is not installed; npm leaves it out with --omit=optional`);
  });

  test("it serves the mock over TLS and HTTP/2, with the bundled server", async () => {
    const mock = spawn(process.execPath, [program, "mock", "--timing", "instant", "--tls"], {
      cwd: folder,
      env: noGo,
    });
    const ended = new Promise((resolve) => mock.once("close", resolve));
    let [said, told] = ["", ""];
    mock.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
    const url = await new Promise<string>((resolve) => {
      mock.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const [, address] = /ready (\S+)/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      });
      void ended.then(() => resolve(""));
    });
    mock.kill("SIGINT");
    expect(url, said + told).toMatch(/^https:/);
    expect(await ended).toBe(0);
  });

  test("it checks a target, replays that, plans a load, and passes traffic on in a thread of its own", async () => {
    const { url } = await startMockProcess("--timing", "instant");
    const checked = run("conformance", "--target", url, "--only", "chat.*", "--out", "checked");
    expect(checked.stdout, checked.stderr).toContain("CONFORMS");
    expect(checked.status).toBe(0);
    expect(run("replay", "checked").stdout).toContain("All verdicts are unchanged.");
    expect(run("load", "chat", "--target", url, "--plan").stdout).toContain("arrivals");
    const proxy = spawn(process.execPath, [program, "proxy", "--target", url, "--out", "passed"], {
      cwd: folder,
      env: noGo,
    });
    const ended = new Promise((resolve) => proxy.once("close", resolve));
    const base = await new Promise<string>((resolve) =>
      proxy.stdout.setEncoding("utf8").on("data", (text: string) => resolve(/ready (\S+)/.exec(text)?.[1] ?? "")),
    );
    try {
      await fetch(`${base}/v1/chat/completions`, { method: "POST", body: "{}" });
    } finally {
      proxy.kill("SIGINT");
      await ended;
    }
    expect(readFileSync(join(folder, "passed", "exchanges.jsonl"), "utf8")).toContain("/v1/chat/completions");
  });

  describe("the packages of k6", () => {
    test("the source alone gives the same k6 offline, in another folder, with other settings of Go", () => {
      const source = join(modules, SOURCE_PACKAGE);
      const cache = execFileSync("go", ["env", "GOCACHE"], { encoding: "utf8" }).trim();
      const ofUser = { GOCACHE: cache, GOFLAGS: "-ldflags=-X=main.a=b", GOMODCACHE: join(folder, "modules") };
      execFileSync("sh", [join(source, "build.sh"), "k6-again"], {
        env: { ...process.env, ...ofUser, HTTPS_PROXY: "http://127.0.0.1:9" },
      });
      expect(sha256Of(join(source, "k6-again"))).toBe(sha256Of(k6Program));
    });

    test("a platform package has the licence, every notice, what was modified, and where the source is", () => {
      const text = (name: string): string => readFileSync(join(k6Package, name), "utf8");
      expect(text("LICENSE")).toContain("GNU AFFERO GENERAL PUBLIC LICENSE");
      const notices = text("THIRD-PARTY-NOTICES");
      const unnamed = goModules().filter(
        ({ name, version }) => name !== "std" && !notices.includes(`${name} ${version}\n`),
      );
      expect(unnamed).toEqual([]);
      expect(notices).toContain("Copyright 2009 The Go Authors");
      const notice = text("README.md");
      expect(notice).toMatch(
        /This is k6 v[\d.]+ .*, modified: .*\nLast modified on \d{4}-\d\d-\d\d: commit [0-9a-f]{40}/,
      );
      expect(notice).toContain(`${SOURCE_PACKAGE}@`);
      expect(spawnSync(k6Program, ["version"], { encoding: "utf8" }).stderr).toContain(SOURCE_PACKAGE);
      expect(JSON.parse(text("package.json"))).toMatchObject({
        license: "AGPL-3.0-only",
        os: [process.platform],
        cpu: [process.arch],
        preferUnplugged: true,
        assay: { sha256: sha256Of(k6Program) },
      });
      expect(text("package.json")).not.toMatch(/"(?:scripts|libc)"/);
    });

    test("are published in an order in which nothing depends on what is not there: source, k6, Assay", () => {
      const sums = readFileSync(join(release, "SHA256SUMS"), "utf8");
      const files = [SOURCE_PACKAGE, K6, PACKAGE].map(packedFile);
      expect([...sums.matchAll(/ {2}(\S+\.tgz)$/gm)].map(([, file]) => file)).toEqual(files);
      const manifest: unknown = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
      expect(manifest).toMatchObject({ optionalDependencies: { [K6]: VERSION } });
    });
  });
});
