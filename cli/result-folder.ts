/** Result folders: a new one per run, and the files in it, each written completely or not at all. */

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "../lib/thrown.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { folderWithin } from "./trust.ts";

/** Written first, and exclusively, so that no two runs share a folder. */
const CLAIM = ".assay";

/**
 * Creates the folder of a run. It is new, or it was empty: what an earlier run, or anybody else, left is never touched, and
 * two runs that start at the same time get two folders, or the second one this error.
 * @param out the user's `--out`; absent: a new folder under `out/`, named after what runs and the time
 * @returns the absolute path
 * @throws UsageError when it cannot be created or written to, or is not empty
 */
export function createResultFolder(out: string | undefined, what: string): string {
  if (out === undefined) return newFolder(resolve("out"), `${what}-${stamp(new Date())}`);
  const folder = resolve(out);
  try {
    makeFolder(folder);
    const [present] = readdirSync(folder);
    if (present === undefined) return claimed(folder, what);
  } catch (error) {
    throw notCreated(folder, error);
  }
  throw new UsageError(
    `Cannot write results to ${folder}: it is not empty. Name a new folder with --out, or remove this one first if nobody needs the results in it.`,
  );
}

/** Creates a folder and those above it. Node's own way never returns where a file system takes no folder, as in /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (exists(error) && statSync(folder).isDirectory()) return;
    if (codeOf(error) !== "ENOENT" || existsSync(dirname(folder))) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder);
  }
}

const stamp = (now: Date): string => now.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");

/** The first of `name`, `name-2`, … that does not exist, created. */
function newFolder(parent: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const folder = join(parent, number === 1 ? name : `${name}-${number}`);
    try {
      makeFolder(dirname(folder));
    } catch (error) {
      throw notCreated(dirname(folder), error);
    }
    try {
      mkdirSync(folder);
      return claimed(folder, name);
    } catch (error) {
      if (!exists(error)) throw notCreated(folder, error);
    }
  }
}

function claimed(folder: string, what: string): string {
  writeFileSync(join(folder, CLAIM), `${what}, ${new Date().toISOString()}, process ${process.pid}\n`, { flag: "wx" });
  return folder;
}

const exists = (error: unknown): boolean => codeOf(error) === "EEXIST";

function notCreated(folder: string, error: unknown): UsageError {
  return new UsageError(
    `Cannot write results to ${folder}: ${notCreatedReason(folder, error)}. Name a new or empty folder with --out.`,
  );
}

function notCreatedReason(folder: string, error: unknown): string {
  if (!exists(error)) return codeOf(error) === "ENOTDIR" ? "a part of this path is a file" : reasonOf(error);
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true;
  return isFolder ? "another run has just begun to write there" : "it is a file, and results are written to a folder";
}

/** Removes a result folder in which nothing was written yet: the run could not begin. */
export function discardResultFolder(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).some((name) => name !== CLAIM)) return;
  rmSync(join(folder, CLAIM), { force: true });
  rmdirSync(folder);
}

/** Does what a run does in its new folder; one that fails before it wrote anything leaves no folder. */
export async function inResultFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    discardResultFolder(folder);
    throw error;
  }
}

/**
 * Writes a file under a temporary name and renames it, so that nobody reads an incomplete file.
 * @param name its name, with a folder within `folder` before it or without
 * @param saved a sentence about what is not lost when the file cannot be written
 * @throws UsageError when it cannot be written
 */
export function writeWhole(folder: string, name: string, content: string, saved = ""): string {
  const path = join(folder, name);
  const isThere = !name.includes("/") || existsSync(dirname(path));
  if (name.includes("/") && isThere) folderWithin(folder, dirname(name));
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    // Only a folder within: a result folder that was removed stays away.
    if (!isThere) mkdirSync(dirname(path));
    writeFileSync(temporary, content, { flag: "wx" });
    renameSync(temporary, path);
    return path;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new UsageError(
      `Cannot write ${path}: ${reasonOf(error)}.${saved && ` ${saved}`} Free space on its disk, or use a folder that this user may write to.`,
    );
  }
}

/**
 * Requires that the folder of a run is still there after it: what is written to a removed one is lost.
 * @param what ran, such as "load"
 * @throws UsageError when it was removed
 */
export function requirePresent(folder: string, what: string): void {
  if (existsSync(folder)) return;
  throw new UsageError(
    `Cannot report the ${what}: its result folder ${folder} was removed during the run, and what was recorded with it. Open video tasks of the run were cancelled from memory. Run it again, and leave the folder alone until the end.`,
  );
}

/** What is not lost when the reports of a run cannot be written. */
export const recordedIn = (folders: readonly string[]): string =>
  `The records are saved in ${folders.join(", ")}: assay report ${folders.join(" ")} makes the reports.`;

/** Whether a folder is that of a run, or of several. */
export const isResultFolder = (folder: string): boolean => holds(folder, CLAIM);

/** Whether a result folder has this file. */
export const holds = (folder: string, name: string): boolean => existsSync(join(folder, name));

/** Why a folder without a file is not the result that was named. */
export const lackOf = (folder: string, name: string): string =>
  existsSync(folder) ? `there is no ${name} in it, or it is empty` : "it does not exist";

/** Whether a folder holds nothing but empty files, or nothing at all. */
export const isUnwritten = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true &&
  readdirSync(folder).every((name) => {
    const entry = statSync(join(folder, name));
    return entry.isFile() && entry.size === 0;
  });
