/** Ends a k6 whose `assay` was killed. A k6 with the extension watches its standard input itself; a stock one does not. */

import { spawn } from "node:child_process";
import { toolEnvironment } from "../../cli/tool-environment.mjs";

/** Waits for a line or for the end of its input; the end means that nothing else would stop k6. */
const SCRIPT = `read -r _ && exit
kill -INT "$1" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" 2>/dev/null || exit; sleep 1; done
kill -KILL "$1"`;

/**
 * Watches over a process as long as ours lives; Windows has no shell for it.
 * @returns what ends the watch
 */
export function guard(pid: number | undefined): () => void {
  if (pid === undefined || process.platform === "win32") return () => {};
  const child = spawn("sh", ["-c", SCRIPT, "assay-guard", String(pid)], {
    detached: true,
    env: toolEnvironment(),
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  return () => child.stdin.end("\n");
}
