/**
 * Installs the packages and builds k6 if they are missing. Plain Node, so that it runs on a fresh clone.
 * `--packages`: the packages only.
 */

import { fileURLToPath } from "node:url";
import { notify } from "../cli/console.mjs";
import { ensureDependencies } from "../toolchain/dependencies.mjs";
import { ensureK6 } from "../toolchain/find-k6.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

try {
  ensureDependencies(root, { development: true });
  if (!process.argv.includes("--packages")) await ensureK6();
} catch (error) {
  notify(error instanceof Error ? error.message : String(error));
  process.exitCode = 3;
}
