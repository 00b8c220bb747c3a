/** Runs the real `assay` program as a user does: a process with arguments, an environment and an exit code. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../scripts/assay.mjs", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  const read = (add: (text: string) => void) => (text: string) => {
    add(text);
    for (const watch of watchers) watch();
  };
  child.stdout.setEncoding("utf8").on(
    "data",
    read((text) => (stdout += text)),
  );
  child.stderr.setEncoding("utf8").on(
    "data",
    read((text) => (stderr += text)),
  );
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended, until: (pattern) => matched(pattern, () => stdout + stderr, watchers, ended) };
}

function matched(
  pattern: RegExp,
  text: () => string,
  watchers: Set<() => void>,
  ended: Promise<Ended>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const watch = (): void => {
      const found = pattern.exec(text());
      if (found === null) return;
      watchers.delete(watch);
      resolve(found[1] ?? found[0]);
    };
    watchers.add(watch);
    watch();
    void ended.then(({ code }) =>
      reject(new Error(`assay ended with ${code} before it printed ${pattern}:\n${text()}`)),
    );
  });
}

/** Runs `assay` to its end. */
export const assay = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Ended> => startAssay(args, env, cwd).ended;

const folders = new Set<string>();

/** A new temporary folder, which is removed with all that is in it when the test file or the process ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-"));
  folders.add(folder);
  return folder;
}

/** Removes the folders of `newFolder`: after each test file by remove-folders.ts, and as the process ends. */
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

/** The environment without variables that would configure Assay or colour its output. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(ASSAY_(?!K6$)|K6_|VITEST|FORCE_COLOR|NODE_ENV$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}

/** How many submissions without a response a command named, each of which may have created a task that nobody can cancel. */
export const unansweredIn = (stderr: string): number =>
  stderr.match(/A video task may have been created by request/g)?.length ?? 0;
