/** Starts and asks the process that is measured, on a core of its own where `taskset` can give it one. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { onServerCore } from "./cpu-cores.ts";
import type { Served } from "./server-main.ts";

const ready = z.object({ port: z.int() });
const health = z.object({ heapBytes: z.number(), rssBytes: z.number(), sockets: z.int(), timers: z.int() });

const cpu = z.object({ cpuUs: z.number() });

export class Child {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#process = process;
  }

  static async start(served: Served): Promise<Child> {
    const file = fileURLToPath(new URL("./server-main.ts", import.meta.url));
    const [execPath, ...execArgv] = onServerCore(process.execPath, "--expose-gc", "--import", "tsx");
    const child = fork(file, [JSON.stringify(served)], { ...(execPath !== undefined && { execPath }), execArgv });
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
