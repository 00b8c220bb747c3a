/** CPU and memory of a child process, from the files of Linux. */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Cores since the previous sample, and megabytes; absent where they are not known. */
export interface Usage {
  readonly cpu?: number;
  readonly cpus: number;
  readonly rss_mb?: number;
}

/** Linux counts CPU time in ticks of this length, on every system that Node runs on. */
const TICK_MS = 10;

/** A shorter time between two samples is not meaningful. */
const SHORTEST_MS = 50;

/** Samples a process each time that the result is called. */
export function usageOf(pid: number | undefined): () => Usage {
  const cpus = availableParallelism();
  let before = look(pid);
  return () => {
    const now = look(pid);
    const seen = before;
    before = now ?? before;
    if (now === undefined) return { cpus };
    const wallMs = seen === undefined ? 0 : now.at - seen.at;
    const cpu = seen === undefined || wallMs < SHORTEST_MS ? undefined : (now.cpuMs - seen.cpuMs) / wallMs;
    return { cpus, rss_mb: now.rssMb, ...(cpu !== undefined && { cpu: Math.round(cpu * 100) / 100 }) };
  };
}

function look(pid: number | undefined): { at: number; cpuMs: number; rssMb: number } | undefined {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  try {
    // Past the name in parentheses; times in user and kernel mode are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop()?.split(" ") ?? [];
    const rssKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    return Number.isFinite(cpuMs) && Number.isFinite(rssKb)
      ? { at: performance.now(), cpuMs, rssMb: Math.round(rssKb / 102.4) / 10 }
      : undefined;
  } catch {
    return undefined;
  }
}
