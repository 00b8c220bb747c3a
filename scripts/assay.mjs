#!/usr/bin/env node
/** The `assay` program: prepares the packages in a fresh clone, then runs the command line, which is TypeScript. */

import { fileURLToPath } from "node:url";
import { notify, startError } from "./cli/console.mjs";
import { ensureDependencies } from "./toolchain/dependencies.mjs";

/** What cannot be loaded is no verdict on a target, which exit code 1 would be. */
function cannotStart(/** @type {unknown} */ error) {
  notify(startError(error));
  process.exit(3);
}
process.on("uncaughtException", cannotStart);

try {
  ensureDependencies(fileURLToPath(new URL("..", import.meta.url)), { development: false });
  // Whatever this process and its children write is for this user alone: results tell of a service and of its errors.
  process.umask(0o077);
  await import("./toolchain/typescript.mjs");
  const { main } = await import("./cli/program.ts");
  process.off("uncaughtException", cannotStart);
  await main(process.argv);
} catch (error) {
  notify(startError(error));
  process.exitCode = 3;
}
