/**
 * Ends a k6 whose `assay` was killed, and journals the video tasks that it still told of. A k6 with the extension watches its
 * standard input and writes the journal itself; a stock one does neither.
 */

import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { toolEnvironment } from "../../cli/tool-environment.mjs";
import type { Orphan } from "./orphan.ts";

/**
 * Reads what there is to know, then waits for a line or for the end of its input; the end means that nothing else would
 * stop k6. One that was asked to end is killed after ten seconds. Its variables are not those of its environment, which
 * others could read.
 */
const SCRIPT = `IFS= read -r orphan
read -r _ && exit
kill -s INT "$1" 2>/dev/null
printf '%s\\n' "$orphan" | "$2" "$3" &
for second in 1 2 3 4 5 6 7 8 9 10; do
  kill -s 0 "$1" 2>/dev/null || exit
  sleep 1
done
kill -s KILL -- "-$1" 2>/dev/null`;

const JOURNAL = fileURLToPath(new URL("./orphan-process.mjs", import.meta.url));

/**
 * Watches over a process as long as ours lives; Windows has no shell for it.
 * @param pid of the process, which leads a group of its own; undefined where it did not start
 * @param log what k6 logs: read by the guard from the moment that nobody else does
 * @returns what ends the watch
 */
export function guard(pid: number | undefined, log: Readable, orphan: Orphan): () => void {
  if (pid === undefined || process.platform === "win32") return () => {};
  const child = spawn("sh", ["-c", SCRIPT, "assay-guard", String(pid), process.execPath, JOURNAL], {
    detached: true,
    env: toolEnvironment(),
    stdio: ["pipe", "ignore", "ignore", log],
  });
  // Sharing it has stopped our own reading.
  log.resume();
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.stdin?.write(`${JSON.stringify(orphan)}\n`);
  return () => child.stdin?.end("\n");
}
