/**
 * Ends a k6 whose `assay` was killed, and journals the video tasks that it still told of. A k6 with the extension watches its
 * standard input and writes the journal itself; a stock one does neither.
 */

import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { toolEnvironment } from "../../cli/tool-environment.mjs";
import { ORPHAN_VARIABLE, type Orphan } from "./orphan.ts";

/** Waits for a line or for the end of its input; the end means that nothing else would stop k6. */
const SCRIPT = `read -r _ && exit
kill -INT "$1" 2>/dev/null
exec "$2" "$3"`;

const JOURNAL = fileURLToPath(new URL("./orphan-process.mjs", import.meta.url));

/**
 * Watches over a process as long as ours lives; Windows has no shell for it.
 * @param log what k6 logs: read by the guard from the moment that nobody else does
 * @returns what ends the watch
 */
export function guard(orphan: Omit<Orphan, "pid"> & { readonly pid: number | undefined }, log: Readable): () => void {
  if (orphan.pid === undefined || process.platform === "win32") return () => {};
  const child = spawn("sh", ["-c", SCRIPT, "assay-guard", String(orphan.pid), process.execPath, JOURNAL], {
    detached: true,
    env: { ...toolEnvironment(), [ORPHAN_VARIABLE]: JSON.stringify(orphan) },
    stdio: ["pipe", "ignore", "ignore", log],
  });
  // Sharing it has stopped our own reading.
  log.resume();
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  return () => child.stdin?.end("\n");
}
