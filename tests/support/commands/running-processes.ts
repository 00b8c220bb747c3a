/** Finds processes of this machine, to check that none is left behind. */

import { execFileSync } from "node:child_process";

const processes = (columns: string): string[] =>
  execFileSync("ps", ["-A", "-o", columns], { encoding: "utf8", maxBuffer: 1 << 24 }).split("\n");

/** Command lines of running processes that name this folder. */
export const processesNaming = (folder: string): string[] => processes("args=").filter((line) => line.includes(folder));

/** The process id of the k6 that writes into this folder. */
export function k6Writing(folder: string): number {
  const line = processes("pid=,args=").find((candidate) => candidate.includes(`--out assay=${folder} `));
  if (line === undefined) throw new Error(`No k6 writes into ${folder}`);
  return Number.parseInt(line, 10);
}
