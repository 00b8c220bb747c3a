#!/usr/bin/env node
/** The `assay` program: prepares the packages in a fresh clone, then runs the command line, which is TypeScript. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { printError, printJsonOnly, startError } from "../cli/console.mjs";
import { isInstalled, ROOT } from "../toolchain/installed.mjs";

/** Files that are open while the program is loaded. */
const LEAST_FILES = 96;

/** With fewer, loading fails at some file or ends without a word. Node has raised its own limit to the hard one; Linux tells it. */
function requireOpenFiles() {
  const most = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limitsOfProcess())?.[1] ?? LEAST_FILES);
  if (most >= LEAST_FILES) return;
  throw new Error(
    `Cannot start: this process may open ${most} files (ulimit -Hn), and needs ${LEAST_FILES}. Raise the limit of open files, of the service or container too.`,
  );
}

function limitsOfProcess() {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

/** What cannot be loaded is no verdict on a target, which exit code 1 would be. */
function cannotStart(/** @type {unknown} */ error) {
  printError(startError(error), "internal");
  process.exit(3);
}
process.on("uncaughtException", cannotStart);
printJsonOnly(process.argv.includes("--json"));

try {
  requireOpenFiles();
  if (!isInstalled()) {
    const { ensureDependencies } = await import("../toolchain/dependencies.mjs");
    ensureDependencies(fileURLToPath(ROOT), { development: false });
  }
  // Whatever this process and its children write is for this user alone: results tell of a service and of its errors.
  process.umask(0o077);
  const { importEntry } = await import("../toolchain/import-entry.mjs");
  /** @type {typeof import("../cli/program.ts")} */
  const { main } = await importEntry("cli/program.ts");
  process.off("uncaughtException", cannotStart);
  await main(process.argv);
} catch (error) {
  printError(startError(error), "internal");
  process.exitCode = 3;
}
