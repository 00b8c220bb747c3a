/** Starts and asks the process that is measured, on a core of its own where `taskset` can give it one. */

import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Served } from "./server.ts";

const ready = z.object({ port: z.int() });
const health = z.object({ heapBytes: z.number(), rssBytes: z.number(), sockets: z.int(), timers: z.int() });

const cpu = z.object({ cpuUs: z.number() });

/** Pins a process to a core; false where that cannot be done. */
export function pinned(pid: number | undefined, core: number): boolean {
  if (pid === undefined || availableParallelism() < 2) return false;
  return spawnSync("taskset", ["-a", "-cp", String(core), String(pid)], { stdio: "ignore" }).status === 0;
}

export class Child {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#process = process;
  }

  static async start(served: Served): Promise<Child> {
    const file = fileURLToPath(new URL("./server.ts", import.meta.url));
    const child = fork(file, [JSON.stringify(served)], { execArgv: ["--expose-gc", "--import", "tsx"] });
    pinned(child.pid, 0);
    const [message] = await once(child, "message");
    return new Child(ready.parse(message).port, child);
  }

  async health(): Promise<z.infer<typeof health>> {
    this.#process.send("health");
    const [message] = await once(this.#process, "message");
    return health.parse(message);
  }

  /** CPU time that the process has used. */
  async cpuUs(): Promise<number> {
    this.#process.send("cpu");
    const [message] = await once(this.#process, "message");
    return cpu.parse(message).cpuUs;
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, "exit");
    this.#process.disconnect();
    await gone;
  }
}
