/**
 * Compiles the TypeScript of the package before it is packed, with types for scenarios of users, and with `--remove` removes
 * what was compiled: a checkout runs its sources. Plain Node.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileForPackage } from "./compile.mjs";
import { COMPILED, ROOT } from "./installed.mjs";

const root = fileURLToPath(ROOT);
const outdir = fileURLToPath(COMPILED);
rmSync(outdir, { recursive: true, force: true });

if (!process.argv.includes("--remove")) {
  writeLicences(await compileForPackage(outdir));
  writeTypes();
}

/** Writes the licences of the packages that were compiled too. @param {readonly string[]} inputs paths of all sources */
function writeLicences(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const licences = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const texts = readdirSync(join(root, folder), { withFileTypes: true })
      .filter((each) => each.isFile() && /^(?:licen[cs]e|notice|copying)/i.test(each.name))
      .map((each) => readFileSync(join(root, folder, each.name), "utf8"));
    return [`${name} ${version} (${license ?? "see its text"})`, ...texts].join("\n\n");
  });
  writeFileSync(new URL("LICENSES.txt", COMPILED), licences.join(`\n\n${"=".repeat(80)}\n\n`));
}

function writeTypes() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", fileURLToPath(new URL("scenarios/tsconfig.types.json", ROOT))], {
    // npm takes what this prints for the name of the package.
    stdio: ["ignore", 2, 2],
  });
  // The compiler copies no declarations that were written by hand, and refers to where they are.
  const handwritten = "scenarios/k6-x-assay.d.ts";
  copyFileSync(new URL(handwritten, ROOT), new URL(`types/${handwritten}`, COMPILED));
  const index = new URL("types/scenarios/index.d.ts", COMPILED);
  writeFileSync(index, readFileSync(index, "utf8").replace(`../../../${handwritten}`, "./k6-x-assay.d.ts"));
}
