/**
 * Gives Node what a TypeScript file of the package was compiled to, in place of its source, and the bundled packages in place of
 * whole ones: hooks of `node:module`. Plain Node.
 */

import { readFile } from "node:fs/promises";
import { BUNDLED, COMPILED, ROOT } from "./installed.mjs";

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  const bundled = context.parentURL?.startsWith(ROOT.href) ? BUNDLED[specifier] : undefined;
  if (bundled === undefined) return nextResolve(specifier, context);
  return { url: new URL(bundled.file, COMPILED).href, format: "module", shortCircuit: true };
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith(ROOT.href) || !url.endsWith(".ts")) return nextLoad(url, context);
  const compiled = new URL(url.slice(ROOT.href.length).replace(/\.ts$/, ".js"), COMPILED);
  return { format: "module", source: await readFile(compiled), shortCircuit: true };
}
