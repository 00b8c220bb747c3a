/**
 * Compiles the TypeScript of the package before it is packed, with types for scenarios of users, and with `--remove` removes
 * what was compiled: a checkout runs its sources. Plain Node.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { COMPILED, ROOT } from "./installed.mjs";

const root = fileURLToPath(ROOT);
const outdir = fileURLToPath(COMPILED);
rmSync(outdir, { recursive: true, force: true });

if (!process.argv.includes("--remove")) {
  /** @type {{ files: string[] }} */
  const { files } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  const folders = files.filter((name) => /^[\w-]+$/.test(name) && name !== "LICENSE");
  await build({
    absWorkingDir: root,
    entryPoints: folders.map((folder) => `${folder}/**/*.ts`),
    outbase: ".",
    outdir,
    // Each file on its own: paths, and what is loaded when, stay as they are in a checkout.
    bundle: false,
    format: "esm",
    platform: "node",
    target: "node20.19",
    charset: "utf8",
    logLevel: "error",
  });
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
