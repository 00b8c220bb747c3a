/** What a process uses of the machine while it runs, as Linux tells it. */

import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** NaN where the system does not tell. */
export interface ProcessUsage {
  /** CPU cores in use. */
  readonly cores: number;
  /** Largest resident memory so far. */
  readonly peakMb: number;
}

/** Ticks of the clock in which Linux counts CPU time, per second. */
const TICKS_PER_S = 100;

/** What a process uses between two times, in milliseconds from now. */
export async function usageOf(pid: number, fromMs: number, untilMs: number): Promise<ProcessUsage> {
  await wait(fromMs);
  const [before, startedMs] = [cpuSeconds(pid), performance.now()];
  await wait(untilMs - fromMs);
  const cores = (cpuSeconds(pid) - before) / ((performance.now() - startedMs) / 1_000);
  return { cores, peakMb: Number(/VmHWM:\s+(\d+)/.exec(ofProcess(pid, "status"))?.[1] ?? Number.NaN) / 1_024 };
}

/** User and system time: the 14th and 15th field, of which the second may have spaces and ends with a bracket. */
function cpuSeconds(pid: number): number {
  const fields = ofProcess(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

function ofProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // it has ended, or the system has no /proc
  }
}
