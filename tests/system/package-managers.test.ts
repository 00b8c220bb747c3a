/** The packages of a release, as package managers install them from their files and the registry, without scripts and without Go. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { PACKAGE, VERSION } from "../../scripts/cli/tool.mjs";
import { packRelease } from "../../scripts/supply-chain/assay-package.ts";
import { packageOf, THIS_PLATFORM } from "../../scripts/toolchain/platform-package.mjs";
import { cleanEnvironment, newFolder } from "../support/assay-process.ts";

/** A build of k6 without a cache takes minutes. */
const LONG_MS = 1_200_000;
/** All that is installed, without k6. */
const MOST_BYTES = 45e6;
const K6 = packageOf(THIS_PLATFORM);
const PROGRAM = join("node_modules", PACKAGE, "scripts", "assay.mjs");

let [assay, k6] = ["", ""];
beforeAll(() => {
  const packed = packRelease([THIS_PLATFORM], newFolder());
  const fileOf = (wanted: string): string => packed.find(({ name }) => name === wanted)?.file ?? "";
  [assay, k6] = [fileOf(PACKAGE), fileOf(K6)];
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
