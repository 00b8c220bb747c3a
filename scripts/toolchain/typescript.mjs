/**
 * Lets Node import TypeScript, with `node --import`, for benchmarks and other scripts of a checkout: the program itself is compiled
 * (`import-entry.mjs`). tsx keeps what it compiled in the folder for temporary files, which all users share: whoever creates it first
 * could put code of their own there. Here it is a folder that only this user can write to, and where there is none, nothing is kept.
 * Plain Node.
 */

import { privateFolder } from "./import-entry.mjs";

/** The variables from which Node takes the folder for temporary files. */
const VARIABLES = ["TMPDIR", "TMP", "TEMP"];

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

await registerTsx();
