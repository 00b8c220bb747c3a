/**
 * Something the user asked for that cannot be done as asked; ends a command with exit code 3. The message says what was
 * attempted, what was seen and what to do.
 */

import { codeOf, messageOf } from "../lib/thrown.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Errors of a file system that a user can cause, in words; a disk that is full keeps the words of the system. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "this user may not do that (permission denied)",
  EPERM: "this user may not do that (not permitted)",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of its path is a file, not a folder",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
};

/** The message of anything thrown; in words where a file cannot be used. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inWords = "path" in error ? FILE_ERRORS[codeOf(error)] : undefined;
  return inWords ?? messageOf(error);
}
