/** Installs the packages when they are missing or older than the lockfile. Plain Node, no dependency. */

import { spawnSync } from "node:child_process";
import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { notify } from "../cli/console.mjs";

const modified = (/** @type {string} */ file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/**
 * True when `npm ci` has to run. An installed package carries no lockfile: its dependencies came with it. A linked
 * node_modules belongs to another folder, and `npm ci` would empty it.
 * @param {string} root folder of the project
 */
export function dependenciesAreStale(root) {
  const lockfile = modified(join(root, "package-lock.json"));
  const linked = lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (lockfile === undefined || linked) return false;
  const installed = modified(join(root, "node_modules", ".package-lock.json"));
  return installed === undefined || installed < lockfile;
}

/**
 * Runs `npm ci` if it is needed.
 * @param {string} root folder of the project
 * @throws Error that says what npm ended with
 */
export function ensureDependencies(root) {
  if (!dependenciesAreStale(root)) return;
  notify("Installing packages (npm ci) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, error } = spawnSync(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (error)
    throw new Error(`Cannot install packages: npm did not start (${error.message}). Install npm and try again.`);
  if (status !== 0) {
    throw new Error(
      `Cannot install packages: "npm ci" in ${root} ended with exit code ${status}. Its output is above.`,
    );
  }
}
