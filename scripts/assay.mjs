#!/usr/bin/env node
/** The `assay` program: prepares the packages in a fresh clone, then runs the command line, which is TypeScript. */

import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./toolchain/dependencies.mjs";

try {
  ensureDependencies(fileURLToPath(new URL("..", import.meta.url)));
  const { register } = await import("tsx/esm/api");
  register();
  const { main } = await import("./cli/program.ts");
  await main(process.argv);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 3;
}
