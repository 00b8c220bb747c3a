/** Runs `assay` on a terminal of its own, as a user who types and reads does (Linux). */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, newFolder } from "../../support/commands/assay-process.ts";
import { screenOf } from "../../support/commands/terminal-screen.ts";

const program = fileURLToPath(new URL("../../../scripts/assay.mjs", import.meta.url));

/** Whether this system can open terminals for the tests. */
export const canHaveTerminal = (): boolean =>
  process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

/** The shell stays when the user types Ctrl-C, and waits for the command. */
const SHELL = `stty cols "$COLUMNS_OF_TEST"; tty >terminal; stty -a >before; trap : INT
sh -c 'echo $$ >pid; exec "$@"' sh "$@"
echo $? >code; stty -a >after`;

export interface TerminalRun {
  /** All that was written so far. */
  written(): string;
  /** Types text, such as `\x03` for Ctrl-C. */
  type(text: string): void;
  /** Sends a signal to `assay` alone. */
  kill(signal: NodeJS.Signals): void;
  resize(columns: number): void;
  readonly ended: Promise<TerminalEnd>;
}

export interface TerminalEnd {
  readonly code: number;
  /** The settings of the terminal, as `stty -a` prints them. */
  readonly before: string;
  readonly after: string;
}

/**
 * Starts `assay` with arguments on a terminal; `env` adds to a clean environment.
 * @param columns width of the terminal; 0 for one that does not tell it
 */
export function startInTerminal(
  args: readonly string[],
  columns: number,
  env: Readonly<Record<string, string>> = {},
): TerminalRun {
  const cwd = newFolder();
  const command = ["sh", "-c", SHELL, "sh", process.execPath, program, ...args].map(quoted).join(" ");
  const { CI: _, ...clean } = cleanEnvironment();
  const child = spawn("script", ["--quiet", "--flush", "--command", `exec ${command}`, "/dev/null"], {
    cwd,
    env: { ...clean, TERM: "xterm", COLUMNS_OF_TEST: String(columns), ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const told = (name: string): string => readFileSync(join(cwd, name), "utf8").trim();
  let written = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written += text));
  const ended = new Promise((resolve) => child.once("close", resolve)).then(() => {
    if (!existsSync(join(cwd, "after"))) throw new Error(`The terminal ended before assay:\n${written}`);
    return { code: Number(told("code")), before: told("before"), after: told("after") };
  });
  return {
    written: () => written,
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void process.kill(Number(told("pid")), signal),
    resize: (width) => void execFileSync("stty", ["-F", told("terminal"), "cols", String(width)]),
    ended,
  };
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Lines that were rewritten, for the next ones or what is said. */
export const rewrittenLines = (written: string): readonly string[] => screenOf(written).frames.flat();

/** The lines that can be read in the end. */
export const linesLeft = (written: string): readonly string[] => screenOf(written).rows;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|[^[])/g;

/** What was asked of the terminal other than to colour text, to go up, to clear, and to show all at once. */
export const otherSequences = (written: string): string[] =>
  (written.match(SEQUENCE) ?? []).filter((sequence) => !/\[(?:[\d;]*m|K|J|\d+A|\?2026[hl])$/.test(sequence));
