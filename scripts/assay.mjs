#!/usr/bin/env node
/** The `assay` program: prepares the packages in a fresh clone, then runs the command line, which is TypeScript. */

import { fileURLToPath } from "node:url";
import { notify } from "./cli/console.mjs";
import { ensureDependencies } from "./toolchain/dependencies.mjs";

try {
  ensureDependencies(fileURLToPath(new URL("..", import.meta.url)), { development: false });
  // Whatever this process and its children write is for this user alone: results tell of a service and of its errors.
  process.umask(0o077);
  await import("./toolchain/typescript.mjs");
  const { main } = await import("./cli/program.ts");
  await main(process.argv);
} catch (error) {
  notify(error instanceof Error ? error.message : String(error));
  process.exitCode = 3;
}
