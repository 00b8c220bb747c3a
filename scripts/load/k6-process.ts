/**
 * One run of k6 as a child process: its own process group, so that only Assay signals it; a pipe to its standard input,
 * which closes when Assay ends; its log kept in a file without the API keys.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { FILES } from "../../formats/file-names.ts";
import { redactor } from "../../lib/redact.ts";
import type { Segment } from "../../settings/segment.ts";
import { foreignEnvironment, PARENT_PIPE } from "../cli/child-environment.ts";
import type { Urgency } from "../cli/interrupt.ts";
import type { Cancel } from "../tasks/cancel-leftovers.ts";

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

/** A k6 that is running. */
export interface K6Process {
  readonly pid: number | undefined;
  /** Asks k6 to end: gently lets it cancel and record, now kills its whole group. */
  stop(urgency: Urgency): void;
  closeLog(): void;
  readonly ended: Promise<K6End>;
}

/** What loads a target: a k6 that runs and leaves its measurements in the result folder. */
export interface LoadClient {
  /** Asks for an end, as an interrupt does. */
  stop(urgency: Urgency): void;
  /** Resolves when k6 has ended and its journal of video tasks is whole. */
  readonly ended: Promise<K6End>;
  /** Video tasks that are open according to what k6 said; absent where only its journal tells. */
  openTasks?(): readonly string[];
  /** Why its files could not be written, which ended it; absent where k6 itself writes them, and says so. */
  failure?(): unknown;
  /** Completes the files. @param cancels what was sent for the tasks that k6 left open */
  finish(cancels: readonly Cancel[]): void;
}

/** A k6 to start on a bundled scenario. */
export interface K6Start {
  readonly path: string;
  /** Result folder, in which k6 runs and which holds the bundle. */
  readonly folder: string;
  /** `ASSAY_*` variables, with the keys. */
  readonly variables: Readonly<Record<string, string>>;
  /** Texts that are blanked in its log. */
  readonly secrets: readonly string[];
  /** Further arguments. */
  readonly more?: readonly string[];
}

/** The arguments that say where a k6 writes its measurements, and how its log is read. */
export interface OutputMode {
  readonly args: readonly string[];
  /** Reads a line of its log: what to keep of it, and the error that it reports; either may be absent. */
  readonly read: (line: string) => { readonly kept?: string; readonly error?: string };
}

/** A k6 with the extension writes its files itself. */
export const withExtension = (folder: string): OutputMode => ({
  args: ["--out", `assay=${folder}`],
  read: (line) => ({ kept: line, ...(/level=(?:error|fatal)/.test(line) && { error: messageOf(line) }) }),
});

/** The arguments that give k6 its part of a run. */
export function segmentArguments({ part, of }: Segment): readonly string[] {
  const bounds = Array.from({ length: of + 1 }, (_, index) => (index % of === 0 ? `${index / of}` : `${index}/${of}`));
  const own = `${bounds[part - 1]}:${bounds[part]}`;
  return ["--execution-segment", own, "--execution-segment-sequence", bounds.join(",")];
}

/** Starts k6 on the scenario. */
export function startK6({ path, folder, variables, secrets, more = [] }: K6Start, mode: OutputMode): K6Process {
  const child = spawn(path, [...ARGUMENTS, ...more, ...mode.args, join(folder, FILES.bundle)], {
    cwd: folder,
    detached: true,
    env: { ...foreignEnvironment(), ...variables, [PARENT_PIPE]: "1" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const file = createWriteStream(join(folder, FILES.k6Log));
  // A full disk ends k6 too, and its own error is the one to show.
  file.on("error", () => undefined);
  const redact = redactor(secrets, []).text;
  const log = (line: string): void => void file.write(`${redact(line)}\n`);
  const lastError = keepLog(child, mode, log);
  const ended = end(child).then(({ code, failure }) => ({ code, lastError: failure ?? redact(lastError()) }));
  return { pid: child.pid, stop: (urgency) => stop(child, urgency), closeLog: () => file.end(), ended };
}

function stop(child: ChildProcess, urgency: Urgency): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (urgency === "gently") child.kill("SIGINT");
  else killGroup(child.pid);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

/** Keeps what k6 logs; returns a function that gives its last error. */
function keepLog(child: ChildProcess, { read }: OutputMode, log: (line: string) => void) {
  let lastError = "";
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const { kept, error } = read(line);
      if (kept !== undefined) log(kept);
      if (error !== undefined) lastError = error;
    });
  }
  return (): string => lastError;
}

const end = (child: ChildProcess): Promise<{ code: number | null; failure?: string }> =>
  new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, failure: `k6 did not start: ${error.message}` }));
    child.once("close", (code) => resolve({ code }));
  });

/** The message of a logfmt line, without where in the bundle it came from. */
export function messageOf(line: string): string {
  const quoted = /msg=("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  if (quoted === undefined) return line;
  try {
    const [message = ""] = String(JSON.parse(quoted)).split(/\n\tat /);
    return message.replace(/^(?:Go|Usage)?Error: /, "").trim();
  } catch {
    return quoted;
  }
}
