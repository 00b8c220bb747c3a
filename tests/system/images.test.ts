/** The steps of the Dockerfiles, one by one and outside a container, from a clean copy of what is under version control. */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { licencesOf, ROOT } from "../../scripts/supply-chain/components.ts";
import { SOURCE_PACKAGE } from "../../scripts/toolchain/platform-package.mjs";
import { cleanEnvironment, newFolder } from "../support/assay-process.ts";
import { type Built, buildInFolders, filesBelow, stagesOf } from "../support/dockerfile.ts";

/** A build of k6 without a cache takes minutes. */
const LONG_MS = 1_200_000;

const GO_ARCH: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64" };
const target = { TARGETOS: process.platform, TARGETARCH: GO_ARCH[process.arch] ?? process.arch };

/** What a builder would send: the files of the checkout, without those that `.dockerignore` names. */
function cleanContext(): string {
  const context = newFolder();
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  for (const file of listed.toString().split("\n")) {
    if (file === "" || ignored.includes(file.split("/")[0] ?? "") || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(context, file)), { recursive: true });
    cpSync(join(ROOT, file), join(context, file));
  }
  return context;
}

function build(name: string): ReadonlyMap<string, Built> {
  const stages = stagesOf(readFileSync(join(ROOT, name), "utf8"));
  const env = { ...cleanEnvironment(), ...target, npm_config_loglevel: "error" };
  return buildInFolders(stages, cleanContext(), newFolder(), env);
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

  test("has the licence of every module in the binary", () => {
    const { stdout } = spawnSync("go", ["version", "-m", join(root, "usr/bin/k6")], { encoding: "utf8" });
    const modules = [...stdout.matchAll(/^\tdep\t(\S+)/gm)].map(([, name = ""]) => name);
    expect(modules.length).toBeGreaterThan(20);
    const without = modules.filter((name) => {
      const folder = join(root, "licenses", name);
      const hasNone = !existsSync(folder) || filesBelow(folder).length === 0;
      return hasNone && licencesOf(name, []).length === 0;
    });
    expect(without).toEqual([]);
    expect(statSync(join(root, "licenses/LICENSE")).size).toBeGreaterThan(10_000);
    expect(readFileSync(join(root, "licenses/SOURCE"), "utf8")).toContain(SOURCE_PACKAGE);
  });
});

describe("the image of the command", () => {
  let stages: ReadonlyMap<string, Built>;
  beforeAll(() => {
    stages = build("Dockerfile.cli");
  }, LONG_MS);

  test("runs the command with its k6, and needs no write access to its files", () => {
    const { root = "", env = {} } = stages.get("image") ?? {};
    const assay = (...args: readonly string[]) =>
      spawnSync(process.execPath, [join(root, "app/scripts/assay.mjs"), ...args], {
        cwd: newFolder(),
        env: { ...cleanEnvironment(), XDG_CACHE_HOME: newFolder(), ASSAY_K6: join(root, env["ASSAY_K6"] ?? "") },
        encoding: "utf8",
      });
    const before = filesBelow(join(root, "app"));
    expect(assay("--version").stdout).toMatch(/^\d+\.\d+\.\d+/);
    const { stdout, stderr } = assay("doctor");
    expect(stdout + stderr).toContain("(ASSAY_K6)");
    expect(filesBelow(join(root, "app"))).toEqual(before);
    expect(before.some((name) => name.startsWith("node_modules/typescript/"))).toBe(false);
  });
});
