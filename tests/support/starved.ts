/** A client that is kept from its CPU: k6 on one CPU, beside busy loops on the same. Linux only. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXTENSION } from "../../scripts/k6.ts";
import { ensureK6 } from "../../scripts/setup/k6.mjs";
import { newFolder } from "./assay.ts";

/** Whether this machine can pin processes to a CPU. */
export function canPin(): boolean {
  try {
    execFileSync("taskset", ["-c", String(ourCpu()), "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The first CPU that we may use. */
const ourCpu = (): number =>
  Number(/^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);

/** The path of a k6 that runs on one CPU only, for `ASSAY_K6`. */
export async function pinnedK6(): Promise<string> {
  const { path } = await ensureK6(EXTENSION);
  const script = join(newFolder(), "k6");
  writeFileSync(script, `#!/bin/sh\nexec taskset -c ${ourCpu()} '${path}' "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

/** Runs `work` beside so many busy loops on that CPU. They end with it, and with this process if it is killed. */
export async function beside<T>(loops: number, work: () => Promise<T>): Promise<T> {
  const busy = `while kill -0 ${process.pid} 2>/dev/null; do :; done`;
  // A session each: a scheduler that shares CPUs between sessions counts every loop.
  const children = Array.from({ length: loops }, () =>
    spawn("taskset", ["-c", String(ourCpu()), "sh", "-c", busy], { detached: true, stdio: "ignore" }),
  );
  try {
    return await work();
  } finally {
    await Promise.all(children.map(ended));
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
