/** The peak memory of k6 in a small fixed load, as Linux counts it. */

import { readFileSync } from "node:fs";
import { startMockProcess } from "../../runs/calibrate/mock-process.ts";
import { runScenario } from "../assay-loads.ts";

/** How often the children of this process are looked at: their peak never falls, so that only its last moments are missed. */
const INTERVAL_MS = 50;

/** A closed loop of plain requests, which ends by their number. */
const LOAD = { vus: "8", maxRequests: "4000", warmup: "0s", duration: "10m" };

/**
 * Runs the load against the bundled mock.
 * @param folder takes its records
 * @returns MB of the largest process that this one started meanwhile, without the mock; the peak of k6, without the mock
 */
export async function peakMemoryOfLoad(folder: string): Promise<number> {
  const mock = await startMockProcess(["--timing", "instant"]);
  const before = new Set(children());
  let peakKb = 0;
  const timer = setInterval(() => {
    const own = children().filter((pid) => !before.has(pid));
    peakKb = Math.max(peakKb, ...own.map(peakKbOf));
  }, INTERVAL_MS);
  try {
    await runScenario("chat", { target: mock.url, ...LOAD }, folder);
  } finally {
    clearInterval(timer);
    await mock.stop();
  }
  if (peakKb === 0)
    throw new Error("Cannot weigh the memory of k6: /proc shows no children of this process; Linux is needed.");
  return peakKb / 1_000;
}

function children(): number[] {
  try {
    return readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

/** 0 when the process has ended. */
function peakKbOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
