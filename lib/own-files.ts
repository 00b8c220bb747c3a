/**
 * Opens files of a result folder that go on: never through a link, which whoever made the folder may have put there. A new file
 * is created with the flag `wx`, which follows none either. For Node alone.
 */

import { appendFileSync, closeSync, constants, fstatSync, openSync } from "node:fs";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** What a link is met with, by the system. */
const IS_LINK: readonly unknown[] = ["ELOOP", "EMLINK"];

/**
 * Opens a file to append to it; it is created when it is absent, for this user alone.
 * @throws Error whose message is a reason, when the file is a link, has another name or is no file; else the error of the system
 */
export function openOwnFile(path: string): number {
  const file = openWithoutFollowing(path);
  const stats = fstatSync(file);
  if (stats.isFile() && stats.nlink === 1) return file;
  closeSync(file);
  throw new Error(stats.isFile() ? "the file has another name elsewhere (a hard link)" : "it is not a file");
}

function openWithoutFollowing(path: string): number {
  try {
    // A pipe would be waited for without O_NONBLOCK.
    return openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && IS_LINK.includes(error.code)) {
      throw new Error("it is a symbolic link, and links in a result folder are not followed");
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
