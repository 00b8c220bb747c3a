/**
 * Compiles the TypeScript of the package before it is packed, with types for scenarios of users, and with `--remove` removes
 * what was compiled: a checkout runs its sources. Plain Node.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { BUNDLED, COMPILED, ROOT } from "./installed.mjs";

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
  for (const [specifier, { file, exports }] of Object.entries(BUNDLED)) await bundlePackage(specifier, file, exports);
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

/**
 * Bundles what is used of a package, with what that depends on, and the licences of all of it.
 * @param {string} specifier what is imported
 * @param {string} file the bundle, in the folder of compiled files
 * @param {string} exports what is exported of it
 */
async function bundlePackage(specifier, file, exports) {
  const outfile = fileURLToPath(new URL(file, COMPILED));
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: `export ${exports} from "${specifier}";`, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minifyWhitespace: true,
    legalComments: "none",
    // CommonJS within takes the modules of Node by require().
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
    charset: "utf8",
    metafile: true,
    logLevel: "error",
  });
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const licences = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const texts = readdirSync(join(root, folder), { withFileTypes: true })
      .filter((each) => each.isFile() && /^(?:licen[cs]e|notice|copying)/i.test(each.name))
      .map((each) => readFileSync(join(root, folder, each.name), "utf8"));
    return [`${name} ${version} (${license ?? "see its text"})`, ...texts].join("\n\n");
  });
  writeFileSync(`${outfile}.LICENSES.txt`, licences.join(`\n\n${"=".repeat(80)}\n\n`));
}
