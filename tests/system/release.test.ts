/**
 * What is made of a release: as package managers install its packages from their files and the registry, without scripts and without
 * Go; and the steps of the Dockerfiles, one by one and outside a container, from a clean copy of what is under version control.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { PACKAGE, VERSION } from "../../scripts/cli/tool.mjs";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { packageOf, SOURCE_PACKAGE, THIS_PLATFORM } from "../../scripts/toolchain/platform-package.mjs";
import { cleanEnvironment, newFolder } from "../support/commands/assay-process.ts";
import { type Built, buildInFolders, filesBelow, stagesOf } from "../support/pages/dockerfile.ts";

/** A build of k6 without a cache takes minutes. */
const LONG_MS = 1_200_000;
/** All that is installed, without k6. */
const MOST_BYTES = 45e6;
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

test("npm, without scripts: k6 of the platform package is found, and it is less than 45 MB without k6", () => {
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
