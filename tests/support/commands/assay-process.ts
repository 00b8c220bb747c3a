/** Runs the real `assay` program as a user does: a process with arguments, an environment and an exit code. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "./clean-environment.ts";
import { type HostedCommand, runHosted } from "./command-hosts.ts";
import { type Ended, Output } from "./command-output.ts";

export type { Ended };
export { cleanEnvironment };

const program = fileURLToPath(new URL("../../../scripts/assay.mjs", import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the first group of the match, or all of it, once standard output or error matches. */
  until(pattern: RegExp): Promise<string>;
}

/**
 * Starts `assay` with arguments; `env` adds to a clean environment.
 * @param prefix a command that runs the one after it, such as one that sets a limit first
 */
export function startAssay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = newFolder(),
  prefix: readonly string[] = [],
): Running {
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, program, ...args];
  const child = spawn(command, rest, {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = new Output();
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.add("stdout", text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => output.add("stderr", text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output.texts }));
  });
  return { child, ended, until: (pattern) => output.until(pattern, ended) };
}

/** Runs `assay` to its end, in a process that other commands run in before and after it. */
export const assay = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = newFolder(),
): Promise<Ended> => runHosted({ args, env, cwd }).ended;

/** Runs commands one after another. */
export async function inTurn(commands: readonly HostedCommand[]): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  for (const command of commands) ended.push(await runHosted(command).ended);
  return ended;
}

const folders = new Set<string>();

/** A new temporary folder, which is removed with all that is in it when the test file or the process ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-"));
  folders.add(folder);
  return folder;
}

/** A new file with this name and text, in a folder of its own. */
export function newFile(name: string, text: string | Uint8Array = ""): string {
  const file = join(newFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** Removes the folders of `newFolder`: after each test file by around-file.ts, and as the process ends. */
export function removeFolders(): void {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      folders.delete(folder);
    } catch {
      // A process still writes to it, or a file system is mounted on it; tried again as the process ends.
    }
  }
}
process.once("exit", removeFolders);

/** What a command named: submissions that may have created a task which nobody can cancel, and tasks that it could not cancel. */
export function leftIn(output: string): { readonly requests: readonly string[]; readonly tasks: readonly string[] } {
  const listed = (pattern: RegExp): string[] =>
    [...output.matchAll(pattern)].flatMap(([, list = ""]) => list.split(", "));
  return {
    requests: listed(/ideo tasks? may have been created by requests? (.+?), (?:which got|whose response)/g),
    tasks: listed(/Video tasks? (.+?) could not be cancelled/g),
  };
}

/** How many submissions without a response a command named. */
export const unansweredIn = (stderr: string): number => leftIn(stderr).requests.length;
