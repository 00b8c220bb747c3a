/** Every process that a command started, however far down, found by a variable that all of them inherit. Linux only. */

import { readdirSync, readFileSync } from "node:fs";

/** Names no setting of Assay's and none of k6's, so that it is handed on. */
export const CELL_VARIABLE = "FAULT_MATRIX_CELL";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes that carry this mark; a zombie carries none. */
export function processesOf(mark: string): readonly Process[] {
  const wanted = `${CELL_VARIABLE}=${mark}`;
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !read(pid, "environ").split("\0").includes(wanted)) return [];
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(pid, "status"))?.[1] ?? 0);
    return [{ pid, parent, command: read(pid, "cmdline").replaceAll("\0", " ").trim() }];
  });
}

/** A file of a process; empty when it has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
