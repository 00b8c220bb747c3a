/**
 * Lets Node import TypeScript. A package has it compiled; in a checkout tsx compiles it. tsx
 * keeps what it compiled in the folder for temporary files, which all users share: whoever creates it first could put code
 * of their own there. Here it is a folder that only this user can write to, and where there is none, nothing is kept. Plain
 * Node, and a module for `node --import`.
 */

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./find-k6.mjs";
import { COMPILED, isInstalled, ROOT } from "./installed.mjs";

/** The variables from which Node takes the folder for temporary files. */
const VARIABLES = ["TMPDIR", "TMP", "TEMP"];

/** A folder in the user's cache that nobody else can write to; undefined when that cannot be had. */
export function privateFolder(/** @type {NodeJS.ProcessEnv} */ env) {
  const folder = join(cacheFolder(env), "compiled");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}

async function registerTsx() {
  const folder = privateFolder(process.env);
  const changed = folder === undefined ? ["TSX_DISABLE_CACHE"] : VARIABLES;
  const before = changed.map((name) => /** @type {const} */ ([name, process.env[name]]));
  for (const name of changed) process.env[name] = folder ?? "1";
  // tsx reads the variables while it is loaded, and so does its own thread while it starts.
  const tsx = await import("tsx/esm/api");
  tsx.register();
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

if (!isInstalled()) await registerTsx();

/**
 * Imports a module of the program: what it was compiled to, or its source.
 * @param {string} path one of `ENTRIES`
 */
export const importEntry = (path) =>
  import(isInstalled() ? new URL(path.replace(/\.ts$/, ".js"), COMPILED).href : new URL(path, ROOT).href);
