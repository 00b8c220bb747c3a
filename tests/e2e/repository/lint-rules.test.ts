/** The rules of our own in the linter are enforced: each form of what they forbid is reported where it is planted. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../../support/commands/assay-process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");

/** Places, as `file:line`, at which the plugins of the project's linter report something in a project of these lines. */
function reported(files: Readonly<Record<string, readonly string[]>>): string[] {
  const folder = newFolder();
  for (const file of ["biome.json", "tests/lint", ".gitignore"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  for (const [file, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${lines.join("\n")}\n`);
  }
  const args = ["lint", "--max-diagnostics=none", "--colors=off", "."];
  const { stdout, stderr } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: "utf8" });
  expect(stdout + stderr).not.toContain("errored");
  return [...(stdout + stderr).matchAll(/^(\S+:\d+):\d+ plugin /gm)].map(([, place = ""]) => place).toSorted();
}

/** Each line measures time. */
const PLANTED = [
  "export const a = performance.now();",
  "export const b = globalThis.performance.now();",
  "export const c = performance?.now();",
  "export const d = performance.timeOrigin;",
  "export const { now } = performance;",
  "export const e = process.hrtime.bigint();",
  "export const f = process.hrtime();",
  "export const g = Date.now() - 1;",
  "export const h = 1 - Date.now();",
  "expect(Date.parse(x.end) - Date.parse(x.start)).toBeLessThan(20_000);",
  'expect(state.lateness.p50Ms, "late").toBeLessThanOrEqual(100);',
  "expect(tookMs).toBeLessThan(60_000);",
];

/** No line does. */
const ALLOWED = [
  "vi.setSystemTime(Date.now() + 5);",
  "at.push(Date.now());",
  "export const later = new Date(Date.now() + 20_000).toISOString();",
  "expect(Date.parse(b) - Date.parse(a)).toBeGreaterThan(240);",
  "expect(state.lateness).toMatchObject({ count: 320 });",
  "expect(size).toBeLessThan(400);",
];

test.each(["lib/planted.test.ts", "tests/e2e/load/planted.ts", "tests/support/planted.ts", "tests/faults/planted.ts"])(
  "each measurement of time in a test is reported: %s",
  (file) => {
    const lines = [...PLANTED, ...ALLOWED];
    expect(reported({ [file]: lines })).toEqual(PLANTED.map((_, line) => `${file}:${line + 1}`).toSorted());
  },
);

test("what is no test may measure time", () => {
  expect(
    reported({ "lib/source.ts": PLANTED, "bench/bench.ts": PLANTED, "tests/support/soak/soak.ts": PLANTED }),
  ).toEqual([]);
});
