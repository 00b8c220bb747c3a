/** The k6 binary and the bills of materials: what is in them, under which licence, and that a build can be repeated. */

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { goModules, npmPackages, ROOT } from "../../scripts/supply-chain/components.ts";
import { packK6 } from "../../scripts/supply-chain/k6-packages.ts";
import { licenceProblems } from "../../scripts/supply-chain/licence-policy.ts";
import { sha256Of } from "../../scripts/toolchain/find-k6.mjs";
import { packageOf, programOf, SOURCE_PACKAGE, THIS_PLATFORM } from "../../scripts/toolchain/platform-package.mjs";
import { newFolder } from "../support/assay-process.ts";
import { tableRows } from "../support/markdown-tables.ts";

const run = promisify(execFile);
const TYPESCRIPT = new URL("../../scripts/toolchain/typescript.mjs", import.meta.url).href;
let modules: ReturnType<typeof goModules>;
beforeAll(() => {
  modules = goModules();
});

test("every Go module in k6 has a licence that is allowed", () => {
  expect(modules.length).toBeGreaterThan(50);
  expect(licenceProblems(modules)).toEqual([]);
});

test("docs/dependencies.md states the licences of the Go modules that the extension uses", () => {
  const page = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");
  const stated = tableRows(page, ["dependency", "part", "licence"]).filter(({ part }) => part === "k6");
  const found = new Map(modules.map(({ name, licences }) => [name, licences.join(", ")]));
  for (const { dependency, licence } of stated) {
    expect([dependency, licence]).toEqual([dependency, found.get(dependency ?? "")]);
  }
});

describe("the packages of k6", () => {
  const folder = newFolder();
  const unpacked = (name: string): string => {
    const to = join(folder, name);
    const { file } = packed.find((each) => each.name === name) ?? { file: "" };
    mkdirSync(to, { recursive: true });
    execFileSync("tar", ["-xzf", file, "-C", to, "--strip-components=1"]);
    return to;
  };
  let packed: ReturnType<typeof packK6>;
  let own = "";
  beforeAll(() => {
    packed = packK6([THIS_PLATFORM], join(folder, "packed"));
    own = unpacked(packageOf(THIS_PLATFORM));
  });

  test("the source alone gives the same k6 offline, in another folder, with other settings of Go", async () => {
    const source = unpacked(SOURCE_PACKAGE);
    const { stdout: compiled } = await run("go", ["env", "GOCACHE"]);
    const ofUser = { GOCACHE: compiled.trim(), GOFLAGS: "-ldflags=-X=main.a=b", GOMODCACHE: join(folder, "modules") };
    const env = { ...process.env, ...ofUser, HTTPS_PROXY: "http://127.0.0.1:9" };
    await run("sh", [join(source, "build.sh"), "k6-again"], { env });
    expect(sha256Of(join(source, "k6-again"))).toBe(sha256Of(join(own, programOf(process.platform))));
  });

  test("a platform package has the licence, every notice, what was modified, and where the source is", async () => {
    const text = (name: string): string => readFileSync(join(own, name), "utf8");
    expect(text("LICENSE")).toContain("GNU AFFERO GENERAL PUBLIC LICENSE");
    const notices = text("THIRD-PARTY-NOTICES");
    const named = modules.filter(({ name, version }) => name !== "std" && !notices.includes(`${name} ${version}\n`));
    expect(named).toEqual([]);
    expect(notices).toContain("Copyright 2009 The Go Authors");
    const notice = text("README.md");
    expect(notice).toMatch(
      /This is k6 v[\d.]+ .*, modified: .*\nLast modified on \d{4}-\d\d-\d\d: commit [0-9a-f]{40}/,
    );
    expect(notice).toContain(`${SOURCE_PACKAGE}@`);
    const { stderr } = await run(join(own, programOf(process.platform)), ["version"]);
    expect(stderr).toContain(SOURCE_PACKAGE);
    expect(JSON.parse(text("package.json"))).toMatchObject({
      license: "AGPL-3.0-only",
      os: [process.platform],
      cpu: [process.arch],
      preferUnplugged: true,
      assay: { sha256: sha256Of(join(own, programOf(process.platform))) },
    });
    expect(text("package.json")).not.toMatch(/"(?:scripts|libc)"/);
  });

  test("the source comes first, so that no k6 is published without it", () => {
    expect(packed.map(({ name }) => name)).toEqual([SOURCE_PACKAGE, packageOf(THIS_PLATFORM)]);
  });
});

const Bill = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(
    z.object({ name: z.string(), version: z.string(), purl: z.string(), licenses: z.array(z.unknown()).min(1) }),
  ),
});

test("npm run sbom writes every package and every module, each with its licence", async () => {
  const folder = newFolder();
  await run(process.execPath, ["--import", TYPESCRIPT, join(ROOT, "scripts/supply-chain/write-bills.ts"), folder], {
    cwd: ROOT,
  });
  const named = (file: string): string[] => {
    const { components } = Bill.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    return components.map(({ name, version }) => `${name}@${version}`);
  };
  const all = (components: ReturnType<typeof goModules>): string[] => [
    ...new Set(components.map(({ name, version }) => `${name}@${version}`)),
  ];
  expect(named("assay-npm.cdx.json").sort()).toEqual(all(npmPackages()).sort());
  expect(named("assay-k6.cdx.json").sort()).toEqual(all(modules).sort());
});

test("the CI examples run what package.json and the commands offer, npm audit and govulncheck among it", () => {
  const page = readFileSync(join(ROOT, "docs/ci.md"), "utf8");
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const Workflow = z.object({
    jobs: z.record(z.string(), z.object({ steps: z.array(z.object({ run: z.string().optional() })) })),
  });
  const commands = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
    .flatMap(([, text = ""]) => Object.values(Workflow.parse(parse(text)).jobs))
    .flatMap(({ steps }) => steps.flatMap(({ run: command }) => command ?? []));
  const ofNpm = commands.flatMap((command) => /^npm run (\S+)$/.exec(command)?.[1] ?? []);
  expect(ofNpm.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(scripts["audit"]).toMatch(/npm audit .*govulncheck/);
  expect(ofNpm).toEqual(expect.arrayContaining(["audit", "sbom"]));
});
