/** Tools of Python that the benchmark is compared with: installed by pip into a folder of the user's cache. */

import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../toolchain/find-k6.mjs";

/** They require a tokenizer, and would look for one on the network unless they are given one. */
const MAKE_TOKENIZER = fileURLToPath(new URL("./make-tokenizer.py", import.meta.url));
const LONGEST_RUN_MS = 300_000;

export interface PythonTool {
  readonly name: string;
  /** Its package and its program. */
  readonly program: string;
  readonly version: string;
  /** What the installation downloads. */
  readonly download: string;
  /** Variables of its runs. */
  readonly env?: Readonly<Record<string, string>>;
}

const home = ({ program, version }: PythonTool): string => join(cacheFolder(process.env), `${program}-${version}`);

/** The folder of a tokenizer with which the tool counts tokens. */
export const tokenizerOf = (tool: PythonTool): string => join(home(tool), "tokenizer");

const call = (program: string, args: readonly string[], timeout?: number, env?: PythonTool["env"]) =>
  spawnSync(program, args, { encoding: "utf8", timeout, env: { ...process.env, ...env } });

/** Installs a tool unless it is installed; returns the reason when that fails. */
export function installTool(tool: PythonTool, say: (line: string) => void): string | undefined {
  const folder = home(tool);
  if (existsSync(join(folder, "installed"))) return undefined;
  say(`Installing ${tool.name} ${tool.version} with pip (${tool.download}) …`);
  const python = join(folder, "bin", "python");
  for (const [program, args] of [
    ["python3", ["-m", "venv", folder]],
    [python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", `${tool.program}==${tool.version}`]],
    [python, [MAKE_TOKENIZER, tokenizerOf(tool)]],
    [python, ["-c", `open(${JSON.stringify(join(folder, "installed"))}, "w").close()`]],
  ] as const) {
    const { status, stderr, error } = call(program, args);
    if (status === 0) continue;
    rmSync(folder, { recursive: true, force: true });
    return error?.message ?? (stderr.trim().split("\n").at(-1) || `exit code ${status}`);
  }
  return undefined;
}

/** Runs an installed tool. @throws Error when it fails, or does not end within five minutes */
export function runTool(tool: PythonTool, args: readonly string[]): void {
  const program = join(home(tool), "bin", tool.program);
  const { status, stdout, stderr, error } = call(program, args, LONGEST_RUN_MS, tool.env);
  if (status === 0) return;
  const seen = error?.message ?? `exit code ${status}`;
  throw new Error(`${tool.name} did not end its run (${seen}):\n${`${stdout}${stderr}`.slice(-2_000)}`);
}
