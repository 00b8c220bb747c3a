/**
 * One run of k6 as a child process: its own process group, so that only we signal it; a pipe to its standard input, so
 * that it ends when we die; its log kept in a file without the API keys.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { foreignEnvironment, PARENT_PIPE } from "../environment.ts";
import { FILES } from "../results.ts";
import type { Urgency } from "./interrupt.ts";

const ARGUMENTS = [
  "run",
  "--no-usage-report",
  "--address",
  "",
  "--summary-mode=disabled",
  "--no-thresholds",
  "--quiet",
  "--no-color",
];

/** How k6 ended: its exit code, or none when it was killed. */
export interface K6End {
  readonly code: number | null;
  /** The last error that k6 logged, or empty. */
  readonly lastError: string;
}

export interface K6Process {
  /** Asks k6 to end: gently lets it cancel and record, now kills its whole group. */
  stop(urgency: Urgency): void;
  readonly ended: Promise<K6End>;
}

/** Starts k6 on a bundled scenario whose results go to `folder`. */
export function startK6(
  k6: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  secrets: readonly string[],
): K6Process {
  const child = spawn(k6, [...ARGUMENTS, "--out", `assay=${folder}`, join(folder, FILES.bundle)], {
    cwd: folder,
    detached: true,
    env: { ...foreignEnvironment(), ...variables, [PARENT_PIPE]: "1" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  return { stop: (urgency) => stop(child, urgency), ended: end(child, join(folder, FILES.k6Log), secrets) };
}

function stop(child: ChildProcess, urgency: Urgency): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (urgency === "gently") child.kill("SIGINT");
  else process.kill(-child.pid, "SIGKILL");
}

async function end(child: ChildProcess, logFile: string, secrets: readonly string[]): Promise<K6End> {
  const log = createWriteStream(logFile);
  let lastError = "";
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on("line", (raw) => {
      const line = withoutSecrets(raw, secrets);
      log.write(`${line}\n`);
      if (/level=(?:error|fatal)/.test(line)) lastError = messageOf(line);
    });
  }
  try {
    return await new Promise<K6End>((resolve) => {
      child.once("error", (error) => resolve({ code: null, lastError: `k6 did not start: ${error.message}` }));
      child.once("close", (code) => resolve({ code, lastError }));
    });
  } finally {
    log.end();
  }
}

/** Replaces every occurrence of a secret. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => (secret === "" ? clean : clean.replaceAll(secret, "[redacted]")), text);

/** The message of a logfmt line. */
function messageOf(line: string): string {
  const quoted = /msg=("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  if (quoted === undefined) return line;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
