/** The bundled mock as a separate process, whose work does not disturb the load generator. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { foreignEnvironment } from "../../cli/child-environment.ts";
import { PARENT_PIPE } from "../../cli/interrupt.ts";

const program = fileURLToPath(new URL("../../scripts/assay.mjs", import.meta.url));

export interface MockProcess {
  readonly url: string;
  /** Ends it; its ledger is complete when this resolves. */
  stop(): Promise<void>;
}

/**
 * The address that a server says it listens on, in a line `ready URL`.
 * @param what it is, for the error
 * @throws Error when it ended instead
 */
export const announcedUrl = (stdout: Readable, ended: Promise<void>, what: string): Promise<string> =>
  new Promise((resolve, reject) => {
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith(READY)) resolve(line.slice(READY.length));
    });
    void ended.then(() => reject(new Error(`Cannot start ${what}: it ended at once; its output is above.`)));
  });
const READY = "ready ";

/**
 * Starts `assay mock` and waits until it listens.
 * @throws Error when it ended instead
 */
export async function startMockProcess(flags: readonly string[]): Promise<MockProcess> {
  const child = spawn(process.execPath, [program, "mock", "--quiet", ...flags], {
    detached: true,
    env: { ...foreignEnvironment(), [PARENT_PIPE]: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await announcedUrl(child.stdout, ended, "the mock");
  return {
    url,
    stop: async () => {
      // Windows has no signal for it.
      child.stdin.end();
      await ended;
    },
  };
}
