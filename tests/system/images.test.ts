/** The steps of the Dockerfiles, one by one and outside a container, from a clean copy of what is under version control. */

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../scripts/cli/tool.mjs";
import { packRelease } from "../../scripts/supply-chain/assay-package.ts";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { packageOf, SOURCE_PACKAGE, THIS_PLATFORM } from "../../scripts/toolchain/platform-package.mjs";
import { cleanEnvironment, newFolder } from "../support/assay-process.ts";
import { type Built, buildInFolders, filesBelow, stagesOf } from "../support/dockerfile.ts";

/** A build of k6 without a cache takes minutes. */
const LONG_MS = 1_200_000;

const DOCKER_ARCH: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64" };
const target = { TARGETARCH: DOCKER_ARCH[process.arch] ?? process.arch };

let release = "";
beforeAll(() => {
  release = join(newFolder(), "release");
  packRelease([THIS_PLATFORM], release);
}, LONG_MS);

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
