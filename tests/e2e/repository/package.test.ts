/** Assay as a package: packed, and installed beside the packages that it depends on, it runs without a TypeScript compiler. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { loadedModules } from "../../../bench/weight/loaded-modules.ts";
import { VERSION } from "../../../scripts/cli/tool.mjs";
import { packRelease } from "../../../scripts/supply-chain/assay-package.ts";
import { goModules, ROOT } from "../../../scripts/supply-chain/components.ts";
import type { Packed } from "../../../scripts/supply-chain/k6-packages.ts";
import { sha256Of } from "../../../scripts/toolchain/find-k6.mjs";
import { ENTRIES } from "../../../scripts/toolchain/installed.mjs";
import { packageOf, programOf, SOURCE_PACKAGE, THIS_PLATFORM } from "../../../scripts/toolchain/platform-package.mjs";
import { cleanEnvironment, newFolder } from "../../support/commands/assay-process.ts";
import { resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const folder = newFolder();
const modules = join(folder, "node_modules");
const installed = join(modules, "@assay-load", "assay");
const k6Package = join(modules, packageOf(THIS_PLATFORM));
const k6Program = join(k6Package, programOf(process.platform));
let packed: readonly Packed[] = [];
const env = { ...cleanEnvironment(), ASSAY_API_KEY: "k", npm_config_loglevel: "error" };

/** The packages that npm installs with Assay: what is for development only, such as the compiler of a checkout, is not. */
const lock = z
  .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
const dependencies = Object.entries(lock.packages)
  .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
  .map(([path]) => path);

beforeAll(() => {
  packed = packRelease([THIS_PLATFORM], join(folder, "packed"));
  for (const { name } of packed) unpack(name, join(modules, name));
  for (const path of dependencies.filter((path) => existsSync(join(ROOT, path)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
});

function unpack(name: string, to: string): void {
  const { file = "" } = packed.find((each) => each.name === name) ?? {};
  mkdirSync(to, { recursive: true });
  execFileSync("tar", ["-xzf", file, "-C", to, "--strip-components=1"]);
}

const program = join(installed, "scripts", "assay.mjs");
/** There is no Go, and no k6 that was built before. */
const withoutGo = { ...env, PATH: "/nowhere", XDG_CACHE_HOME: newFolder() };
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, env: withoutGo, encoding: "utf8" });

test("it has what plain Node imports compiled, with the licences of what is part of it, and a checkout keeps nothing of that", () => {
  const compiled = join(installed, "compiled");
  expect(ENTRIES.filter((path) => !existsSync(join(compiled, path.replace(/ts$/, "js"))))).toEqual([]);
  const licences = readFileSync(join(compiled, "LICENSES.txt"), "utf8");
  for (const name of ["echarts", "mockttp", "zod", "commander"]) expect(licences).toContain(`\n${name} `);
  expect(existsSync(join(ROOT, "compiled"))).toBe(false);
});

test("it is under Apache-2.0 as a whole, and has nothing that only a checkout runs", () => {
  expect(readFileSync(join(installed, "package.json"), "utf8")).toContain('"license": "Apache-2.0"');
  const others = ["scenarios/extension", "scripts/docs", "scripts/supply-chain", "scripts/toolchain/dependencies.mjs"];
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
  const here = spawnSync(process.execPath, [join(ROOT, "scripts", "assay.mjs"), "--help"], { env, encoding: "utf8" });
  expect(stdout).toBe(here.stdout);
});

test("it loads with the k6 of the platform package and measures first tokens, without Go", async () => {
  const { url } = await startMockProcess("--timing", "fast");
  const load = ["--duration", "2s", "--warmup", "0", "--rate", "10", "--set", "no-default-slos", "--slo", "ok>=1"];
  const { status, stdout, stderr } = run("load", "chat-stream", "--target", url, "--out", "loaded", ...load);
  expect([0, 2], stdout + stderr).toContain(status);
  expect(resultOf(join(folder, "loaded")).metrics["ttft"]?.count).toBe(20);
  expect(run("doctor").stdout).toContain(`${k6Program}, 2.`);
});

test("it says which package of k6 is missing", () => {
  const hidden = `${k6Package}-hidden`;
  renameSync(k6Package, hidden);
  const { status, stdout } = run("doctor");
  renameSync(hidden, k6Package);
  expect(status).toBe(3);
  expect(stdout).toContain(`${packageOf(THIS_PLATFORM)} is not installed; npm leaves it out with --omit=optional`);
});

test("it serves the mock over TLS and HTTP/2, with the bundled server", async () => {
  const mock = spawn(process.execPath, [program, "mock", "--timing", "instant", "--tls"], {
    cwd: folder,
    env: withoutGo,
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
  const proxy = spawn(process.execPath, [program, "proxy", "--target", url, "--out", "passed"], { cwd: folder, env });
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
    const names = packed.map(({ name }) => name);
    expect(names).toEqual([SOURCE_PACKAGE, packageOf(THIS_PLATFORM), "@assay-load/assay"]);
    const manifest: unknown = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ optionalDependencies: { [packageOf(THIS_PLATFORM)]: VERSION } });
  });
});
