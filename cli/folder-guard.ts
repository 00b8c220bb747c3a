/** Removes a temporary folder when this process ends, by whatever signal: a killed process cannot do it itself. */

import { spawn } from "node:child_process";
import { toolEnvironment } from "./tool-environment.mjs";

/** Waits for the end of its input, which is the end of our process. */
const SCRIPT = 'while read -r _; do :; done; rm -rf -- "$1"';

/** Leaves the folder to a process that outlives ours; Windows has no shell for it. */
export function removeWhenEnded(folder: string): void {
  if (process.platform === "win32") return;
  const child = spawn("sh", ["-c", SCRIPT, "assay-guard", folder], {
    detached: true,
    env: toolEnvironment(),
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
}
