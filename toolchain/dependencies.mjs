/** Installs the packages when they are missing or not those of the lockfile. Plain Node, no dependency. */

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { notify } from "../cli/console.mjs";
import { toolEnvironment } from "../cli/tool-environment.mjs";

/** What npm reads to install the same packages in another folder. */
const INSTALLED_FROM = ["package.json", "package-lock.json", ".npmrc"];

/**
 * An entry of a lockfile. npm leaves out optional packages of other platforms, which is no reason to install again.
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean }} Locked
 */

/**
 * The packages of a lockfile by their folder, without the project itself; undefined without the file or when it is damaged.
 * @returns {Map<string, Locked> | undefined}
 */
function lockedPackages(/** @type {string} */ file) {
  try {
    const { packages } = JSON.parse(readFileSync(file, "utf8"));
    return new Map(Object.entries(packages).filter(([folder]) => folder !== ""));
  } catch {
    return undefined;
  }
}

/**
 * True when `npm ci` has to run: npm's own list of what it installed differs from the lockfile. Times of files say
 * nothing, since a checkout or a copy changes them. An installed package carries no lockfile: its dependencies came with
 * it. A linked node_modules belongs to another folder.
 * @param {string} root folder of the project
 * @param {{ development: boolean }} wanted whether the packages for tests and checks are needed as well
 */
export function dependenciesAreStale(root, { development }) {
  const linked = lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const locked = lockedPackages(join(root, "package-lock.json"));
  if (locked === undefined || linked) return false;
  const installed = lockedPackages(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return true;
  return [...locked].some(([folder, { version, integrity, dev, optional, devOptional }]) => {
    const found = installed.get(folder);
    if (found === undefined) return !optional && !devOptional && (development || !dev);
    return found.version !== version || found.integrity !== integrity;
  });
}

/**
 * Runs `npm ci` if it is needed: in a folder beside, whose node_modules then takes the place of the present one, so that
 * commands that run at the same time never see half of it. A node_modules that cannot be moved is installed into.
 * @param {string} root folder of the project
 * @param {{ development: boolean }} wanted whether the packages for tests and checks are needed as well
 * @throws Error that says what npm ended with
 */
export function ensureDependencies(root, wanted) {
  if (!dependenciesAreStale(root, wanted)) return;
  notify("Installing packages (npm ci) …");
  const beside = mkdtempSync(join(root, ".install-"));
  try {
    for (const file of INSTALLED_FROM)
      if (existsSync(join(root, file))) copyFileSync(join(root, file), join(beside, file));
    runNpm(beside);
    if (!replaceFolder(join(root, "node_modules"), join(beside, "node_modules"), join(beside, "former"))) runNpm(root);
    if (dependenciesAreStale(root, wanted)) {
      throw new Error(
        `Cannot install packages: after "npm ci", node_modules in ${root} still differs from package-lock.json. Remove node_modules and try again.`,
      );
    }
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** @throws Error that says what npm ended with */
function runNpm(/** @type {string} */ folder) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, error } = spawnSync(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    env: toolEnvironment(),
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (error)
    throw new Error(`Cannot install packages: npm did not start (${error.message}). Install npm and try again.`);
  if (status !== 0) {
    throw new Error(
      `Cannot install packages: "npm ci" in ${folder} ended with exit code ${status}. Its output is above.`,
    );
  }
}

/**
 * Puts `made` in the place of `present`, which goes to `former`; another command may have done the same meanwhile.
 * @returns {boolean} false when `present` cannot be moved, such as a mounted volume
 */
function replaceFolder(/** @type {string} */ present, /** @type {string} */ made, /** @type {string} */ former) {
  try {
    renameSync(present, former);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) return false;
  }
  try {
    renameSync(made, present);
  } catch (error) {
    if (!existsSync(present)) throw error;
  }
  return true;
}
