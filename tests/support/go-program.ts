/** Builds a Go program of the system tests. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { GO_ENVIRONMENT } from "../../toolchain/platform-package.mjs";

/** @param name of its folder in tests/system; @param into the folder that gets the program */
export async function buildGoProgram(name: string, into: string): Promise<string> {
  const program = join(into, name);
  const cwd = fileURLToPath(new URL(`../system/${name}`, import.meta.url));
  // As the check of the code compiles it: the modules that it needs are compiled once.
  const env = { ...process.env, ...GO_ENVIRONMENT };
  await promisify(execFile)("go", ["build", "-trimpath", "-buildvcs=false", "-o", program, "."], { cwd, env });
  return program;
}
