/** The bundled mock as a process of its own: a target whose work does not disturb ours, and whose truth is on file. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { foreignEnvironment, PARENT_PIPE } from "../environment.ts";

const program = fileURLToPath(new URL("../assay.mjs", import.meta.url));

export interface MockProcess {
  readonly url: string;
  /** Ends it; its ledger is whole when this resolves. */
  stop(): Promise<void>;
}

/**
 * Starts `assay mock` and waits until it listens.
 * @throws Error with what it said when it ended instead
 */
export async function startMockProcess(flags: readonly string[]): Promise<MockProcess> {
  const child = spawn(process.execPath, [program, "mock", "--quiet", ...flags], {
    detached: true,
    env: { ...foreignEnvironment(), [PARENT_PIPE]: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("ready ")) resolve(line.slice("ready ".length));
    });
    void ended.then(() => reject(new Error("Cannot start the mock: it ended at once; what it said is above.")));
  });
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
