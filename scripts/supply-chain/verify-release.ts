/** Installs packed packages in an empty folder and runs them there, without Go, as a user would. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PACKAGE } from "../../cli/tool.mjs";
import { runResult } from "../../formats/run.ts";

/**
 * Installs what was packed from the files and the registry, runs the demo of the installed program, and looks for a load with a
 * first token.
 * @param files the package of this platform's k6, and that of Assay
 * @returns how long that took, in seconds
 * @throws Error of npm, or one that says what the demo ended with
 */
export function verifyRelease(files: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), "assay-release-"));
  const started = performance.now();
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...files], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const program = join(folder, "node_modules", PACKAGE, "scripts", "assay.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "demo", "--out", "demo", "--quiet"], {
      cwd: folder,
      env: { PATH: dirname(process.execPath), HOME: folder, XDG_CACHE_HOME: join(folder, "cache") },
      encoding: "utf8",
    });
    // On a busy machine the load generator of the demo may be too slow, which is no fault of the packages.
    if (status !== 0 && status !== 2) throw new Error(`assay demo ended with exit code ${status}:\n${stdout}${stderr}`);
    const run = runResult.parse(JSON.parse(readFileSync(join(folder, "demo", "chat-stream", "run.json"), "utf8")));
    if ((run.metrics["ttft"]?.count ?? 0) === 0) throw new Error("the load of the demo measured no first token");
    return (performance.now() - started) / 1_000;
  } catch (error) {
    throw new Error(`Cannot verify the release: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
