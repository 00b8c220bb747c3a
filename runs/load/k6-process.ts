/**
 * One run of k6 as a child process: its own process group, so that only Assay signals it; a pipe to its standard input,
 * which closes when Assay ends; its log kept in a file without the API keys.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CHECK_PIPE, foreignEnvironment } from "../../cli/child-environment.ts";
import { PARENT_PIPE, TELLING, type Urgency } from "../../cli/interrupt.ts";
import { killGroup } from "../../cli/process-group.ts";
import { FILES } from "../../formats/file-names.ts";
import { redactor } from "../../lib/redact.ts";
import { type Route, toldLine } from "../../route/route.ts";
import { ROOT } from "../../toolchain/installed.mjs";
import { isOutput, type OutputTrouble } from "./outputs/output-troubles.ts";

/** Arguments of every k6 that measures: its own summary, thresholds and usage report are left out. */
export const MEASURING = ["--no-usage-report", "--summary-mode=disabled", "--no-thresholds", "--no-color"] as const;

/** Argument that opens no port for k6's own interface. */
export const NO_PORT = ["--address", ""] as const;

/** How k6 ended: its exit code, or none when it was killed. */
export interface K6End {
  readonly code: number | null;
  /** The last error that k6 logged, or empty. */
  readonly lastError: string;
}

/** A k6 that is running. */
export interface K6Process {
  /** Asks k6 to end: gently lets it cancel and record, now kills its whole group. */
  stop(urgency: Urgency): void;
  closeLog(): void;
  readonly ended: Promise<K6End>;
  /** What it passes on to be checked; absent when that was not asked for. */
  readonly sample?: Readable;
}

/** A k6 to start on a bundled scenario. */
export interface K6Start {
  readonly path: string;
  /** Result folder, in which k6 runs and which holds the bundle. */
  readonly folder: string;
  /** How the target is reached, as by Assay itself; told over the pipe, since it holds credentials. */
  readonly route: Route;
  /** `ASSAY_*` variables, with the keys. */
  readonly variables: Readonly<Record<string, string>>;
  /** Texts that are blanked in its log. */
  readonly secrets: readonly string[];
  /** Further arguments. */
  readonly more?: readonly string[];
  /** It passes exchanges on to be checked. */
  readonly samples?: boolean;
  /** Is told when k6 cannot write to one of its outputs, without secrets. */
  readonly onOutputTrouble?: (trouble: OutputTrouble) => void;
}

/** The error that a line of the log of k6 reports, of the run or of an output. */
interface Reported {
  readonly error?: string;
  readonly trouble?: OutputTrouble;
}

/** The error of a line of logfmt: what an output reports is none of the run, unless it ends it. */
export function reportedBy(line: string): Reported {
  const level = /level=(\w+)/.exec(line)?.[1];
  if (level !== "error" && level !== "fatal") return {};
  const output = valueIn(line, "output");
  if (level === "fatal" || output === undefined || !isOutput(output)) return { error: messageOf(line) };
  return { trouble: { output, reason: valueIn(line, "error") ?? messageOf(line) } };
}

/** The value of a key in a line of logfmt; undefined without it. */
function valueIn(line: string, key: string): string | undefined {
  const [, quoted, plain] = new RegExp(`(?:^|\\s)${key}=(?:("(?:[^"\\\\]|\\\\.)*")|(\\S+))`).exec(line) ?? [];
  return quoted === undefined ? plain : unquoted(quoted);
}

function unquoted(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** The number of the open file over which k6 passes exchanges on: the first after those that every process has. */
const SAMPLE_FILE = 3;

/** Starts k6 on the scenario. */
export function startK6(start: K6Start): K6Process {
  const { path, folder, route, variables, secrets, more = [], samples = false, onOutputTrouble } = start;
  const output = ["--out", `assay=${folder}`];
  const args = ["run", "--quiet", ...MEASURING, ...NO_PORT, ...output, ...more, join(folder, FILES.bundle)];
  const child = spawn(path, args, {
    cwd: folder,
    detached: true,
    env: {
      ...foreignEnvironment(),
      ...variables,
      [PARENT_PIPE]: TELLING,
      ...(samples && { [CHECK_PIPE]: String(SAMPLE_FILE) }),
    },
    stdio: ["pipe", "ignore", "pipe", ...(samples ? ["pipe" as const] : [])],
  });
  const { stderr } = child;
  // A k6 that does not start, or ends at once, says so itself.
  child.stdin?.on("error", () => undefined).write(toldLine(route));
  if (stderr === null) throw new Error("Cannot read the log of k6: it has no standard error.");
  const sample = child.stdio[SAMPLE_FILE];
  const file = createWriteStream(join(folder, FILES.k6Log), { flags: "wx" });
  // A full disk ends k6 too, and its own error is the one to show.
  file.on("error", () => undefined);
  const redact = redactor(secrets, []).text;
  const log = (line: string): void => void file.write(`${redact(line)}\n`);
  const lastError = keepLog(stderr, log, ({ output, reason }) => onOutputTrouble?.({ output, reason: redact(reason) }));
  const ended = end(child).then(({ code, failure }) => ({ code, lastError: failure ?? redact(lastError()) }));
  return {
    stop: (urgency) => stop(child, urgency),
    closeLog: () => file.end(),
    ended,
    ...(sample instanceof Readable && { sample }),
  };
}

function stop(child: ChildProcess, urgency: Urgency): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (urgency === "gently") child.kill("SIGINT");
  else killGroup(child.pid);
}

/** Keeps what k6 logs; returns a function that gives its last error. */
function keepLog(stderr: Readable, log: (line: string) => void, report: (trouble: OutputTrouble) => void) {
  let lastError = "";
  createInterface({ input: stderr }).on("line", (line) => {
    const { error, trouble } = reportedBy(line);
    log(line);
    if (error !== undefined) lastError = error;
    if (trouble !== undefined) report(trouble);
  });
  return (): string => lastError;
}

const end = (child: ChildProcess): Promise<{ code: number | null; failure?: string }> =>
  new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, failure: `k6 did not start: ${error.message}` }));
    child.once("close", (code) => resolve({ code }));
  });

/** The message of a logfmt line, and where in files of the user it came from. */
export function messageOf(line: string): string {
  const quoted = /msg=("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  if (quoted === undefined) return line;
  return errorOfScript(unquoted(quoted));
}

/** What k6 logs of an error that a script threw: the message, and a line for each place in a file of the user that its stack names. */
function errorOfScript(text: string): string {
  const [message = "", ...frames] = text.split(/\n\tat /);
  return [message.replace(/^(?:Go|Usage)?Error: /, "").trim(), ...frames.flatMap(ownFrame)].join("\n");
}

/** Of a stack of k6: `name (file:///x.ts:1:2(3))`, or without a name and its parentheses. */
const FRAME = /^(?:(.*) \()?(file:.*?):(\d+:\d+)\(\d+\)/;

/** Such as `    at inner (own.ts:8:13)`; nothing for what is not in a file of the user: Assay's own, or a bundle. */
function ownFrame(frame: string): readonly string[] {
  const [, name = "", address = "", position = ""] = FRAME.exec(frame) ?? [];
  if (address === "" || address.startsWith(ROOT.href) || address.endsWith(`/${FILES.bundle}`)) return [];
  const file = fileURLToPath(address);
  const near = relative(process.cwd(), file);
  const place = `${near.startsWith("..") ? file : near}:${position}`;
  return [`    at ${name === "" ? place : `${name} (${place})`}`];
}
