/** Gives Node what a TypeScript file of the package was compiled to, in place of its source: hooks of `node:module`. Plain Node. */

import { readFile } from "node:fs/promises";
import { COMPILED, ROOT } from "./installed.mjs";

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith(ROOT.href) || !url.endsWith(".ts")) return nextLoad(url, context);
  const compiled = new URL(url.slice(ROOT.href.length).replace(/\.ts$/, ".js"), COMPILED);
  return { format: "module", source: await readFile(compiled), shortCircuit: true };
}
