/** What a process uses of the machine: while it runs, as Linux tells it, and a process of Node.js in all. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";

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

/** The program of this checkout. */
export const ASSAY = fileURLToPath(new URL("../scripts/assay.mjs", import.meta.url));

/** Prints what the process used on descriptor 3 when it ends. */
const REPORT_USAGE = `import { writeSync } from "node:fs";
process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));`;
const PRELOAD = `data:text/javascript,${encodeURIComponent(REPORT_USAGE)}`;

/** Microseconds of CPU, and the largest resident memory in KiB. */
const usageFigures = z.object({ userCPUTime: z.number(), systemCPUTime: z.number(), maxRSS: z.number() });

/** What a whole run of a program used. */
export interface RunUsage {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

/** Runs a program of Node.js to its end, and shows only its errors. @param args its file and its arguments */
export async function runNode(args: readonly string[]): Promise<RunUsage> {
  const begin = performance.now();
  const child = spawn(process.execPath, ["--import", PRELOAD, ...args], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  let text = "";
  const pipe = child.stdio[3];
  if (pipe !== null && pipe !== undefined && "setEncoding" in pipe) {
    pipe.setEncoding("utf8").on("data", (part: string) => (text += part));
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (text === "") throw new Error(`node ${args.join(" ")} ended with ${String(code)} before it said what it used.`);
  const { userCPUTime, systemCPUTime, maxRSS } = usageFigures.parse(JSON.parse(text));
  return {
    seconds: (performance.now() - begin) / 1_000,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMb: (maxRSS * 1_024) / 1e6,
  };
}
