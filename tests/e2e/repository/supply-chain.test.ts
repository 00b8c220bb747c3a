/** What k6 consists of, under which licences; the system tests read the bills of materials. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { goModules, ROOT } from "../../../scripts/supply-chain/components.ts";
import { licenceProblems } from "../../../scripts/supply-chain/licence-policy.ts";
import { tableRows } from "../../support/pages/markdown-tables.ts";

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
