/** What a process holds: memory, open descriptors and sockets, from the files of Linux. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessSample {
  /** Resident memory in MB. */
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly sockets: number;
}

/** Looks at a process; undefined when it has ended. */
export function sampleProcess(pid: number): ProcessSample | undefined {
  try {
    const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`));
    if (!Number.isFinite(kb)) return undefined;
    const sockets = targets.filter((target) => target.startsWith("socket:")).length;
    return { memoryMb: kb / 1_000, descriptors: targets.length, sockets };
  } catch {
    return undefined;
  }
}

/** Empty for a descriptor that was closed meanwhile. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
