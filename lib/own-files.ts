/**
 * Opens files of a result folder that go on: never through a link, which whoever made the folder may have put there. A new file
 * is created with the flag `wx`, which follows none either. For Node alone.
 */

import { appendFileSync, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
/** Refuses links. Windows knows no such flag, which Node's types do not say: 0 there. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** What a link is met with, by the system. */
const IS_LINK: readonly unknown[] = ["ELOOP", "EMLINK"];
const LINK = "it is a symbolic link, and links in a result folder are not followed";

/**
 * Opens a file to append to it; it is created when it is absent, for this user alone.
 * @param noFollow the flag of the system that refuses links; where it is 0, whether the path is one is looked at before
 * @throws Error whose message is a reason, when the file is a link, has another name or is no file; else the error of the system
 */
export function openOwnFile(path: string, noFollow = NO_FOLLOW): number {
  if (noFollow === 0 && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(LINK);
  const file = openWithoutFollowing(path, noFollow);
  const stats = fstatSync(file);
  if (stats.isFile() && stats.nlink === 1) return file;
  closeSync(file);
  throw new Error(stats.isFile() ? "the file has another name elsewhere (a hard link)" : "it is not a file");
}

function openWithoutFollowing(path: string, noFollow: number): number {
  try {
    // A pipe would be waited for without O_NONBLOCK.
    return openSync(path, O_WRONLY | O_CREAT | O_APPEND | noFollow | O_NONBLOCK, 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && IS_LINK.includes(error.code)) {
      throw new Error(LINK);
    }
    throw error;
  }
}

/** Appends to a file as `openOwnFile` opens it. */
export function appendToOwnFile(path: string, text: string): void {
  const file = openOwnFile(path);
  try {
    appendFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
