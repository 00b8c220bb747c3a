/** The rules of who may import whom are enforced: each is shown to catch a violation that was planted for it. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../support/assay-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cruiser = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");

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

const importing = (path: string): string => `import { x } from "${path}";\nexport const y = x;\n`;
const exporting = "export const x = 1;\n";

/** A file that breaks a rule, by the rule's name. */
const planted: Readonly<Record<string, readonly [file: string, content: string]>> = {
  "contract-imports": ["contract/planted.ts", importing("../reports/x.ts")],
  "settings-imports": ["settings/planted.ts", importing("../contract/x.ts")],
  "conformance-imports": ["conformance/planted.ts", importing("../mock-server/x.ts")],
  "mock-server-imports": ["mock-server/planted.ts", importing("../conformance/x.ts")],
  "reports-imports": ["reports/planted.ts", importing("../scenarios/x.ts")],
  "scenarios-imports": ["scenarios/planted.ts", importing("../contract/x.ts")],
  "no-schemas-in-k6": ["scenarios/schemas.ts", importing("../formats/x.ts")],
  "no-node-in-k6": ["scenarios/node.ts", 'import "node:fs";\n'],
  "one-place-starts-processes": ["reports/process.ts", 'import "node:child_process";\n'],
  "not-to-unresolvable": ["scripts/nowhere.ts", importing("./nothing.ts")],
  "no-circular": ["scripts/circle.ts", importing("./circle.ts")],
  "no-test-imports": ["scripts/shipped.ts", importing("../tests/x.ts")],
};
const innocent = Object.fromEntries(
  ["contract", "formats", "conformance", "mock-server", "reports", "scenarios", "tests"].map((name) => [
    `${name}/x.ts`,
    exporting,
  ]),
);

test("each rule catches the file that breaks it", () => {
  const report = cruise({ ...innocent, ...Object.fromEntries(Object.values(planted)) });
  for (const [rule, [file]] of Object.entries(planted)) expect(report).toContain(`error ${rule}: ${file}`);
});

test("what the table allows passes", () => {
  const allowed = { "reports/a.ts": importing("../contract/x.ts"), "scripts/a.ts": importing("../mock-server/x.ts") };
  expect(cruise({ ...innocent, ...allowed })).toContain("no dependency violations found");
});
