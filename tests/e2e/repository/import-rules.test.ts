/** The import rules are enforced: each of them reports a violation that is planted for it. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { newFolder } from "../../support/commands/assay-process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const cruiser = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
const { forbidden: rules } = z
  .object({
    forbidden: z.array(
      z.object({ name: z.string(), to: z.object({ path: z.unknown().optional(), pathNot: z.unknown().optional() }) }),
    ),
  })
  .parse(createRequire(import.meta.url)("../../../.dependency-cruiser.cjs"));

/** Runs the project's rules on a project that consists of these files. */
function cruise(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json"]) cpSync(join(root, file), join(folder, file));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  const folders = [...new Set(Object.keys(files).map((file) => file.split("/")[0] ?? ""))];
  const { stdout, stderr } = spawnSync(process.execPath, [cruiser, ...folders, "--config"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return stdout + stderr;
}

/** A file and what it imports: a file of ours or a module of Node. */
type Import = readonly [file: string, imported: string];

const pathBetween = (file: string, imported: string): string => {
  const path = relative(dirname(file), imported);
  return path.startsWith(".") ? path : `./${path}`;
};

/** The content of a file that imports another. */
const importing = ([file, imported]: Import): string =>
  `import { x } from "${imported.endsWith(".ts") ? pathBetween(file, imported) : imported}";\nexport const y = x;\n`;

/** A project of these imports; what is imported exists. */
const project = (imports: readonly Import[]): Record<string, string> => ({
  ...Object.fromEntries(
    imports
      .filter(([, imported]) => imported.endsWith("/x.ts"))
      .map(([, imported]) => [imported, "export const x = 1;\n"]),
  ),
  ...Object.fromEntries(imports.map((one) => [one[0], importing(one)])),
});

/** An import that breaks each rule. */
const PLANTED: Readonly<Record<string, Import>> = {
  "lib-imports": ["lib/planted.ts", "contract/x.ts"],
  "contract-imports": ["contract/planted.ts", "formats/x.ts"],
  "formats-imports": ["formats/planted.ts", "conformance/x.ts"],
  "load-imports": ["load/planted.ts", "formats/x.ts"],
  "load-inputs-imports": ["load/inputs/planted.ts", "load/rules/x.ts"],
  "load-objectives-imports": ["load/objectives/planted.ts", "load/rules/x.ts"],
  "load-rules-imports": ["load/rules/planted.ts", "load/shape/x.ts"],
  "load-shape-imports": ["load/shape/planted.ts", "load/read/x.ts"],
  "load-read-imports": ["load/read/planted.ts", "load/x.ts"],
  "scenarios-from-outside": ["scripts/outside.ts", "scenarios/x.ts"],
  "settings-imports": ["settings/planted.ts", "formats/x.ts"],
  "conformance-imports": ["conformance/planted.ts", "mock-server/x.ts"],
  "route-imports": ["route/planted.ts", "conformance/x.ts"],
  "proxy-imports": ["proxy/planted.ts", "conformance/x.ts"],
  "mock-server-imports": ["mock-server/planted.ts", "conformance/x.ts"],
  "reports-imports": ["reports/planted.ts", "scenarios/x.ts"],
  "scenarios-imports": ["scenarios/planted.ts", "contract/x.ts"],
  "once-per-process": ["scenarios/steps/planted.ts", "scenarios/process/x.ts"],
  "conformance-model-imports": ["conformance/model/planted.ts", "conformance/judges/x.ts"],
  "conformance-judges-imports": ["conformance/judges/planted.ts", "conformance/probes/x.ts"],
  "conformance-probes-imports": ["conformance/probes/planted.ts", "conformance/clauses/x.ts"],
  "conformance-builders-imports": ["conformance/builders/planted.ts", "conformance/clauses/x.ts"],
  "conformance-clauses-imports": ["conformance/clauses/planted.ts", "conformance/engine/x.ts"],
  "conformance-engine-imports": ["conformance/engine/planted.ts", "conformance/x.ts"],
  "mock-server-base-imports": ["mock-server/base/planted.ts", "mock-server/timing/x.ts"],
  "mock-server-timing-imports": ["mock-server/timing/planted.ts", "mock-server/variants/x.ts"],
  "mock-server-variants-imports": ["mock-server/variants/planted.ts", "mock-server/service/x.ts"],
  "mock-server-service-imports": ["mock-server/service/planted.ts", "mock-server/http/x.ts"],
  "mock-server-http-imports": ["mock-server/http/planted.ts", "mock-server/x.ts"],
  "reports-load-stats-imports": ["reports/load/stats/planted.ts", "reports/load/read/x.ts"],
  "reports-load-read-imports": ["reports/load/read/planted.ts", "reports/load/metrics/x.ts"],
  "reports-load-metrics-imports": ["reports/load/metrics/planted.ts", "reports/load/validity/x.ts"],
  "reports-load-validity-imports": ["reports/load/validity/planted.ts", "reports/load/views/x.ts"],
  "reports-load-views-imports": ["reports/load/views/planted.ts", "reports/load/x.ts"],
  "cli-imports": ["cli/planted.ts", "toolchain/x.ts"],
  "toolchain-imports": ["toolchain/planted.ts", "runs/views/x.ts"],
  "runs-imports": ["runs/planted.ts", "mock-server/x.ts"],
  "runs-tasks-imports": ["runs/tasks/planted.ts", "runs/load/x.ts"],
  "runs-views-imports": ["runs/views/planted.ts", "runs/load/x.ts"],
  "one-report-per-result": ["reports/conformance/planted.ts", "reports/load/x.ts"],
  "no-command-imports": ["runs/load/planted.ts", "scripts/commands/x.ts"],
  "no-schemas-in-k6": ["scenarios/schema.ts", "formats/x.ts"],
  "no-node-in-k6": ["scenarios/node.ts", "node:fs"],
  "one-http-client": ["conformance/engine/request.ts", "undici"],
  "one-place-starts-processes": ["reports/process.ts", "node:child_process"],
  "no-circular": ["scripts/circle.ts", "scripts/circle.ts"],
  "not-to-unresolvable": ["scripts/nowhere.ts", "scripts/nothing.ts"],
  "no-test-imports": ["scripts/shipped.ts", "bench/x.ts"],
};

test("every rule reports the import that breaks it", () => {
  expect(Object.keys(PLANTED).toSorted()).toEqual(rules.map(({ name }) => name).toSorted());
  const report = cruise({
    ...project(Object.values(PLANTED)),
    "node_modules/undici/index.js": "export const x = 1;\n",
  });
  for (const [rule, [file]] of Object.entries(PLANTED)) expect(report).toContain(`error ${rule}: ${file}`);
});

test("no folder may import from its own floor or a higher one, as CONTRIBUTING draws them", () => {
  const drawing = /^scripts → .*$/m.exec(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"))?.[0] ?? "";
  const floors = drawing.split(" → ").map((floor) => floor.split(", "));
  const floorOf = (folder: string): number => floors.findIndex((floor) => floor.includes(folder));
  const climbing = floors.flat().flatMap((folder) => {
    const allowed = String(rules.find(({ name }) => name === `${folder}-imports`)?.to.pathNot);
    const folders = [...allowed.matchAll(/[(|]([a-z-]+)\//g)].map(([, each = ""]) => each);
    return folders.filter((each) => each !== folder && floorOf(each) <= floorOf(folder)).map((each) => [folder, each]);
  });
  const shipped = /^\^\((.*)\)\/$/.exec(String(rules.find(({ name }) => name === "lib-imports")?.to.path))?.[1];
  expect(floors.flat().toSorted()).toEqual(shipped?.split("|").toSorted());
  expect(climbing).toEqual([]);
});

test("allowed imports pass", () => {
  const allowed: readonly Import[] = [
    ["contract/a.ts", "lib/x.ts"],
    ["formats/a.ts", "contract/x.ts"],
    ["load/rules/a.ts", "settings/load/x.ts"],
    ["conformance/engine/a.ts", "conformance/clauses/x.ts"],
    ["mock-server/http/a.ts", "mock-server/service/x.ts"],
    ["reports/load/views/a.ts", "reports/load/metrics/x.ts"],
    ["reports/a.ts", "formats/x.ts"],
    ["scripts/commands/a.ts", "mock-server/x.ts"],
    ["bench/a.ts", "runs/load/x.ts"],
  ];
  expect(cruise(project(allowed))).toContain("no dependency violations found");
});
