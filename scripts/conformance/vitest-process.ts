/** The conformance suite as a child process: vitest in its own process group, so that it ends when we say so. */

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { foreignEnvironment } from "../cli/child-environment.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const reporter = join(root, "conformance", "reporter.ts");

export interface SuiteProcess {
  /** Ends vitest and all that it started, at once. */
  stop(): void;
  /** Holds all of it still, and lets it go on; without effect where the system cannot. */
  freeze(): void;
  thaw(): void;
  /** vitest's exit code; null when it was stopped. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts the suite; it writes its verdicts into the folder named by `ASSAY_OUT` and its progress to standard error.
 * @param variables settings and keys of the run
 */
export function startSuite(variables: Readonly<Record<string, string>>, quiet: boolean): SuiteProcess {
  const child = spawn(
    process.execPath,
    [vitest, "run", "--root", root, "--project", "conformance", "--reporter", reporter],
    {
      detached: true,
      env: { ...foreignEnvironment(), ...variables },
      stdio: ["ignore", quiet ? "ignore" : process.stderr, process.stderr],
    },
  );
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };
  const hold = process.platform === "win32" ? () => undefined : signal;
  return {
    stop: () => signal("SIGKILL"),
    freeze: () => hold("SIGSTOP"),
    thaw: () => hold("SIGCONT"),
    ended: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code));
    }),
  };
}
