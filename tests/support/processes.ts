/** What runs on this machine, for showing that nothing was left behind. */

import { execFileSync } from "node:child_process";

/** Command lines of running processes that name this folder. */
export const processesNaming = (folder: string): string[] =>
  execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8", maxBuffer: 1 << 24 })
    .split("\n")
    .filter((line) => line.includes(folder));
