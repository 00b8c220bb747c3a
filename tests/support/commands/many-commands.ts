/** Runs many `assay` commands in one process, for those that end before they start any work. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { cleanEnvironment, type Ended } from "./assay-process.ts";

const program = fileURLToPath(new URL("./command-runner.mjs", import.meta.url));
const results = z.array(z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }));

export interface OneCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder in which it runs. */
  readonly cwd: string;
}

/** What came of each command, in the same order. */
export function manyCommands(commands: readonly OneCommand[]): readonly Ended[] {
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    input: JSON.stringify(commands),
    env: cleanEnvironment(),
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(`The commands did not run: ${stderr}`);
  return results.parse(JSON.parse(stdout));
}
