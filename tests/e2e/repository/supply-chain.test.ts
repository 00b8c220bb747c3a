/** The bills of materials: what Assay and its k6 consist of, under which licence. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { goModules, npmPackages, ROOT } from "../../../scripts/supply-chain/components.ts";
import { licenceProblems } from "../../../scripts/supply-chain/licence-policy.ts";
import { newFolder } from "../../support/commands/assay-process.ts";
import { tableRows } from "../../support/pages/markdown-tables.ts";

const run = promisify(execFile);
const TYPESCRIPT = new URL("../../../scripts/toolchain/typescript.mjs", import.meta.url).href;
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
  // Those of GitHub, which have jobs.
  const commands = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
    .filter(([, text = ""]) => /^jobs:/m.test(text))
    .flatMap(([, text = ""]) => Object.values(Workflow.parse(parse(text)).jobs))
    .flatMap(({ steps }) => steps.flatMap(({ run: command }) => command ?? []));
  const ofNpm = commands.flatMap((command) => /^npm run (\S+)$/.exec(command)?.[1] ?? []);
  expect(ofNpm.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(scripts["audit"]).toMatch(/npm audit .*govulncheck/);
  expect(ofNpm).toEqual(expect.arrayContaining(["audit", "sbom"]));
});
