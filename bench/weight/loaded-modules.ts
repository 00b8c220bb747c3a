/** What a Node program loads: its modules and their size, which is what its start costs. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The folder of this checkout, ending in a slash. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

/** Files that a program loaded, the threads of it included. */
export interface LoadedModules {
  readonly modules: number;
  /** Without the name of the checkout's folder, which compiled modules contain: the same wherever it lies. */
  readonly bytes: number;
}

/**
 * Runs a Node program to its end and counts the modules that it loaded: V8 lists them as it measures coverage.
 * @param args the arguments of `node`
 * @throws Error when it ends with an exit code other than 0
 */
export function loadedModules(args: readonly string[]): LoadedModules {
  const folder = mkdtempSync(join(tmpdir(), "assay-modules-"));
  try {
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0) throw new Error(`Cannot count the modules of node ${args.join(" ")}: ${stderr}`);
    const files = new Set(readdirSync(folder).flatMap((name) => filesIn(join(folder, name))));
    return { modules: files.size, bytes: [...files].reduce((sum, file) => sum + sizeOf(file), 0) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that a report on coverage lists; a module that is imported with a query is the same file. */
function filesIn(report: string): string[] {
  const { result } = coverage.parse(JSON.parse(readFileSync(report, "utf8")));
  return result
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => fileURLToPath(url.replace(/[?#].*$/, "")));
}

const sizeOf = (file: string): number => Buffer.byteLength(readFileSync(file, "utf8").replaceAll(ROOT, ""));
