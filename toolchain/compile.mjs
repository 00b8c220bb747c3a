/** Compiles the TypeScript that plain Node imports: for a package, and for a checkout when its sources have changed. Plain Node. */

import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { ENTRIES, ROOT } from "./installed.mjs";

const root = fileURLToPath(ROOT);

/** For a package, wherever it is installed: what it imports of other packages is part of it, but for its dependencies. */
export const compileForPackage = (/** @type {string} */ outdir) =>
  compile(outdir, 'import.meta.url.slice(0,import.meta.url.lastIndexOf("/compiled/")+1)', {
    external: ["esbuild", "@duckdb/node-api"],
    minifyWhitespace: true,
    logLevel: "error",
    legalComments: "none",
  });

/** For this checkout alone, in any folder: other packages are imported from where they are installed. */
export async function compileForCheckout(/** @type {string} */ outdir) {
  const inputs = await compile(
    outdir,
    JSON.stringify(ROOT.href),
    { sourcemap: true, sourcesContent: false, logLevel: "silent" },
    [{ name: "installed-packages", setup: keepPackages }],
  );
  await stop();
  return inputs;
}

/**
 * Compiles `ENTRIES`: a file for each, others for what they load on demand or have in common, since few files load fast.
 * @param {string} outdir the folder of the compiled files
 * @param {string} packageRoot a JavaScript expression of the address of `ROOT`, for each of these files
 * @param {import("esbuild").BuildOptions} options
 * @param {readonly import("esbuild").Plugin[]} plugins
 * @returns {Promise<string[]>} the paths of all sources, from `ROOT`
 */
async function compile(outdir, packageRoot, options, plugins = []) {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outbase: ".",
    outdir,
    bundle: true,
    splitting: true,
    plugins: [...plugins, { name: "paths-of-sources", setup: keepPaths }],
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    target: "node20.19",
    // CommonJS within takes the modules of Node by require().
    banner: {
      js: `import{createRequire as newRequire}from"node:module";const require=newRequire(import.meta.url);const packageRoot=${packageRoot};`,
    },
    charset: "utf8",
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/**
 * Compiled files are elsewhere than their sources, beside which they look for others: each keeps the address of its source.
 * @param {import("esbuild").PluginBuild} build
 */
function keepPaths({ onLoad }) {
  onLoad({ filter: /\.(?:ts|mjs)$/ }, ({ path }) => {
    if (path.includes("node_modules")) return undefined;
    const address = `(packageRoot+${JSON.stringify(relative(root, path))})`;
    const contents = readFileSync(path, "utf8").replaceAll("import.meta.url", address);
    return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
  });
}

/** @param {import("esbuild").PluginBuild} build */
function keepPackages({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === "entry-point" || isBuiltin(path) ? undefined : { path: import.meta.resolve(path), external: true },
  );
}
